/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
function o(i){}export{o as install};
