/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{d as o}from"./shared-25LOEBHX.mjs";import"./shared-3WVP54NL.mjs";import"./shared-7PMMT5WH.mjs";import{r as t}from"./shared-YOIZSJB2.mjs";var n=t({"wishbone-notify":o});export{n as install};
