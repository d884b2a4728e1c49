/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-37KCYK5I.mjs";import"./shared-B2OEUY6S.mjs";import"./shared-NHDHGDXV.mjs";import"./shared-SZROGZZX.mjs";import{o as r}from"./shared-672XD2EL.mjs";var i=r({"wishbone-share":o});export{i as install};
