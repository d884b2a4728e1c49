/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-TTR4XZXU.mjs";import"./shared-7QTAQJUR.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-GRINE5YM.mjs";import"./shared-CZ6PINN4.mjs";import"./shared-SZ4FAN6J.mjs";import{t}from"./shared-EVSJR3VR.mjs";var i=t({"wishbone-heart":r});export{i as install};
