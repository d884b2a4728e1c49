/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
import{b as e}from"./shared-EVSJR3VR.mjs";function o(){let r=document.querySelector("link[rel~=canonical][href]")?.href||"";return(e(r)||location.href).replace(/#.*/,"")}export{o as a};
