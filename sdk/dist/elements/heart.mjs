/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{a as r}from"./shared-JYPUSK7I.mjs";import"./shared-37AZLQUJ.mjs";import"./shared-7TD5JVQ6.mjs";import"./shared-J2GL2MAP.mjs";import"./shared-PSR7Y6OY.mjs";import"./shared-XJCVG4LN.mjs";import{o as t}from"./shared-C4VXY7HD.mjs";var i=t({"wishbone-heart":r});export{i as install};
