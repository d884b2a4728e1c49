/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-DPVMYVEH.mjs";import"./shared-WEBDSECW.mjs";import"./shared-YAGJN7DN.mjs";import"./shared-M4IWS5BY.mjs";import"./shared-B2OEUY6S.mjs";import"./shared-SZROGZZX.mjs";import{o as t}from"./shared-672XD2EL.mjs";var s=t({"wishbone-alerts":r});export{s as install};
