/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-4CYGMRNE.mjs";import"./shared-NNNGU3GM.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-WEBDSECW.mjs";import"./shared-M4IWS5BY.mjs";import"./shared-NHDHGDXV.mjs";import{o as t}from"./shared-672XD2EL.mjs";var i=t({"wishbone-heart":r});export{i as install};
