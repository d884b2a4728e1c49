/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-M4RP33WY.mjs";import"./shared-C6J5ZYGC.mjs";import"./shared-XJCVG4LN.mjs";import"./shared-ONGXAF57.mjs";import{o as r}from"./shared-C4VXY7HD.mjs";var i=r({"wishbone-share":o});export{i as install};
