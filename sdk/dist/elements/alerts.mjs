/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-XATSQX7Y.mjs";import"./shared-B7ONDVFR.mjs";import"./shared-CS6AZIAC.mjs";import"./shared-6IETJXBQ.mjs";import"./shared-FUGRL4GI.mjs";import"./shared-LCSK62JG.mjs";import{o as t}from"./shared-7J35MBUX.mjs";var s=t({"wishbone-alerts":r});export{s as install};
