/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{d as o}from"./shared-KV3RDVLV.mjs";import"./shared-CZ6PINN4.mjs";import"./shared-3HB7LKAD.mjs";import{t}from"./shared-EVSJR3VR.mjs";var n=t({"wishbone-notify":o});export{n as install};
