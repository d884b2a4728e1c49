/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{g as o}from"./shared-YN5TDVGK.mjs";import"./shared-GS5UEBHF.mjs";import"./shared-W5CT2VD4.mjs";import{o as t}from"./shared-DY7NKB2H.mjs";var n=t({"wishbone-notify":o});export{n as install};
