/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-X3EQE6BA.mjs";import"./shared-JP3K5H3Y.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-QEEED22W.mjs";import"./shared-GS5UEBHF.mjs";import"./shared-XDFI36B6.mjs";import{o as t}from"./shared-DY7NKB2H.mjs";var i=t({"wishbone-heart":r});export{i as install};
