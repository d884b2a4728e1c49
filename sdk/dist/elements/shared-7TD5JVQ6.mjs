/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
function a(t,o,s){let e,l={...s,respondWith:r=>e=[r]},u=new CustomEvent(o,{bubbles:!0,composed:!0,cancelable:!0,detail:l}),n=t.dispatchEvent(u);return e?{answer:e,isAllowed:n}:{isAllowed:n}}export{a};
