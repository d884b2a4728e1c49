/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as o}from"./shared-J6PMUEF5.mjs";import"./shared-RKCLZFUJ.mjs";import"./shared-SZ4FAN6J.mjs";import"./shared-3HB7LKAD.mjs";import{t as r}from"./shared-EVSJR3VR.mjs";var i=r({"wishbone-share":o});export{i as install};
