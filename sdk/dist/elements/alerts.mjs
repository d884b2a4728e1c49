/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-MZFZ6JZQ.mjs";import"./shared-QEEED22W.mjs";import"./shared-YN5TDVGK.mjs";import"./shared-GS5UEBHF.mjs";import"./shared-6ZQX26UU.mjs";import"./shared-W5CT2VD4.mjs";import{o as t}from"./shared-DY7NKB2H.mjs";var s=t({"wishbone-alerts":r});export{s as install};
