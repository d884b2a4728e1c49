/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-5PQRZFMH.mjs";import"./shared-J2GL2MAP.mjs";import"./shared-GCDNTVXH.mjs";import"./shared-PSR7Y6OY.mjs";import"./shared-C6J5ZYGC.mjs";import"./shared-ONGXAF57.mjs";import{o as t}from"./shared-C4VXY7HD.mjs";var s=t({"wishbone-alerts":r});export{s as install};
