/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{g as o}from"./shared-YAGJN7DN.mjs";import"./shared-M4IWS5BY.mjs";import"./shared-SZROGZZX.mjs";import{o as t}from"./shared-672XD2EL.mjs";var n=t({"wishbone-notify":o});export{n as install};
