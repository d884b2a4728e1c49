/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{g as o}from"./shared-CS6AZIAC.mjs";import"./shared-6IETJXBQ.mjs";import"./shared-LCSK62JG.mjs";import{o as t}from"./shared-7J35MBUX.mjs";var n=t({"wishbone-notify":o});export{n as install};
