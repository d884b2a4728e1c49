/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-PTCCEL6Z.mjs";import"./shared-2H6K5ZDZ.mjs";import"./shared-OXVIY2TC.mjs";import"./shared-HQRLSNJE.mjs";import"./shared-RNENY73O.mjs";import"./shared-DEZHM4PK.mjs";import{o as t}from"./shared-N2NDJNVR.mjs";var s=t({"wishbone-alerts":r});export{s as install};
