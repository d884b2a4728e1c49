/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-JIMJ5EN4.mjs";import"./shared-PICFSKHP.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-2H6K5ZDZ.mjs";import"./shared-HQRLSNJE.mjs";import"./shared-RAGUKH3G.mjs";import{o as t}from"./shared-N2NDJNVR.mjs";var i=t({"wishbone-heart":r});export{i as install};
