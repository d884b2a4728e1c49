/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{g as o}from"./shared-OXVIY2TC.mjs";import"./shared-HQRLSNJE.mjs";import"./shared-DEZHM4PK.mjs";import{o as t}from"./shared-N2NDJNVR.mjs";var n=t({"wishbone-notify":o});export{n as install};
