/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-WPVLGJMT.mjs";import"./shared-RQGOKSBH.mjs";import"./shared-25LOEBHX.mjs";import"./shared-3WVP54NL.mjs";import"./shared-R7RLAOXF.mjs";import"./shared-7PMMT5WH.mjs";import{r as t}from"./shared-YOIZSJB2.mjs";var s=t({"wishbone-alerts":r});export{s as install};
