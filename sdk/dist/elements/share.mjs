/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-A6TWUAN2.mjs";import"./shared-FUGRL4GI.mjs";import"./shared-VQKJ5BIU.mjs";import"./shared-LCSK62JG.mjs";import{o as r}from"./shared-7J35MBUX.mjs";var i=r({"wishbone-share":o});export{i as install};
