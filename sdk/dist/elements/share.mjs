/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-TVDCC26H.mjs";import"./shared-6ZQX26UU.mjs";import"./shared-XDFI36B6.mjs";import"./shared-W5CT2VD4.mjs";import{o as r}from"./shared-DY7NKB2H.mjs";var i=r({"wishbone-share":o});export{i as install};
