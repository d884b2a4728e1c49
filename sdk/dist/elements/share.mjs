/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-LCH2EDKK.mjs";import"./shared-R7RLAOXF.mjs";import"./shared-IHGWDW2H.mjs";import"./shared-7PMMT5WH.mjs";import{r}from"./shared-YOIZSJB2.mjs";var i=r({"wishbone-share":o});export{i as install};
