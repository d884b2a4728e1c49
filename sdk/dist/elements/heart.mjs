/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-NA5JY62I.mjs";import"./shared-BKNV5XAP.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-B7ONDVFR.mjs";import"./shared-6IETJXBQ.mjs";import"./shared-VQKJ5BIU.mjs";import{o as t}from"./shared-7J35MBUX.mjs";var i=t({"wishbone-heart":r});export{i as install};
