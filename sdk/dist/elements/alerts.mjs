/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-RPOIWW25.mjs";import"./shared-GRINE5YM.mjs";import"./shared-KV3RDVLV.mjs";import"./shared-CZ6PINN4.mjs";import"./shared-RKCLZFUJ.mjs";import"./shared-3HB7LKAD.mjs";import{t}from"./shared-EVSJR3VR.mjs";var s=t({"wishbone-alerts":r});export{s as install};
