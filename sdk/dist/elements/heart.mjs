/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-ORFVB4CI.mjs";import"./shared-MZN7TYEQ.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-RQGOKSBH.mjs";import"./shared-3WVP54NL.mjs";import"./shared-IHGWDW2H.mjs";import{r as t}from"./shared-YOIZSJB2.mjs";var i=t({"wishbone-heart":r});export{i as install};
