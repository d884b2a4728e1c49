/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{g as o}from"./shared-GCDNTVXH.mjs";import"./shared-PSR7Y6OY.mjs";import"./shared-ONGXAF57.mjs";import{o as t}from"./shared-C4VXY7HD.mjs";var n=t({"wishbone-notify":o});export{n as install};
