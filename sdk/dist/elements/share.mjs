/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-PGQSVKVJ.mjs";import"./shared-RNENY73O.mjs";import"./shared-RAGUKH3G.mjs";import"./shared-DEZHM4PK.mjs";import{o as r}from"./shared-N2NDJNVR.mjs";var i=r({"wishbone-share":o});export{i as install};
