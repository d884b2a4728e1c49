/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
var Bt=/[^\w.~:/?#[\]@!$*+,;=%&-]|&(?=#|\w+;|quot\b)/gi;function Le(s,n){try{let e=new URL(String(s),n);return s&&/^https?:$/.test(e.protocol)?e:void 0}catch{return}}function g(s){let n=Le(s,globalThis.document?.baseURI);return n?n.href.replace(Bt,escape):""}var Gt="http://www.w3.org/2000/svg",Be=["value","checked"],Kt=["href","src","action","formaction"],ne=new WeakMap;function a(s,n,...e){return{tag:s,props:n||{},children:e}}function f(s){return a("bdi",null,s)}function N(s,n){let e=new Map;for(let r of s.childNodes){let o=ne.get(r);if(o===void 0)continue;let l=e.get(Ce(o));l?l.push(r):e.set(Ce(o),[r])}let t=Ge(n).map(r=>{let o=e.get(Ce(r))?.shift()||Ut(r);return Jt(o,r),o});e.forEach(r=>r.forEach(o=>o.remove()));let i=s.firstChild;for(let r of t)r===i?i=i.nextSibling:s.insertBefore(r,i)}function Ge(s){return s.flatMap(n=>Array.isArray(n)?Ge(n):typeof n=="object"&&n?[n]:n||n===0?[String(n)]:[])}function Ce(s){return typeof s=="string"?"":`${s.tag} ${s.props.key??""}`}function Ut(s){if(typeof s=="string")return document.createTextNode("");let{tag:n,props:e}=s,t=/^(svg|path)$/.test(n)?document.createElementNS(Gt,n):document.createElement(n);return e.ref&&e.ref(t),t}function Jt(s,n){let e=ne.get(s);if(ne.set(s,n),typeof n=="string"){e!==n&&(s.data=n);return}let t=typeof e=="object"?e.props:{};for(let i of new Set([...Object.keys(t),...Object.keys(n.props)]))t[i]!==n.props[i]&&Yt(s,i,n.props[i],i in t);N(s,n.children);for(let i of Be)i in n.props&&t[i]!==n.props[i]&&(s[i]=n.props[i])}function Yt(s,n,e,t){n==="key"||n==="ref"||Be.includes(n)||(n.startsWith("on")?t||s.addEventListener(n.slice(2),i=>Xt(s,n,i)):e===!1||e===null||e===void 0?s.removeAttribute(n):s.setAttribute(n,e===!0?"":Kt.includes(n)?g(e):String(e)))}function Xt(s,n,e){let t=ne.get(s).props[n];typeof t=="function"&&p(()=>t(e))}function p(s){(async()=>s())().catch(n=>console.error(n))}var se=class extends Error{constructor(e,t,i={}){super(t);this.code=e;this.name="WishboneError";this.httpStatus=0;this.requestId="";this.retryable=!1;this.retryAfter=0;Object.assign(this,i)}};var Se=new Map;async function A(s){try{let n=sessionStorage.getItem(Ue(s));if(n)return JSON.parse(n)}catch{}return Je(s)}function Ue({settings:{base:s,store:n}}){return`wishbone.features ${s} ${n}`}function Je(s){let n=Se.get(s);if(n)return n;let e=s.features().then(t=>Zt(s,t)).finally(()=>Se.delete(s));return Se.set(s,e),e}function Zt(s,n){try{sessionStorage.setItem(Ue(s),JSON.stringify(n))}catch{}return n}async function $(s,n){if((await A(s)).includes(n)||(await Je(s)).includes(n))return;let e=`wishbone store set '${s.settings.store}' --enable ${n}`;throw new se("feature-not-enabled",`The store does not have ${n}. Switch it on: ${e}`)}var Ke=new Set;function x(s,n,e){let{code:t,message:i}=e;if(t==="identity-changed"||t==="network"&&!navigator.onLine)return;let r=`wishbone store set '${s.settings.store}' --allow-origin ${location.origin}`,o=t==="network"?` If the store does not allow this page's origin: ${r}`:"",l=`<${n.localName}>: ${i}${o}`;Ke.has(l)||(Ke.add(l),console.error(l))}var P={clients:[],currency:""};var Ye=":host{--_surface: var(--wishbone-surface, #fff);--_ink: var(--wishbone-ink, #1d2125);--_accent: var(--wishbone-accent, #1d2125);--_on-accent: var(--wishbone-on-accent, #fff);--_heart: var(--wishbone-heart, var(--_accent));--_danger: var(--wishbone-danger, #b3261e);--_plate: var(--wishbone-plate, #f1f0ed);--_muted: var(--wishbone-muted, color-mix(in srgb, currentcolor 72%, transparent));--_line: var(--wishbone-line, color-mix(in srgb, currentcolor 16%, transparent));--_edge: var(--wishbone-edge, color-mix(in srgb, currentcolor 58%, transparent));--_radius: var(--wishbone-radius, 10px);--_gap: var(--wishbone-gap, 20px);display:block;box-sizing:border-box;color:var(--wishbone-text, inherit);font-family:var(--wishbone-font, inherit);line-height:1.45;text-align:start}@supports (color: light-dark(#000,#fff)){:host{--_surface: var(--wishbone-surface, light-dark(#fff, #1e2226));--_ink: var(--wishbone-ink, light-dark(#1d2125, #eceef0));--_accent: var(--wishbone-accent, light-dark(#1d2125, #eceef0));--_on-accent: var(--wishbone-on-accent, light-dark(#fff, #16191c));--_danger: var(--wishbone-danger, light-dark(#b3261e, #ff9d94));--_plate: var(--wishbone-plate, light-dark(#f1f0ed, #292e33))}}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box}h2,h3,p,ul,form,fieldset{margin:0;padding:0;border:0;min-inline-size:0}ul{list-style:none}h2{font-size:1.25em;line-height:1.3;font-weight:650;text-wrap:balance}h3{font-size:1em;font-weight:650}a{color:inherit}.muted{color:var(--_muted)}.hidden{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.glyph{inline-size:1.25em;block-size:1.25em;flex:none;fill:none;stroke:currentcolor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}:host(:dir(rtl)) .forward{transform:scaleX(-1)}.back .forward{transform:scaleX(-1)}:host(:dir(rtl)) .back .forward{transform:none}:focus-visible{outline:2px solid var(--wishbone-focus, currentcolor);outline-offset:2px}@media(prefers-reduced-motion:reduce){*,:before,::backdrop{animation:none!important;transition:none!important}}";var Xe="dialog{visibility:visible;inline-size:min(480px,calc(100vw - 32px));max-block-size:min(720px,calc(100dvh - 48px));margin:auto;padding:0;border:0;border-radius:calc(var(--_radius) + 6px);background:var(--_surface);color:var(--_ink);box-shadow:0 24px 64px #00000047;overflow:hidden;overscroll-behavior:contain}dialog[open]{display:flex;flex-direction:column;animation:appear .18s ease-out}dialog::backdrop{background:#0c0e107a;animation:fade .18s ease-out}.panel{display:flex;flex-direction:column;flex:1;min-block-size:0;min-inline-size:0;max-block-size:inherit}.panel>.top{display:flex;align-items:center;gap:8px;padding:10px 10px 10px 24px;padding-inline:24px 10px;border-block-end:1px solid var(--_line)}.panel>.top h2{flex:1;font-size:1.1em;overflow-wrap:anywhere}.panel>.content{flex:1;overflow:auto;padding:20px 24px 24px;padding-block-end:max(24px,env(safe-area-inset-bottom))}.row.end{justify-content:flex-end}@media(max-width:560px){dialog{inline-size:100vw;max-inline-size:none;margin-block-end:0;border-end-start-radius:0;border-end-end-radius:0}dialog[open]{animation-name:from-below}}@keyframes appear{0%{opacity:0;scale:.97}}@keyframes from-below{0%{translate:0 40px;opacity:0}}@keyframes fade{0%{opacity:0}}dialog.drawer{inline-size:min(520px,100vw);max-inline-size:none;block-size:100dvh;max-block-size:none;margin:0;margin-inline-start:auto;border-radius:0}dialog.drawer[open]{animation-name:fade}#dialog-title:focus{outline:none}.place{display:contents}";var Ze="button,input,select,textarea{font:inherit;letter-spacing:inherit;color:inherit}button{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-block-size:44px;padding:8px 16px;border:1px solid var(--_edge);border-radius:var(--_radius);background:none;font-weight:550;line-height:1.2;cursor:pointer;touch-action:manipulation;-webkit-tap-highlight-color:transparent;transition:background-color .15s,border-color .15s,opacity .15s}button:hover{background:var(--_line)}button.primary{border-color:var(--_accent);background:var(--_accent);color:var(--_on-accent)}button.primary:hover{opacity:.88}button.quiet{border-color:transparent;padding-inline:10px}button.danger{color:var(--_danger)}button.icon{inline-size:44px;padding:0;border-color:transparent;border-radius:50%}button[aria-disabled=true]{opacity:.6;cursor:progress}label{display:block;font-size:.9em;font-weight:550}input,select,textarea{display:block;inline-size:100%;min-block-size:44px;margin-block-start:6px;padding:9px 12px;border:1px solid var(--_edge);border-radius:var(--_radius);background:var(--wishbone-field, transparent);font-size:max(16px,1em);font-weight:400}select option{background:var(--_surface);color:var(--_ink)}textarea{min-block-size:88px;resize:vertical}[aria-invalid=true]{border-color:var(--_danger)}.field-error{display:flex;white-space:pre-line;gap:6px;margin-block-start:6px;color:var(--_danger);font-weight:400}.stack{display:grid;gap:16px}.row{display:flex;flex-wrap:wrap;align-items:center;gap:10px}.inline{display:flex;flex-wrap:wrap;align-items:flex-end;gap:10px}.inline>label{flex:1 1 12em}.notice{display:flex;align-items:flex-start;gap:12px;padding:14px 16px;border:1px solid var(--_line);border-radius:var(--_radius)}.notice:focus{outline:none}.notice>.glyph{margin-block-start:.1em}.notice>div{display:grid;gap:4px;justify-items:start;overflow-wrap:anywhere}.notice button,.actions>.quiet:first-child{margin-inline-start:-10px}";var et=":host(wishbone-heart){--_size: var(--wishbone-heart-size, 44px);display:inline-flex;align-items:center;gap:4px;min-block-size:var(--_size);vertical-align:middle}.heart-button{min-block-size:var(--_size)}.heart-button .heart{inline-size:24px;block-size:24px;transition:fill .15s,color .15s,opacity .15s}.heart-button.icon{inline-size:var(--_size);border-color:var(--wishbone-heart-border, transparent);background:var(--wishbone-heart-background, none)}.heart-button.icon:hover{background:var(--wishbone-heart-background, var(--_line))}.heart-button:not([aria-pressed]) .heart{opacity:.5}[aria-pressed=true] .heart{color:var(--_heart);fill:currentcolor}.heart-button.pressed .heart{animation:pop .3s ease-out}@keyframes pop{40%{transform:scale(1.22)}}.both{display:grid}.both>span{grid-area:1 / 1}.both>.off{visibility:hidden}.social{min-inline-size:3ch;color:var(--_muted);font-size:.9em;font-variant-numeric:tabular-nums}.corner wishbone-heart{--wishbone-heart-size: 40px;--wishbone-heart-background: var(--_surface);color:var(--_ink)}";var tt=".collection{container-type:inline-size}.heading{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:12px var(--_gap);margin-block-end:var(--_gap)}.owner{margin-block:calc(var(--_gap) * -.7) var(--_gap);overflow-wrap:anywhere}.heading .name{flex:1 1 auto;overflow-wrap:anywhere}.vacant{visibility:hidden}.heading h2:focus{outline:none}.order{flex-wrap:nowrap}.order label{flex:1 1 50%;min-inline-size:0;font-weight:400}.order select,.switcher select{margin-block-start:2px;text-overflow:ellipsis}.switcher{flex:1 1 8em;max-inline-size:16em;font-weight:400}.result{flex-basis:100%;overflow-wrap:anywhere}.small{font-size:.9em}.strong{font-weight:600}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--wishbone-item-width, 190px)),1fr));gap:calc(var(--_gap) * 1.4) var(--_gap)}.item{position:relative;display:flex;flex-direction:column;gap:12px;min-inline-size:0}.picture{position:relative;display:grid;aspect-ratio:var(--wishbone-picture-ratio, 4 / 5);border-radius:var(--_radius);background:var(--_plate)}.picture>.glyph,.picture>a{grid-area:1 / 1}.picture>a{display:grid;border-radius:inherit}.picture .glyph.picture{aspect-ratio:auto;background:none;place-self:center;inline-size:40px;block-size:40px;grid-area:1 / 1;stroke-width:1.2;opacity:.35}img{grid-area:1 / 1;inline-size:100%;block-size:100%;position:absolute;inset:0;object-fit:var(--wishbone-picture-fit, cover);border-radius:inherit}.corner{position:absolute;inset-block-start:8px;inset-inline-end:8px;display:flex;gap:6px}.corner button{inline-size:40px;min-block-size:40px;background:var(--_surface);color:var(--_ink);box-shadow:0 1px 4px #00000024}.corner button:hover{background:var(--_plate)}.texts{display:grid;align-content:start;gap:2px;flex:1;overflow-wrap:anywhere}.texts h3{font-weight:550;line-height:1.35}.texts a{text-decoration:none}.texts a:hover{text-decoration:underline;text-underline-offset:3px}.price{font-variant-numeric:tabular-nums}.stock{color:var(--_muted)}.note{margin-block-start:6px;padding-inline-start:10px;border-inline-start:2px solid var(--_line);color:var(--_muted);font-size:.9em;white-space:pre-line}.note summary{list-style:none;cursor:pointer}.note summary::-webkit-details-marker{display:none}.note:not([open]) summary bdi{display:-webkit-box;overflow:hidden;-webkit-box-orient:vertical;-webkit-line-clamp:4}.actions{display:flex;flex-wrap:wrap;align-items:center;gap:8px}.grid .actions .cart{flex:1 1 auto}.quantity{display:inline-flex;align-items:center;border:1px solid var(--_edge);border-radius:var(--_radius)}.quantity button{inline-size:40px;min-block-size:42px}.quantity input{inline-size:3.2em;min-block-size:42px;margin:0;padding:0;border:0;background:none;text-align:center;font-variant-numeric:tabular-nums;appearance:textfield}.quantity input::-webkit-inner-spin-button{appearance:none}@container (max-width: 460px){.grid{grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--_gap) 12px}.order{flex:1 1 100%}}.more{display:flex;margin:calc(var(--_gap) * 1.5) auto 0}.message{display:grid;justify-items:center;gap:6px;padding:40px 16px;text-align:center;text-wrap:balance}.message>.glyph{inline-size:36px;block-size:36px;margin-block-end:6px;stroke-width:1.3;opacity:.6}.message>button{margin-block-start:12px}.bar{border-radius:6px;background:var(--_plate);animation:breathe 1.6s ease-in-out infinite alternate}.bar.long,.bar.short{block-size:.9em;margin-block:4px;inline-size:80%}.bar.short{inline-size:40%}@keyframes breathe{to{opacity:.5}}.rows{display:grid}.rows .item{display:grid;grid-template-columns:88px minmax(0,1fr);gap:6px 16px;padding-block:16px;border-block-start:1px solid var(--_line)}.rows .picture{grid-row:1 / 3;align-self:start}.rows .picture .glyph.picture{inline-size:28px;block-size:28px}@container (min-width: 720px){.rows .item{grid-template-columns:88px minmax(0,1fr) auto;align-items:center}.rows .picture{grid-row:auto}}.notify{display:grid;gap:10px}.notify .inline{align-items:flex-start}.notify .inline>button{margin-block-start:calc(1.305em + 6px)}";var it=":host(wishbone-lists),:host(wishbone-share){display:inline-block;vertical-align:middle}:host(wishbone-lists) wishbone-list{display:block}.open{gap:0;min-inline-size:44px;padding:0;border-color:transparent;border-radius:22px}.open .heart{inline-size:24px;block-size:24px}.badge{align-self:start;margin-inline-start:-8px;min-inline-size:20px;padding:2px 5px;border-radius:10px;background:var(--_accent);color:var(--_on-accent);font-size:12px;line-height:16px;font-variant-numeric:tabular-nums}.badge:empty{display:none}.lists>li{border-block-end:1px solid var(--_line)}.line{display:flex;flex-wrap:wrap;align-items:center}.line .options{stroke-width:3}.tools{display:flex;flex-wrap:wrap;flex:1 1 100%;padding-block-end:10px;padding-inline-start:62px}.line .show{flex:1;display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-content:center;gap:2px 14px;min-block-size:68px;padding-inline:8px;border:0;text-align:start;overflow-wrap:anywhere}.thumbnail{grid-row:1 / 3;position:relative;display:grid;place-items:center;inline-size:52px;aspect-ratio:1;border-radius:calc(var(--_radius) * .7);background:var(--_plate)}.thumbnail>.glyph{opacity:.35}.show>.strong{align-self:end}.show>.muted{grid-area:2 / 2;font-weight:400}.show>.forward{grid-area:1 / 3 / 3 / 3;align-self:center;opacity:.6}.rename,.confirm{padding-block:14px;padding-inline:8px}.confirm{display:grid;gap:10px;overflow-wrap:anywhere}.ruled>h3{flex:1 1 100%}.ruled{margin-block-start:8px;padding-block-start:20px}.stack.ruled{border-block-start:1px solid var(--_line)}a.button{display:inline-flex;align-items:center;min-block-size:44px;margin-block-start:12px;padding:8px 16px;border-radius:var(--_radius);background:var(--_accent);color:var(--_on-accent);font-weight:550;text-decoration:none}";var nt=":host(wishbone-toasts){position:fixed;inset-inline:0;inset-block-end:0;z-index:2147483647;display:grid;justify-items:center;gap:8px;padding:16px;padding-block-end:max(16px,env(safe-area-inset-bottom));pointer-events:none;font-size:16px;color:var(--_ink);font-weight:400}:host(wishbone-toasts[inside]){position:sticky}:host(wishbone-toasts) [role]{display:grid;justify-items:center;gap:8px;max-inline-size:100%}:host(wishbone-toasts) [role]:empty{display:contents}.toast{display:flex;align-items:center;gap:4px;max-inline-size:min(100%,34em);padding:4px;padding-inline-start:18px;border-radius:calc(var(--_radius) + 4px);background:var(--wishbone-toast, #24292e);color:var(--wishbone-on-toast, #fff);box-shadow:0 8px 28px #0000003d;outline:1px solid rgb(255 255 255 / 14%);outline-offset:-1px;pointer-events:auto;animation:rise .2s ease-out}.toast p{flex:1;padding-block:8px;padding-inline-end:8px;overflow-wrap:anywhere}.toast button{border-color:transparent;color:inherit}.toast button:hover{background:#ffffff24}.toast .toast-action{text-decoration:underline;text-underline-offset:3px;white-space:nowrap}@keyframes rise{0%{opacity:0;translate:0 12px}}";var st=[Ye,Ze,et,tt,it,Xe,nt].join(""),re;function oe(s){try{re||(re=new CSSStyleSheet,re.replaceSync(st)),s.adoptedStyleSheets=[re]}catch{let n=document.createElement("style");n.textContent=st,s.append(n)}}var ot=`close
cancel
save
undo
change
retry
more
loading
product
email
email.invalid
failed
queued
synced
error.load
error.network
error.busy
error.login
error.limit
error.gone
error.other
heart.add
heart.added
heart.product
heart.count
heart.saved
count
list.title
list.empty
list.hint
list.offline
list.offline.hint
sort
sort.newest
sort.price.asc
sort.price.desc
sort.title
filter
filter.all
filter.instock
filter.none
price.changed
stock.low
stock.out
cart.add
cart.all
cart.move
cart.added
cart.failed
cart.view
item.remove
item.removed
item.edit
item.note
item.variant
item.list
item.list.new
item.moved
quantity
quantity.less
quantity.more
saved.title
saved.hint
notify.backinstock
notify.comingsoon
notify.pricedrop
notify.lowstock
notify.submit
notify.confirm
notify.confirm.hint
notify.confirm.open
notify.again
notify.done
notify.done.hint
notify.stop
alerts.title
alerts.empty
alerts.hint
alerts.backinstock
alerts.comingsoon
alerts.pricedrop
alerts.lowstock
alerts.target
share
share.title
share.hint
share.create
share.link
share.copy
share.copied
share.other
share.revoke
share.revoked
share.mail
share.emails
share.from
share.from.hint
share.note
share.send
share.sent
share.login
login
login.merged
shared.title
shared.gone
shared.gone.hint
empty
shared.by
comments
lists.title
lists.empty
lists.name
lists.create
lists.pending
lists.options
lists.rename
lists.delete
lists.delete.confirm`,Ae={ja:`\u9589\u3058\u308B
\u30AD\u30E3\u30F3\u30BB\u30EB
\u4FDD\u5B58
\u5143\u306B\u623B\u3059
\u5909\u66F4
\u518D\u8A66\u884C
\u3082\u3063\u3068\u898B\u308B
\u8AAD\u307F\u8FBC\u307F\u4E2D\u2026
\u5546\u54C1
\u30E1\u30FC\u30EB\u30A2\u30C9\u30EC\u30B9
name@example.com \u306E\u3088\u3046\u306A\u30E1\u30FC\u30EB\u30A2\u30C9\u30EC\u30B9\u3092\u5165\u529B\u3057\u3066\u304F\u3060\u3055\u3044\u3002
\u5909\u66F4\u3092\u4FDD\u5B58\u3067\u304D\u307E\u305B\u3093\u3067\u3057\u305F\u3002
\u63A5\u7D9A\u304C\u3042\u308A\u307E\u305B\u3093\u3002\u5909\u66F4\u306F\u5F8C\u3067\u4FDD\u5B58\u3055\u308C\u307E\u3059\u3002
\u3059\u3079\u3066\u306E\u5909\u66F4\u3092\u4FDD\u5B58\u3057\u307E\u3057\u305F\u3002
\u8AAD\u307F\u8FBC\u3081\u307E\u305B\u3093\u3067\u3057\u305F
\u63A5\u7D9A\u3092\u78BA\u8A8D\u3057\u3066\u3001\u3082\u3046\u4E00\u5EA6\u304A\u8A66\u3057\u304F\u3060\u3055\u3044\u3002
\u30EA\u30AF\u30A8\u30B9\u30C8\u304C\u591A\u3059\u304E\u307E\u3059\u3002\u3057\u3070\u3089\u304F\u3057\u3066\u304B\u3089\u304A\u8A66\u3057\u304F\u3060\u3055\u3044\u3002
\u5148\u306B\u30ED\u30B0\u30A4\u30F3\u3057\u3066\u304F\u3060\u3055\u3044\u3002
\u3053\u308C\u4EE5\u4E0A\u8FFD\u52A0\u3067\u304D\u307E\u305B\u3093\u3002
\u3053\u306E\u30EA\u30B9\u30C8\u306F\u3082\u3046\u3042\u308A\u307E\u305B\u3093\u3002
\u554F\u984C\u304C\u767A\u751F\u3057\u307E\u3057\u305F\u3002\u3082\u3046\u4E00\u5EA6\u304A\u8A66\u3057\u304F\u3060\u3055\u3044\u3002
\u307B\u3057\u3044\u7269\u30EA\u30B9\u30C8\u306B\u8FFD\u52A0
\u307B\u3057\u3044\u7269\u30EA\u30B9\u30C8\u306B\u8FFD\u52A0\u6E08\u307F
\u307B\u3057\u3044\u7269\u30EA\u30B9\u30C8\u306B\u8FFD\u52A0: {product}
{count}\u4EBA\u304C\u4FDD\u5B58\u3057\u3066\u3044\u307E\u3059
{list}\u306B\u4FDD\u5B58\u3057\u307E\u3057\u305F
{count}\u70B9
\u307B\u3057\u3044\u7269\u30EA\u30B9\u30C8
\u307B\u3057\u3044\u7269\u30EA\u30B9\u30C8\u306F\u7A7A\u3067\u3059
\u5546\u54C1\u306E\u30CF\u30FC\u30C8\u3092\u30BF\u30C3\u30D7\u3059\u308B\u3068\u3001\u3053\u3053\u306B\u4FDD\u5B58\u3055\u308C\u307E\u3059\u3002
\u30AA\u30D5\u30E9\u30A4\u30F3\u3067\u3059
\u30AA\u30F3\u30E9\u30A4\u30F3\u306B\u623B\u308B\u3068\u30EA\u30B9\u30C8\u304C\u8868\u793A\u3055\u308C\u307E\u3059\u3002
\u4E26\u3079\u66FF\u3048
\u65B0\u3057\u3044\u9806
\u4FA1\u683C\u306E\u5B89\u3044\u9806
\u4FA1\u683C\u306E\u9AD8\u3044\u9806
\u540D\u524D\u9806
\u8868\u793A
\u3059\u3079\u3066\u306E\u5546\u54C1
\u5728\u5EAB\u3042\u308A
\u8A72\u5F53\u3059\u308B\u5546\u54C1\u306F\u3042\u308A\u307E\u305B\u3093
\u4FDD\u5B58\u6642 {before}\u3001\u73FE\u5728 {now}
\u6B8B\u308A\u308F\u305A\u304B
\u5728\u5EAB\u306A\u3057
\u30AB\u30FC\u30C8\u306B\u5165\u308C\u308B
\u3059\u3079\u3066\u30AB\u30FC\u30C8\u306B\u5165\u308C\u308B
\u30AB\u30FC\u30C8\u306B\u79FB\u52D5
\u30AB\u30FC\u30C8\u306B\u5165\u308C\u307E\u3057\u305F: {product}
\u30AB\u30FC\u30C8\u306B\u5165\u308C\u3089\u308C\u307E\u305B\u3093\u3067\u3057\u305F: {product}
\u30AB\u30FC\u30C8\u3092\u898B\u308B
\u524A\u9664
\u524A\u9664\u3057\u307E\u3057\u305F: {product}
\u7DE8\u96C6
\u30E1\u30E2
\u30D0\u30EA\u30A8\u30FC\u30B7\u30E7\u30F3
\u30EA\u30B9\u30C8
\u65B0\u3057\u3044\u30EA\u30B9\u30C8
{list}\u306B\u79FB\u52D5\u3057\u307E\u3057\u305F
\u6570\u91CF
\u6570\u91CF\u3092\u6E1B\u3089\u3059
\u6570\u91CF\u3092\u5897\u3084\u3059
\u3042\u3068\u3067\u8CB7\u3046
\u30AB\u30FC\u30C8\u3067\u300C\u3042\u3068\u3067\u8CB7\u3046\u300D\u306B\u3057\u305F\u5546\u54C1\u304C\u3053\u3053\u306B\u8868\u793A\u3055\u308C\u307E\u3059\u3002
\u518D\u5165\u8377\u3092\u30E1\u30FC\u30EB\u3067\u53D7\u3051\u53D6\u308B
\u8CA9\u58F2\u958B\u59CB\u3092\u30E1\u30FC\u30EB\u3067\u53D7\u3051\u53D6\u308B
\u5024\u4E0B\u3052\u3092\u30E1\u30FC\u30EB\u3067\u53D7\u3051\u53D6\u308B
\u58F2\u308A\u5207\u308C\u9593\u8FD1\u3092\u30E1\u30FC\u30EB\u3067\u53D7\u3051\u53D6\u308B
\u901A\u77E5\u3092\u53D7\u3051\u53D6\u308B
\u30E1\u30FC\u30EB\u3092\u3054\u78BA\u8A8D\u304F\u3060\u3055\u3044
{email} \u5B9B\u3066\u306E\u30E1\u30FC\u30EB\u306E\u30EA\u30F3\u30AF\u3092\u958B\u3044\u3066\u3001\u901A\u77E5\u3092\u78BA\u8A8D\u3057\u3066\u304F\u3060\u3055\u3044\u3002
\u30E1\u30FC\u30EB\u5185\u306E\u30EA\u30F3\u30AF\u3092\u958B\u3044\u3066\u901A\u77E5\u3092\u78BA\u8A8D\u3057\u3066\u304F\u3060\u3055\u3044\u3002
\u518D\u9001\u4FE1
\u30E1\u30FC\u30EB\u3067\u304A\u77E5\u3089\u305B\u3057\u307E\u3059
\u3053\u306E\u5546\u54C1\u306E\u901A\u77E5\u3092\u8A2D\u5B9A\u3057\u3066\u3044\u307E\u3059\u3002
\u901A\u77E5\u3092\u89E3\u9664
\u901A\u77E5\u306E\u4E00\u89A7
\u901A\u77E5\u306F\u3042\u308A\u307E\u305B\u3093
\u5728\u5EAB\u306E\u306A\u3044\u5546\u54C1\u306E\u30DA\u30FC\u30B8\u3067\u901A\u77E5\u3092\u7533\u3057\u8FBC\u3081\u307E\u3059\u3002
\u518D\u5165\u8377\u3057\u305F\u3068\u304D
\u8CA9\u58F2\u304C\u59CB\u307E\u3063\u305F\u3068\u304D
\u5024\u4E0B\u3052\u3055\u308C\u305F\u3068\u304D
\u58F2\u308A\u5207\u308C\u308B\u524D
{price} \u4EE5\u4E0B\u306B\u306A\u3063\u305F\u3068\u304D
\u5171\u6709
\u30EA\u30B9\u30C8\u3092\u5171\u6709
\u30EA\u30F3\u30AF\u3092\u77E5\u3063\u3066\u3044\u308B\u4EBA\u306F\u8AB0\u3067\u3082\u3053\u306E\u30EA\u30B9\u30C8\u3092\u898B\u3089\u308C\u307E\u3059\u3002
\u30EA\u30F3\u30AF\u3092\u4F5C\u6210
\u30EA\u30F3\u30AF
\u30EA\u30F3\u30AF\u3092\u30B3\u30D4\u30FC
\u30EA\u30F3\u30AF\u3092\u30B3\u30D4\u30FC\u3057\u307E\u3057\u305F
\u305D\u306E\u4ED6\u306E\u5171\u6709\u65B9\u6CD5
\u30EA\u30F3\u30AF\u3092\u7121\u52B9\u306B\u3059\u308B
\u30EA\u30F3\u30AF\u306F\u7121\u52B9\u306B\u306A\u308A\u307E\u3057\u305F
\u30E1\u30FC\u30EB\u3067\u9001\u308B
\u30E1\u30FC\u30EB\u30A2\u30C9\u30EC\u30B9\uFF08\u8907\u6570\u306F\u30AB\u30F3\u30DE\u533A\u5207\u308A\uFF09
\u304A\u540D\u524D
\u4EFB\u610F\u3002\u307B\u304B\u306E\u4EBA\u306B\u8868\u793A\u3055\u308C\u307E\u3059\u3002
\u30E1\u30C3\u30BB\u30FC\u30B8
\u9001\u4FE1
{email} \u306B\u9001\u4FE1\u3057\u307E\u3057\u305F
\u30EA\u30B9\u30C8\u3092\u5171\u6709\u3059\u308B\u306B\u306F\u30ED\u30B0\u30A4\u30F3\u3057\u3066\u304F\u3060\u3055\u3044
\u30ED\u30B0\u30A4\u30F3
\u3053\u308C\u307E\u3067\u306B\u4FDD\u5B58\u3057\u305F\u5546\u54C1\u306E\u79FB\u52D5\u5148: {list}
\u5171\u6709\u30EA\u30B9\u30C8
\u3053\u3053\u306B\u5171\u6709\u30EA\u30B9\u30C8\u306F\u3042\u308A\u307E\u305B\u3093
\u65B0\u3057\u3044\u30EA\u30F3\u30AF\u3092\u6301\u3061\u4E3B\u306B\u5C0B\u306D\u3066\u304F\u3060\u3055\u3044\u3002
\u3053\u306E\u30EA\u30B9\u30C8\u306F\u7A7A\u3067\u3059
{name}\u3055\u3093\u304C\u5171\u6709
\u30B3\u30E1\u30F3\u30C8
\u30DE\u30A4\u30EA\u30B9\u30C8
\u30EA\u30B9\u30C8\u306F\u307E\u3060\u3042\u308A\u307E\u305B\u3093
\u30EA\u30B9\u30C8\u540D
\u30EA\u30B9\u30C8\u3092\u4F5C\u6210
\u4FDD\u5B58\u4E2D\u2026
\u30AA\u30D7\u30B7\u30E7\u30F3
\u540D\u524D\u3092\u5909\u66F4
\u524A\u9664
{list}\u3092\u3059\u3079\u3066\u306E\u5546\u54C1\u3068\u3068\u3082\u306B\u524A\u9664\u3057\u307E\u3059\u304B\uFF1F`,en:`Close
Cancel
Save
Undo
Change
Try again
Load more
Loading\u2026
Product
E-mail address
Enter an e-mail address, such as name@example.com.
Your change was not saved.
No connection. Your changes will be saved later.
All changes are saved.
This could not be loaded
Check your connection and try again.
Too many requests. Try again in a moment.
Log in first.
There is no room for more.
This list no longer exists.
Something went wrong. Try again.
Add to wishlist
On your wishlist
Add to wishlist: {product}
{count} shopper saved this|{count} shoppers saved this
Saved to {list}
{count} item|{count} items
Wishlist
Your wishlist is empty
Tap the heart of a product to save it here.
You are offline
Your list appears when you are back online.
Sort by
Newest first
Price: low to high
Price: high to low
Name
Show
All products
In stock
No products match
Was {before}, now {now}
Only a few left
Sold out
Add to cart
Add all to cart
Move to cart
Added to cart: {product}
Not added to cart: {product}
View cart
Remove
Removed: {product}
Edit
Note
Variant
List
New list
Moved to {list}
Quantity
Decrease quantity
Increase quantity
Saved for later
Products that you set aside in the cart appear here.
Get an e-mail when this is back in stock
Get an e-mail when this is available
Get an e-mail when the price drops
Get an e-mail before this sells out
Notify me
Check your inbox
Open the link in the e-mail to {email} to confirm your alert.
Open the link in our e-mail to confirm your alert.
Send again
We will e-mail you
You have an alert for this product.
Remove alert
My alerts
You have no alerts
Ask to be told on the page of a product that is sold out.
When it is back in stock
When it is available
When the price drops
Before it sells out
When it costs {price} or less
Share
Share list
Anyone with the link can see this list.
Create link
Link
Copy link
Link copied
More ways to share
Turn off link
The link no longer works
Send by e-mail
E-mail addresses, separated by commas
Your name
Optional. Others see it.
Message
Send
Sent to {email}
Log in to share your list
Log in
The items that you saved before are now in: {list}
Shared list
There is no shared list here
Ask its owner for a new link.
This list is empty
Shared by {name}
Comments
My lists
You have no lists yet
Name of the list
Create list
Saving\u2026
Options
Rename
Delete
Delete {list} with all its items?`,nl:`Sluiten
Annuleren
Opslaan
Ongedaan maken
Wijzigen
Opnieuw proberen
Meer laden
Laden\u2026
Product
E-mailadres
Vul een e-mailadres in, bijvoorbeeld naam@example.com.
Je wijziging is niet opgeslagen.
Geen verbinding. Je wijzigingen worden later opgeslagen.
Alle wijzigingen zijn opgeslagen.
Dit kon niet worden geladen
Controleer je verbinding en probeer het opnieuw.
Te veel verzoeken. Probeer het zo meteen opnieuw.
Log eerst in.
Er is geen plaats meer.
Deze lijst bestaat niet meer.
Er ging iets mis. Probeer het opnieuw.
Op verlanglijst zetten
Op je verlanglijst
Op verlanglijst zetten: {product}
{count} persoon heeft dit bewaard|{count} personen hebben dit bewaard
Opgeslagen in {list}
{count} artikel|{count} artikelen
Verlanglijst
Je verlanglijst is leeg
Tik op het hart van een product om het hier te bewaren.
Je bent offline
Je lijst verschijnt zodra je weer online bent.
Sorteren op
Nieuwste eerst
Prijs: laag naar hoog
Prijs: hoog naar laag
Naam
Tonen
Alle producten
Op voorraad
Geen producten gevonden
Was {before}, nu {now}
Nog maar enkele
Uitverkocht
In winkelwagen
Alles in winkelwagen
Naar winkelwagen
In winkelwagen gelegd: {product}
Niet in winkelwagen gelegd: {product}
Naar de winkelwagen
Verwijderen
Verwijderd: {product}
Bewerken
Notitie
Variant
Lijst
Nieuwe lijst
Verplaatst naar {list}
Aantal
Aantal verlagen
Aantal verhogen
Bewaard voor later
Producten die je in de winkelwagen apart zet, verschijnen hier.
Ontvang een e-mail als dit weer op voorraad is
Ontvang een e-mail als dit verkrijgbaar is
Ontvang een e-mail als de prijs daalt
Ontvang een e-mail voordat dit uitverkocht is
Houd me op de hoogte
Kijk in je inbox
Open de link in de e-mail aan {email} om je melding te bevestigen.
Open de link in onze e-mail om je melding te bevestigen.
Opnieuw verzenden
We sturen je een e-mail
Je hebt een melding voor dit product.
Melding verwijderen
Mijn meldingen
Je hebt geen meldingen
Vraag een melding aan op de pagina van een uitverkocht product.
Als het weer op voorraad is
Als het beschikbaar is
Als de prijs daalt
Voordat het uitverkocht is
Als het {price} of minder kost
Delen
Lijst delen
Iedereen met de link kan deze lijst zien.
Link maken
Link
Link kopi\xEBren
Link gekopieerd
Op een andere manier delen
Link uitschakelen
De link werkt niet meer
Per e-mail versturen
E-mailadressen, gescheiden door komma\u2019s
Je naam
Optioneel. Anderen zien hem.
Bericht
Versturen
Verstuurd naar {email}
Log in om je lijst te delen
Inloggen
Wat je eerder had opgeslagen, staat nu in: {list}
Gedeelde lijst
Hier is geen gedeelde lijst
Vraag de eigenaar om een nieuwe link.
Deze lijst is leeg
Gedeeld door {name}
Reacties
Mijn lijsten
Je hebt nog geen lijsten
Naam van de lijst
Lijst maken
Opslaan\u2026
Opties
Naam wijzigen
Verwijderen
{list} met alle artikelen verwijderen?`,de:`Schlie\xDFen
Abbrechen
Speichern
R\xFCckg\xE4ngig
\xC4ndern
Erneut versuchen
Mehr laden
Wird geladen \u2026
Produkt
E-Mail-Adresse
Gib eine E-Mail-Adresse ein, zum Beispiel name@example.com.
Deine \xC4nderung wurde nicht gespeichert.
Keine Verbindung. Deine \xC4nderungen werden sp\xE4ter gespeichert.
Alle \xC4nderungen sind gespeichert.
Das konnte nicht geladen werden
Pr\xFCfe deine Verbindung und versuche es erneut.
Zu viele Anfragen. Versuche es gleich noch einmal.
Melde dich zuerst an.
Es ist kein Platz mehr frei.
Diese Liste gibt es nicht mehr.
Etwas ist schiefgegangen. Versuche es erneut.
Auf die Wunschliste
Auf deiner Wunschliste
Auf die Wunschliste: {product}
{count} Person hat das gespeichert|{count} Personen haben das gespeichert
Gespeichert in {list}
{count} Artikel|{count} Artikel
Wunschliste
Deine Wunschliste ist leer
Tippe bei einem Produkt auf das Herz, um es hier zu speichern.
Du bist offline
Deine Liste erscheint, sobald du wieder online bist.
Sortieren
Neueste zuerst
Preis aufsteigend
Preis absteigend
Name
Anzeigen
Alle Produkte
Verf\xFCgbar
Keine passenden Produkte
Vorher {before}, jetzt {now}
Nur noch wenige
Ausverkauft
In den Warenkorb
Alle in den Warenkorb
In den Warenkorb
In den Warenkorb gelegt: {product}
Nicht in den Warenkorb gelegt: {product}
Zum Warenkorb
Entfernen
Entfernt: {product}
Bearbeiten
Notiz
Variante
Liste
Neue Liste
Verschoben nach {list}
Menge
Menge verringern
Menge erh\xF6hen
F\xFCr sp\xE4ter gemerkt
Produkte, die du im Warenkorb zur\xFCcklegst, erscheinen hier.
E-Mail erhalten, wenn das Produkt wieder verf\xFCgbar ist
E-Mail erhalten, wenn das Produkt verf\xFCgbar ist
E-Mail erhalten, wenn der Preis sinkt
E-Mail erhalten, bevor das Produkt ausverkauft ist
Benachrichtigen
Sieh in dein Postfach
\xD6ffne den Link in der E-Mail an {email}, um die Benachrichtigung zu best\xE4tigen.
\xD6ffne den Link in unserer E-Mail, um die Benachrichtigung zu best\xE4tigen.
Erneut senden
Wir schreiben dir
Du wirst zu diesem Produkt benachrichtigt.
Benachrichtigung entfernen
Meine Benachrichtigungen
Du hast keine Benachrichtigungen
Lass dich auf der Seite eines ausverkauften Produkts benachrichtigen.
Wenn es wieder verf\xFCgbar ist
Sobald es erh\xE4ltlich ist
Wenn der Preis sinkt
Bevor es ausverkauft ist
Wenn es h\xF6chstens {price} kostet
Teilen
Liste teilen
Alle, die den Link haben, k\xF6nnen diese Liste sehen.
Link erstellen
Link
Link kopieren
Link kopiert
Anders teilen
Link deaktivieren
Der Link funktioniert nicht mehr
Per E-Mail senden
E-Mail-Adressen, durch Kommas getrennt
Dein Name
Optional. Andere sehen ihn.
Nachricht
Senden
Gesendet an {email}
Melde dich an, um deine Liste zu teilen
Anmelden
Was du vorher gespeichert hast, ist jetzt in: {list}
Geteilte Liste
Hier ist keine geteilte Liste
Bitte die Person, der sie geh\xF6rt, um einen neuen Link.
Diese Liste ist leer
Geteilt von {name}
Kommentare
Meine Listen
Du hast noch keine Listen
Name der Liste
Liste erstellen
Wird gespeichert \u2026
Optionen
Umbenennen
L\xF6schen
{list} mit allen Artikeln l\xF6schen?`,fr:`Fermer
Annuler
Enregistrer
Annuler
Modifier
R\xE9essayer
Afficher plus
Chargement\u2026
Produit
Adresse e-mail
Saisissez une adresse e-mail, par exemple nom@example.com.
Votre modification n\u2019a pas \xE9t\xE9 enregistr\xE9e.
Pas de connexion. Vos modifications seront enregistr\xE9es plus tard.
Toutes les modifications sont enregistr\xE9es.
Le chargement a \xE9chou\xE9
V\xE9rifiez votre connexion et r\xE9essayez.
Trop de requ\xEAtes. R\xE9essayez dans un instant.
Connectez-vous d\u2019abord.
Il n\u2019y a plus de place.
Cette liste n\u2019existe plus.
Une erreur est survenue. R\xE9essayez.
Ajouter \xE0 la liste d\u2019envies
Dans votre liste d\u2019envies
Ajouter \xE0 la liste d\u2019envies : {product}
{count} personne l\u2019a enregistr\xE9|{count} personnes l\u2019ont enregistr\xE9
Enregistr\xE9 dans {list}
{count} article|{count} articles
Liste d\u2019envies
Votre liste d\u2019envies est vide
Touchez le c\u0153ur d\u2019un produit pour l\u2019enregistrer ici.
Vous \xEAtes hors ligne
Votre liste s\u2019affichera d\xE8s que vous serez de nouveau en ligne.
Trier par
Plus r\xE9cents
Prix croissant
Prix d\xE9croissant
Nom
Afficher
Tous les produits
En stock
Aucun produit ne correspond
Avant {before}, maintenant {now}
Plus que quelques-uns
\xC9puis\xE9
Ajouter au panier
Tout ajouter au panier
Mettre au panier
Ajout\xE9 au panier : {product}
Non ajout\xE9 au panier : {product}
Voir le panier
Supprimer
Supprim\xE9 : {product}
Modifier
Note
Variante
Liste
Nouvelle liste
D\xE9plac\xE9 vers {list}
Quantit\xE9
Diminuer la quantit\xE9
Augmenter la quantit\xE9
Mis de c\xF4t\xE9
Les produits que vous mettez de c\xF4t\xE9 dans le panier apparaissent ici.
Recevoir un e-mail quand ce produit est de nouveau en stock
Recevoir un e-mail quand ce produit est disponible
Recevoir un e-mail quand le prix baisse
Recevoir un e-mail avant que ce produit ne soit \xE9puis\xE9
Me pr\xE9venir
Consultez votre bo\xEEte de r\xE9ception
Ouvrez le lien dans l\u2019e-mail envoy\xE9 \xE0 {email} pour confirmer votre alerte.
Ouvrez le lien de notre e-mail pour confirmer votre alerte.
Renvoyer
Nous vous \xE9crirons
Vous avez une alerte pour ce produit.
Supprimer l\u2019alerte
Mes alertes
Vous n\u2019avez pas d\u2019alerte
Demandez une alerte sur la page d\u2019un produit \xE9puis\xE9.
Quand il est de nouveau en stock
Quand il est disponible
Quand le prix baisse
Avant qu\u2019il soit \xE9puis\xE9
Quand il co\xFBte {price} ou moins
Partager
Partager la liste
Toute personne disposant du lien peut voir cette liste.
Cr\xE9er un lien
Lien
Copier le lien
Lien copi\xE9
Autres moyens de partage
D\xE9sactiver le lien
Le lien ne fonctionne plus
Envoyer par e-mail
Adresses e-mail, s\xE9par\xE9es par des virgules
Votre nom
Facultatif. Visible par les autres.
Message
Envoyer
Envoy\xE9 \xE0 {email}
Connectez-vous pour partager votre liste
Se connecter
Vos articles d\xE9j\xE0 enregistr\xE9s sont maintenant dans : {list}
Liste partag\xE9e
Il n\u2019y a pas de liste partag\xE9e ici
Demandez un nouveau lien \xE0 son propri\xE9taire.
Cette liste est vide
Partag\xE9e par {name}
Commentaires
Mes listes
Vous n\u2019avez pas encore de liste
Nom de la liste
Cr\xE9er une liste
Enregistrement\u2026
Options
Renommer
Supprimer
Supprimer {list} et tous ses articles ?`,es:`Cerrar
Cancelar
Guardar
Deshacer
Cambiar
Reintentar
Cargar m\xE1s
Cargando\u2026
Producto
Correo electr\xF3nico
Escribe una direcci\xF3n de correo, por ejemplo nombre@example.com.
Tu cambio no se ha guardado.
Sin conexi\xF3n. Tus cambios se guardar\xE1n m\xE1s tarde.
Todos los cambios se han guardado.
No se ha podido cargar
Comprueba tu conexi\xF3n e int\xE9ntalo de nuevo.
Demasiadas solicitudes. Int\xE9ntalo de nuevo en un momento.
Inicia sesi\xF3n primero.
No queda espacio.
Esta lista ya no existe.
Algo ha fallado. Int\xE9ntalo de nuevo.
A\xF1adir a la lista de deseos
En tu lista de deseos
A\xF1adir a la lista de deseos: {product}
{count} persona lo ha guardado|{count} personas lo han guardado
Guardado en {list}
{count} art\xEDculo|{count} art\xEDculos
Lista de deseos
Tu lista de deseos est\xE1 vac\xEDa
Toca el coraz\xF3n de un producto para guardarlo aqu\xED.
No tienes conexi\xF3n
Tu lista aparecer\xE1 cuando vuelvas a estar en l\xEDnea.
Ordenar por
M\xE1s recientes
Precio: de menor a mayor
Precio: de mayor a menor
Nombre
Mostrar
Todos los productos
Disponibles
Ning\xFAn producto coincide
Antes {before}, ahora {now}
Quedan pocos
Agotado
A\xF1adir al carrito
A\xF1adir todo al carrito
Mover al carrito
A\xF1adido al carrito: {product}
No a\xF1adido al carrito: {product}
Ver el carrito
Eliminar
Eliminado: {product}
Editar
Nota
Variante
Lista
Nueva lista
Movido a {list}
Cantidad
Reducir la cantidad
Aumentar la cantidad
Guardado para m\xE1s tarde
Los productos que apartes en el carrito aparecer\xE1n aqu\xED.
Recibe un correo cuando vuelva a estar disponible
Recibe un correo cuando est\xE9 disponible
Recibe un correo cuando baje el precio
Recibe un correo antes de que se agote
Avisarme
Revisa tu correo
Abre el enlace del correo enviado a {email} para confirmar el aviso.
Abre el enlace de nuestro correo para confirmar el aviso.
Enviar de nuevo
Te escribiremos
Tienes un aviso para este producto.
Eliminar el aviso
Mis avisos
No tienes avisos
Pide un aviso en la p\xE1gina de un producto agotado.
Cuando vuelva a estar disponible
Cuando est\xE9 disponible
Cuando baje el precio
Antes de que se agote
Cuando cueste {price} o menos
Compartir
Compartir la lista
Cualquiera que tenga el enlace puede ver esta lista.
Crear enlace
Enlace
Copiar enlace
Enlace copiado
Otras formas de compartir
Desactivar el enlace
El enlace ya no funciona
Enviar por correo
Correos electr\xF3nicos, separados por comas
Tu nombre
Opcional. Los dem\xE1s lo ven.
Mensaje
Enviar
Enviado a {email}
Inicia sesi\xF3n para compartir tu lista
Iniciar sesi\xF3n
Lo que guardaste antes est\xE1 ahora en: {list}
Lista compartida
Aqu\xED no hay ninguna lista compartida
Pide un enlace nuevo a quien la cre\xF3.
Esta lista est\xE1 vac\xEDa
Compartida por {name}
Comentarios
Mis listas
A\xFAn no tienes listas
Nombre de la lista
Crear lista
Guardando\u2026
Opciones
Cambiar el nombre
Eliminar
\xBFEliminar {list} con todos sus art\xEDculos?`,pt:`Fechar
Cancelar
Salvar
Desfazer
Alterar
Tentar de novo
Carregar mais
Carregando\u2026
Produto
E-mail
Digite um e-mail, por exemplo nome@example.com.
Sua altera\xE7\xE3o n\xE3o foi salva.
Sem conex\xE3o. Suas altera\xE7\xF5es ser\xE3o salvas mais tarde.
Todas as altera\xE7\xF5es foram salvas.
N\xE3o foi poss\xEDvel carregar
Verifique sua conex\xE3o e tente de novo.
Muitas solicita\xE7\xF5es. Tente de novo em instantes.
Entre na sua conta primeiro.
N\xE3o h\xE1 mais espa\xE7o.
Esta lista n\xE3o existe mais.
Algo deu errado. Tente de novo.
Adicionar \xE0 lista de desejos
Na sua lista de desejos
Adicionar \xE0 lista de desejos: {product}
{count} pessoa salvou este produto|{count} pessoas salvaram este produto
Salvo em {list}
{count} item|{count} itens
Lista de desejos
Sua lista de desejos est\xE1 vazia
Toque no cora\xE7\xE3o de um produto para salv\xE1-lo aqui.
Voc\xEA est\xE1 offline
Sua lista aparecer\xE1 quando voc\xEA voltar a ficar online.
Ordenar por
Mais recentes
Pre\xE7o: menor para maior
Pre\xE7o: maior para menor
Nome
Mostrar
Todos os produtos
Em estoque
Nenhum produto corresponde
Antes {before}, agora {now}
Restam poucos
Esgotado
Adicionar ao carrinho
Adicionar tudo ao carrinho
Mover para o carrinho
Adicionado ao carrinho: {product}
N\xE3o adicionado ao carrinho: {product}
Ver carrinho
Remover
Removido: {product}
Editar
Nota
Variante
Lista
Nova lista
Movido para {list}
Quantidade
Diminuir a quantidade
Aumentar a quantidade
Salvos para depois
Os produtos que voc\xEA separar no carrinho aparecem aqui.
Receba um e-mail quando este produto voltar ao estoque
Receba um e-mail quando este produto estiver dispon\xEDvel
Receba um e-mail quando o pre\xE7o baixar
Receba um e-mail antes que este produto se esgote
Avise-me
Verifique seu e-mail
Abra o link no e-mail enviado para {email} para confirmar o aviso.
Abra o link no nosso e-mail para confirmar o alerta.
Enviar novamente
Vamos avisar voc\xEA
Voc\xEA tem um aviso para este produto.
Remover aviso
Meus alertas
Voc\xEA n\xE3o tem alertas
Pe\xE7a um alerta na p\xE1gina de um produto esgotado.
Quando voltar ao estoque
Quando estiver dispon\xEDvel
Quando o pre\xE7o cair
Antes que se esgote
Quando custar {price} ou menos
Compartilhar
Compartilhar lista
Qualquer pessoa com o link pode ver esta lista.
Criar link
Link
Copiar link
Link copiado
Outras formas de compartilhar
Desativar link
O link n\xE3o funciona mais
Enviar por e-mail
E-mails, separados por v\xEDrgulas
Seu nome
Opcional. Outras pessoas o veem.
Mensagem
Enviar
Enviado para {email}
Entre na sua conta para compartilhar sua lista
Entrar
O que voc\xEA salvou antes est\xE1 agora em: {list}
Lista compartilhada
N\xE3o h\xE1 lista compartilhada aqui
Pe\xE7a um novo link a quem a criou.
Esta lista est\xE1 vazia
Compartilhada por {name}
Coment\xE1rios
Minhas listas
Voc\xEA ainda n\xE3o tem listas
Nome da lista
Criar lista
Salvando\u2026
Op\xE7\xF5es
Renomear
Excluir
Excluir {list} com todos os itens?`,it:`Chiudi
Annulla
Salva
Annulla
Cambia
Riprova
Mostra altri
Caricamento\u2026
Prodotto
Indirizzo e-mail
Inserisci un indirizzo e-mail, per esempio nome@example.com.
La modifica non \xE8 stata salvata.
Nessuna connessione. Le modifiche verranno salvate pi\xF9 tardi.
Tutte le modifiche sono salvate.
Non \xE8 stato possibile caricare
Controlla la connessione e riprova.
Troppe richieste. Riprova tra un momento.
Prima accedi.
Non c\u2019\xE8 pi\xF9 spazio.
Questa lista non esiste pi\xF9.
Qualcosa \xE8 andato storto. Riprova.
Aggiungi alla lista dei desideri
Nella tua lista dei desideri
Aggiungi alla lista dei desideri: {product}
{count} persona lo ha salvato|{count} persone lo hanno salvato
Salvato in {list}
{count} articolo|{count} articoli
Lista dei desideri
La tua lista dei desideri \xE8 vuota
Tocca il cuore di un prodotto per salvarlo qui.
Sei offline
La lista apparir\xE0 quando tornerai online.
Ordina per
Pi\xF9 recenti
Prezzo crescente
Prezzo decrescente
Nome
Mostra
Tutti i prodotti
Disponibili
Nessun prodotto corrisponde
Prima {before}, ora {now}
Ne restano pochi
Esaurito
Aggiungi al carrello
Aggiungi tutto al carrello
Sposta nel carrello
Aggiunto al carrello: {product}
Non aggiunto al carrello: {product}
Vai al carrello
Rimuovi
Rimosso: {product}
Modifica
Nota
Variante
Lista
Nuova lista
Spostato in {list}
Quantit\xE0
Riduci la quantit\xE0
Aumenta la quantit\xE0
Salvati per dopo
I prodotti che metti da parte nel carrello appaiono qui.
Ricevi un\u2019e-mail quando torna disponibile
Ricevi un\u2019e-mail quando \xE8 disponibile
Ricevi un\u2019e-mail quando il prezzo scende
Ricevi un\u2019e-mail prima che si esaurisca
Avvisami
Controlla la posta
Apri il link nell\u2019e-mail inviata a {email} per confermare l\u2019avviso.
Apri il link nella nostra e-mail per confermare l\u2019avviso.
Invia di nuovo
Ti scriveremo
Hai un avviso per questo prodotto.
Rimuovi l\u2019avviso
I miei avvisi
Non hai avvisi
Chiedi un avviso nella pagina di un prodotto esaurito.
Quando torna disponibile
Quando sar\xE0 disponibile
Quando il prezzo scende
Prima che si esaurisca
Quando costa {price} o meno
Condividi
Condividi la lista
Chiunque abbia il link pu\xF2 vedere questa lista.
Crea un link
Link
Copia il link
Link copiato
Altri modi per condividere
Disattiva il link
Il link non funziona pi\xF9
Invia per e-mail
Indirizzi e-mail, separati da virgole
Il tuo nome
Facoltativo. Gli altri lo vedono.
Messaggio
Invia
Inviato a {email}
Accedi per condividere la tua lista
Accedi
Gli articoli salvati prima sono ora in: {list}
Lista condivisa
Qui non c\u2019\xE8 nessuna lista condivisa
Chiedi un nuovo link a chi l\u2019ha creata.
Questa lista \xE8 vuota
Condivisa da {name}
Commenti
Le mie liste
Non hai ancora liste
Nome della lista
Crea lista
Salvataggio\u2026
Opzioni
Rinomina
Elimina
Eliminare {list} con tutti i suoi articoli?`};var ai=ot.split(`
`),at=s=>{let n=s.split(`
`);return Object.fromEntries(ai.map((e,t)=>[e,n[t]||""]))},V=new Map(Object.entries(Ae).map(([s,n])=>[s,at(n)])),li=at(Ae.en||"");function Te(s,n){let e=lt(s).toLowerCase();V.set(e,{...V.get(e),...n})}function I(s){for(let n=s;n;n=Pe(n)){let{lang:e}=n;if(e)return lt(e)}return navigator.languages.find(n=>dt(n))||"en"}function lt(s){return s.replace(/_/g,"-")}function Pe(s){let n=s.parentNode;return s.assignedSlot||(n instanceof ShadowRoot?n.host:s.parentElement)}function W(s,n,e={}){let i=V.get(s.toLowerCase())?.[n]||dt(s)?.[n]||li[n]||"",[r="",o=r]=i.split("|");return("count"in e&&ui(s,Number(e.count))!=="one"?o:r).replace(/\{(\w+)\}/g,(d,c)=>c in e?ci(String(e[c])):d)}var di=/[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;function ci(s){return di.test(s)?`\u2068${s}\u2069`:s}function dt(s){let n=s.toLowerCase();return V.get(n)||V.get(n.split("-")[0]||"")}function ui(s,n){return Me(()=>new Intl.PluralRules(s).select(n),n===1?"one":"other")}function ct(s,n,e){let i=e?{style:"currency",currency:e}:{minimumFractionDigits:2,maximumFractionDigits:2};return Me(()=>new Intl.NumberFormat(s,i).format(n),String(n))}function ut(s,n){return Me(()=>new Intl.NumberFormat(s,{notation:"compact"}).format(n),String(n))}function Me(s,n){try{return s()}catch{return n}}var pi="button, input, select, textarea, summary, [role=button], a[class*=button i], a[class*=btn i]";function pt(s,n){return[...s.querySelectorAll("*")].flatMap(e=>{if(e===n)return[];let t=e.shadowRoot?pt(e.shadowRoot,n):[];return e.matches(pi)?[e.getBoundingClientRect(),...t]:t})}function ht(s,n){let{left:e,right:t,top:i,bottom:r}=s,o=pt(document,n).filter(c=>c.width>1&&c.right>e&&c.left<t),l=[0,...o.map(c=>r-c.top+8)].filter(c=>c>=0&&c<i),d=c=>o.every(u=>u.bottom<=i-c||u.top>=r-c);return l.sort((c,u)=>c-u).find(d)||0}var hi={heart:"M12 20.3 4.6 13a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.4.5.4-.5a4.9 4.9 0 0 1 7 0 4.9 4.9 0 0 1 0 7Z",close:"M6 6l12 12M18 6 6 18",edit:"M4 20h4L19 9a2.1 2.1 0 0 0-3-3L5 17ZM14 8l3 3",trash:"M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7",picture:"M4 5h16v14H4ZM4 16l4.5-4.5L12 15l3-3 5 5M15.5 9h.01",minus:"M6 12h12",plus:"M6 12h12M12 6v12",share:"M12 15V4M8 8l4-4 4 4M6 12v7h12v-7",mail:"M4 6h16v12H4ZM4 7l8 6 8-6",check:"M5 12.5l4.5 4.5L19 7.5",options:"M5 12h.01M12 12h.01M19 12h.01",list:"M8 7h12M8 12h12M8 17h12M4 7h.01M4 12h.01M4 17h.01",forward:"M9 6l6 6-6 6",offline:"M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-5-2.7M12 19h.01",warning:"M12 4 3 19h18ZM12 10v4M12 16.5h.01"};function m(s){return a("svg",{class:`glyph ${s}`,viewBox:"0 0 24 24","aria-hidden":"true"},a("path",{d:hi[s]}))}var mi=3,fi=8e3,mt=16,y,H=[],T=[],gi=0,ft,gt;function j(s,n={}){if(typeof document>"u")return()=>{};let e={...n,id:gi+=1,message:s};return T=[...T.filter(t=>t.message!==s),e].slice(-mi),qe(n.from),Ne(),ze(),()=>ae(e)}function le(){y||(y=document.createElement("wishbone-toasts")),y.isConnected||document.body?.append(y);for(let s of["scroll","resize"])addEventListener(s,bi,{passive:!0})}function bi(){clearTimeout(gt),T.length>0&&(gt=setTimeout(Ie,100))}function Ie(){if(!y)return;let s=T.length>0&&y.parentElement!==document.body;y.toggleAttribute("inside",s),y.style.translate="";let n=y instanceof R&&!s&&y.box();n&&(y.style.translate=`0 ${-ht(n,y)}px`)}function bt(s){H.push(s),qe()}function qe(s){le();let n=vi(s),e=n||document.body;!y||y.parentNode===e||(e.append(y),Ie(),n?.addEventListener("close",()=>qe(),{once:!0}))}function vi(s){try{H=H.filter(e=>e.matches(":modal"));let n=H[H.length-1];if(n)return n;for(let e=s;e;e=e.parentNode||e.host)if(e instanceof HTMLDialogElement&&e.matches(":modal"))return e;return document.querySelector("dialog:modal")}catch{return null}}function ze(){clearTimeout(ft),T.length>0&&(ft=setTimeout(yi,fi))}function yi(){if(y?.matches(":hover, :focus-within"))return ze();ae(T[0])}function Oe(){T=T.filter(({from:s})=>!s),Ne()}function ae(s){let n=y?.matches(":focus-within");T=T.filter(t=>t!==s),Ne(),ze();let e=n&&s?.from?.shadowRoot;e&&(e.querySelector("dialog")||e).querySelector("button, a[href], input, select")?.focus()}function Ne(){y instanceof R&&y.show(),Ie()}var wi=globalThis.HTMLElement||class{},R=class extends wi{constructor(){super();this.root=this.attachShadow({mode:"open"});oe(this.root),this.show()}box(){let e=[...this.root.querySelectorAll(".toast")].map(({offsetWidth:d})=>d);if(e.length===0)return;let{left:t,top:i,width:r,height:o}=this.getBoundingClientRect(),l=Math.max(...e);return new DOMRect(t+(r-l)/2,i+mt,l,o-2*mt)}show(){let e=t=>T.filter(i=>(i.kind||"status")===t).map(i=>ki(i));p(()=>N(this.root,[a("div",{key:"status",role:"status","aria-live":"polite"},e("status")),a("div",{key:"alert",role:"alert"},e("error"))]))}};function ki(s){let{id:n,message:e,kind:t,action:i,from:r}=s,o=I(r||document.documentElement),l=()=>(ae(s),i?.run());return a("div",{key:n,class:`toast ${t||"status"}`,part:"toast",lang:o},a("p",{dir:"auto"},e),i&&a("button",{key:"action",class:"toast-action",part:"toast-action",type:"button",onclick:l},i.label),a("button",{class:"icon",type:"button","aria-label":W(o,"close"),onclick:()=>ae(s)},m("close")))}var xi=globalThis.HTMLElement||class{},q=new Set,We=new Set;function yt(){We.forEach(s=>s.connectedCallback())}function Ei(s){for(let n=s;n;n=Pe(n)){let e=n instanceof E&&n.getAttribute("store");if(e)return P.clients.find(({settings:t})=>t.store===e)}return P.clients[0]}var E=class extends xi{constructor(){super();this.root=this.shadowRoot||this.attachShadow({mode:"open"});this.stops=[];this.E=!1;this.L=!1;this.p="";oe(this.root)}start(){}load(){}n(e){return!0}connectedCallback(){if(q.has(this))return this.root.querySelectorAll("dialog").forEach(Li);let e=Ei(this);We[e?"delete":"add"](this),e&&(this.client=e,q.add(this),this.update(),p(()=>this.start()))}disconnectedCallback(){queueMicrotask(()=>{if(!this.isConnected){q.delete(this),We.delete(this);for(let e of this.stops.splice(0))e()}})}attributeChangedCallback(e,t,i){var r;!q.has(this)||t===i||(this[r="L"]||(this[r]=this.n(e)),this.update())}update(){this.E||(this.E=!0,queueMicrotask(()=>{this.E=!1,q.has(this)&&(this.L&&p(()=>this.load()),this.L=!1,p(()=>N(this.root,this.view())),this.p&&this.root.querySelector(this.p)?.focus(),this.p="")}))}s(e){this.p=e,this.update()}e(e,t){this.stops.push(this.client.on("*",(i,r)=>e.test(r)&&p(()=>t(i,r))))}a(e,t,i){e.addEventListener(t,i),this.stops.push(()=>e.removeEventListener(t,i))}t(e,t){return W(I(this),e,t)}price(e){return ct(I(this),e,this.getAttribute("currency")||P.currency)}number(e){return ut(I(this),e)}toast(e,t={}){return j(e,{...t,from:this})}async act(e,t=()=>{}){return this.P(()=>e().catch(i=>{t(),this.failed(i)}))}async P(e){let t=()=>{},i=new Promise(r=>{t=this.client.on("queued",()=>{this.toast(this.t("queued")),A(this.client).catch(o=>x(this.client,this,o)),r(void 0)})});try{return await Promise.race([e(),i])}finally{t()}}failed(e){let{code:t}=e;t!=="identity-changed"&&(x(this.client,this,e),this.toast(`${this.t("failed")} ${this.reason(e)}`,{kind:"error"}))}reason(e){let{code:t="",httpStatus:i=0}=e,r=Object.keys(vt).find(o=>vt[o]?.test(`${t} ${i}`));return this.t(r||"error.other")}},vt={"error.network":/^(network|timeout) /,"error.busy":/ (429|503)$/,"error.login":/^(user-not-logged-in|bad-regid) /,"error.limit":/^(limit-reached|queue-full) /,"error.gone":/^(list-not-found|forbidden|not-granted) /};function Li(s){s.removeAttribute("open"),p(()=>s.showModal())}function b(s,n,...e){return a("div",{key:n,class:"message",part:"message"},m(s),a("p",{class:"strong",dir:"auto"},n),e)}function k(s){return a("p",{class:"muted",dir:"auto"},s)}function M(s,n){return a("button",{type:"button",part:"button",onclick:n},s.t("retry"))}function de(s,n){let e=i=>a("div",{class:`bar ${i}`}),t=i=>a("li",{key:i,class:"item"},a("div",{class:"picture bar"}),a("div",{class:"texts"},e("long"),e("short")));return[a("p",{key:"loading",class:"hidden",role:"status"},s.t("loading")),a("ul",{key:"skeleton",class:`items ${n} skeleton`,"aria-hidden":"true"},[1,2,3,4].map(t))]}function wt(s,n,e){return a("button",{key:"more",class:"more",part:"button more",type:"button","aria-disabled":n&&"true",onclick:e},s.t(n?"loading":"more"))}function ce(s,n,e,...t){return a("div",{class:"heading",part:"header"},a("div",{class:"name"},a("h2",{part:"title",tabindex:"-1"},f(n)),!!e&&a("p",{class:"muted small",part:"count"},f(s.t("count",{count:e})))),t)}function F(s,n=""){let e={name:"from",maxlength:100,autocomplete:"given-name",dir:"auto",value:n,"aria-describedby":"from-hint"};return[a("label",{key:"from"},s.t("share.from"),a("input",e)),a("p",{key:"from-hint",id:"from-hint",class:"muted small"},s.t("share.from.hint"))]}function L(s,n){return n.dt||s.t("product")}function ue(s,n,{key:e,corner:t,details:i,actions:r}){let o=L(s,n),l=g(n.du);return a("li",{key:e||n.epi,class:"item",part:"item","data-epi":n.epi},a("div",{class:"picture",part:"picture"},l?a("a",{href:l,tabindex:"-1","aria-hidden":"true"},kt(n)):kt(n),t),a("div",{class:"texts"},a("h3",{part:"item-title"},l?a("a",{href:l},f(o)):f(o)),n.vi&&a("p",{key:"variant",class:"muted small",part:"variant"},f(n.vi)),n.pr!==null&&n.pr!==void 0&&Ci(s,n.pr,n.spr),n.avl&&n.avl!=="in"&&a("p",{key:"stock",class:"stock small",part:"stock"},s.t(`stock.${n.avl}`)),i,n.note?.trim()&&Si(n.note)),a("div",{class:"actions",part:"actions"},r))}function Ci(s,n,e=n){let t=s.price(n),i=e===n?t:s.t("price.changed",{before:s.price(e),now:t});return a("p",{key:"price",class:`price ${e>n?"strong":""}`,part:"price"},f(i))}function Si(s){let n=s.length>160||s.split(`
`).length>4,e=f(s);return a(n?"details":"p",{key:"note",class:"note",part:"note"},n?a("summary",null,e):e)}function kt({iu:s,epi:n}){let e=g(s),t=i=>i.target.toggleAttribute("hidden",!0);return[m("picture"),e&&a("img",{key:`${n} ${e}`,src:e,alt:"",loading:"lazy",decoding:"async",onerror:t})]}var xt=1e6;function pe(s,n,e){let t=(o,l,d)=>a("button",{key:l,class:"icon",type:"button","aria-label":o,"aria-disabled":d<1&&"true",onclick:()=>i(d)},m(l)),i=o=>{let l=o>=1&&o<=xt;return l&&e(Math.round(o)),l},r=({currentTarget:o})=>{let l=o;i(Number(l.value))||(l.value=String(n))};return a("div",{class:"quantity",part:"quantity",role:"group","aria-label":s.t("quantity")},t(s.t("quantity.less"),"minus",n-1),a("input",{type:"number",inputmode:"numeric",min:1,max:xt,"aria-label":s.t("quantity"),value:String(n),onchange:r}),t(s.t("quantity.more"),"plus",n+1))}function he(){let s=document.querySelector("link[rel~=canonical][href]")?.href||"";return(g(s)||location.href).replace(/#.*/,"")}function me({label:s,problem:n,autocomplete:e="email",multiple:t}){return a("label",{key:"email"},s,a("input",{name:"email",type:"email",part:"input",required:!0,multiple:t,autocomplete:e,dir:"ltr","aria-invalid":n!==""&&"true","aria-describedby":n!==""&&"email-error"}),n&&a("span",{key:"error",id:"email-error",class:"field-error",part:"error"},m("warning"),n))}function Et(s){let n=s.elements.namedItem("email"),e=[...new Set(n.value.split(/[\s,;]+/).filter(Boolean))],t=Object.assign(document.createElement("input"),{type:"email"}),i=e.filter(r=>(t.value=r,!t.checkValidity()));return n.value=e.join(","),{emails:e,invalid:i}}function Lt(s){let n=s.elements.namedItem("email");return n.value.trim()!==""&&n.checkValidity()}var je=["backinstock","comingsoon","pricedrop","lowstock"],$e=1,Re=100,Q=class extends E{constructor(){super(...arguments);this.state="form";this.waits=!1;this.email="";this.problem=""}start(){this.e(/^log/,()=>this.load()),this.e(/^subscribed$/,({subscriptions:e})=>this.state==="form"&&!this.r&&this.follow(e)),this.e(/^unsubscribed$/,({subscriptions:e})=>e.some(this.C,this)&&this.show("form")),this.e(/^(queued|synced)$/,(e,t)=>this.wait(t==="queued")),this.e(/^error$/,()=>this.update()),this.wait(this.M),this.a(document,"visibilitychange",()=>this.state==="confirm"&&!document.hidden&&this.find()),p(()=>this.load())}n(e){return/^(epi|topic)$/.test(e)}get subject(){return je.find(e=>e===this.getAttribute("topic"))||"backinstock"}C({epi:e,topic:t}){return Number(e)===Number(this.getAttribute("epi"))&&t===this.subject}wait(e){this.waits=e,this.update()}get M(){return this.client.queued().filter(({name:t,args:i})=>/^subscriptions/.test(t)&&this.C(i)).pop()?.name==="subscriptions.add"}follow(e){let t=e.find(i=>this.C(i)&&i.status!==$e);t&&(this.waits=!1,/@/.test(t.mediumvalue)&&(this.email=t.mediumvalue),this.show(t.unconfirmed?"confirm":"subscribed"))}show(e){this.state=e,this.update()}async load(){this.r=void 0,this.show("form"),await $(this.client,"subscriptions").catch(t=>(x(this.client,this,t),t.code==="feature-not-enabled"))?this.show("off"):await this.find()}async find(){let{client:e,subject:t,state:i}=this;if(!e.shopper.current())return;let r=await e.subscriptions.fetch({topic:t,medium:"email",limit:Re}).catch(()=>{});!r||this.r||this.state!==i||this.subject!==t||(this.show("form"),this.follow(r.subscriptions))}async subscribe(e){if(e.preventDefault(),this.r)return;let t=e.currentTarget;if(this.email=String(new FormData(t).get("email")||"").trim(),!Lt(t))return this.u(this.t("email.invalid"));this.problem="";let i=this.r={};this.update();let r=()=>this.r===i;try{let o=await this.P(()=>this.client.subscriptions.add(this.I()));if(!r())return;o&&(this.state=o.some(({unconfirmed:l})=>l)?"confirm":"subscribed"),this.s(".notice")}catch(o){let l=o.code==="invalid-parameter";r()&&this.u(l?this.t("email.invalid"):this.reason(o))}finally{r()&&(this.r=void 0),this.update()}}I(){let e=this.getAttribute("targetprice");return{epi:this.getAttribute("epi")||"",empi:this.getAttribute("empi")||"",du:g(this.getAttribute("du"))||he(),topic:this.subject,medium:"email",mediumvalue:this.email,...e&&{targetprice:e}}}u(e){this.problem=e,this.s("input")}async D(){if(!this.email)return this.show("form"),this.s("input");await this.act(()=>this.client.subscriptions.add(this.I()))&&this.toast(this.t("share.sent",{email:this.email}))}async V(){let e={epi:this.getAttribute("epi")||"",topic:this.subject,medium:"email"};this.state="form",await this.act(()=>this.client.subscriptions.remove(e),()=>this.state="subscribed"),this.s("input")}view(){if(this.state==="off")return[];if(this.waits&&!this.r&&this.M)return[this.notice("offline","lists.pending",this.t("queued"))];if(this.state==="confirm"){let{email:e}=this,t=e?this.t("notify.confirm.hint",{email:e}):this.t("notify.confirm.open"),i=a("button",{key:"again",class:"quiet",part:"button",type:"button",onclick:()=>this.D()},this.t("notify.again"));return[this.notice("mail","notify.confirm",t,i)]}return this.state==="subscribed"?[this.notice("check","notify.done",this.t("notify.done.hint"))]:[a("form",{key:"form",class:"notify",part:"form","aria-labelledby":"title",novalidate:!0,onsubmit:e=>this.subscribe(e)},a("p",{id:"title",class:"strong",part:"title"},this.t(`notify.${this.subject}`)),a("div",{class:"inline"},me({label:this.t("email"),problem:this.problem}),a("button",{class:"primary",part:"button primary",type:"submit","aria-disabled":this.r&&"true"},this.t("notify.submit"))))]}notice(e,t,i,r){return a("div",{key:e,class:"notice",part:"notice",role:"status",tabindex:"-1"},m(e),a("div",null,a("p",{class:"strong"},this.t(t)),a("p",{class:"muted"},i),r,a("button",{key:"stop",class:"quiet",part:"button",type:"button",onclick:()=>this.V()},this.t("notify.stop"))))}};Q.observedAttributes=["epi","empi","topic","targetprice","lang"];var B=class extends E{constructor(){super(...arguments);this.alerts=[];this.state="loading";this.loads=0}start(){this.e(/^(un)?subscribed$/,()=>this.load()),this.e(/^log/,()=>this.reset()),this.a(document,"visibilitychange",()=>!document.hidden&&this.alerts.some(({unconfirmed:e})=>e)&&this.load()),this.a(window,"online",()=>this.state==="error"&&this.reset()),p(()=>this.load())}n(){return!1}reset(){this.alerts=[],this.state="loading",this.update(),p(()=>this.load())}async load(){let e=this.loads+=1;try{await $(this.client,"subscriptions");let t=await this.fetch();if(e!==this.loads)return;this.alerts=t,this.state="ready"}catch(t){if(e!==this.loads)return;x(this.client,this,t);let{code:i}=t;if(i==="identity-changed")return;this.problem=t,this.state=i==="feature-not-enabled"?"off":"error"}this.update()}async fetch(){let{client:e}=this;return e.shopper.current()?(await Promise.all(je.map(r=>e.subscriptions.fetch({topic:r,limit:Re})))).flatMap(({subscriptions:r})=>r.filter(({status:o})=>o!==$e)).sort((r,o)=>o.cts-r.cts):[]}async end(e){let{epi:t,topic:i}=e,r=this.alerts.indexOf(e);this.alerts=this.alerts.filter(l=>l!==e),this.s("[tabindex='-1']"),await this.act(()=>this.client.subscriptions.remove({epi:t,topic:i}),()=>{this.alerts.splice(r,0,e),this.update()})&&this.toast(this.t("item.removed",{product:L(this,e)}))}view(){let{state:e,alerts:t}=this;if(e==="off")return[];let i=this.t("alerts.title");return[a("section",{class:"collection",part:"section","aria-label":i,"aria-busy":String(e==="loading")},ce(this,i,void 0,a("slot",{name:"actions"})),e==="loading"&&de(this,"rows"),e==="error"&&b("warning",this.t("error.load"),k(this.reason(this.problem)),M(this,()=>this.reset())),e==="ready"&&t.length===0&&b("mail",this.t("alerts.empty"),k(this.t("alerts.hint")),a("slot",{name:"empty"})),e==="ready"&&t.length>0&&a("ul",{key:"alerts",class:"items rows",part:"items"},t.map(r=>this.row(r))))]}row(e){let t={...e,note:""},{topic:i,targetprice:r}=e,o=r?this.t("alerts.target",{price:this.price(r)}):this.t(`alerts.${i}`),l=`${this.t("notify.stop")}: ${L(this,t)}`,d=[a("p",{key:"topic",class:"small",part:"topic"},f(o)),e.unconfirmed&&a("p",{key:"unconfirmed",class:"muted small",part:"unconfirmed"},this.t("notify.confirm.open"))],c=a("button",{key:"remove",class:"quiet remove",part:"button",type:"button","aria-label":l,onclick:()=>this.end(e)},this.t("notify.stop"));return ue(this,t,{key:`${i} ${e.epi}`,details:d,actions:c})}};B.observedAttributes=["currency","lang"];var G=class extends E{constructor(){super(...arguments);this.h=!1}start(){this.e(/^log/,()=>this.load()),p(()=>this.load())}n(e){return/^(lid|epi)$/.test(e)}call(e,t,i=!0){let r={lid:this.getAttribute("lid"),epi:this.getAttribute("epi"),...t};return this.client.request({path:`lists/comments/${e}`,form:r,write:i})}async load(){this.comments=this.problem=void 0,this.update();try{this.comments=(await this.call("list",{limit:1e3},!1)).comments}catch(e){x(this.client,this,e),this.problem=e}this.update()}async add(e){e.preventDefault();let t=e.currentTarget,i=new FormData(t),r=String(i.get("text")).trim();if(!r||this.h)return;this.h=!0,this.update();let o=await this.act(()=>this.call("add",{text:r,fromname:String(i.get("from")).trim()}));this.h=!1,o&&(this.comments=[...this.comments||[],o.comment],t.elements.namedItem("text").value=""),this.update()}async delete({id:e}){await this.act(()=>this.call("delete",{id:e}))&&(this.comments=this.comments?.filter(i=>i.id!==e),this.s("[tabindex='-1']"))}view(){let{comments:e,problem:t}=this;return t?[b("warning",this.reason(t),M(this,()=>p(()=>this.load())))]:e?[a("div",{class:"stack"},a("h3",{tabindex:"-1"},`${this.t("comments")} (${this.number(e.length)})`),e.length>0&&a("ul",{key:"comments",class:"stack",part:"comments"},e.map(i=>this.row(i))),this.hasAttribute("can-add")&&this.form())]:[a("p",{class:"muted",role:"status"},this.t("loading"))]}row(e){let{id:t,text:i,fromname:r,cby:o,mine:l}=e,d=r||o,c=this.t("item.remove"),u=l||this.hasAttribute("can-delete");return a("li",{key:t,part:"comment"},d&&a("p",{key:"who",class:"small strong"},f(d)),a("p",{key:"text",class:"note",dir:"auto"},i),u&&a("button",{key:"remove",class:"quiet",part:"button",type:"button","aria-label":`${c}: ${i}`,onclick:()=>this.delete(e)},c))}form(){return a("form",{key:"add",class:"stack",onsubmit:e=>this.add(e)},a("label",{key:"text"},this.t("share.note"),a("textarea",{name:"text",required:!0,maxlength:1e3,dir:"auto"})),F(this),a("button",{key:"send",class:"primary",part:"button primary",type:"submit","aria-disabled":this.h&&"true"},this.t("share.send")))}};G.observedAttributes=["lid","epi","can-add","can-delete","lang"];function z(s,{title:n,kind:e,before:t,onclose:i},...r){return a("dialog",{key:"dialog",class:e,part:"dialog","aria-labelledby":"dialog-title",ref:Ai,onclose:i,onclick:o=>o.target===o.currentTarget&&K(o)},a("div",{class:"panel"},a("div",{class:"top"},t,a("h2",{id:"dialog-title",part:"dialog-title",tabindex:"-1"},f(n)),a("button",{key:"close",class:"icon",type:"button","aria-label":s.t("close"),onclick:K},m("close"))),a("div",{class:"content"},r)))}function K(s){s.currentTarget.closest("dialog")?.close()}function Ai(s){queueMicrotask(()=>{s.isConnected&&(s.showModal(),bt(s))})}var U="new";function fe(s,{item:n,lists:e,variants:t,onclose:i,onsave:r}){let l=t.some(({epi:u})=>Number(u)===n.epi)?t:[{epi:n.epi,vi:n.vi||"\u2013"},...t],d=u=>{u.preventDefault();let h=new FormData(u.currentTarget),v=C=>String(h.get(C)||"").trim(),w=v("list")===U?{lname:v("name")}:e.find(({lid:C})=>C===v("list"))||{lid:n.lid,lname:""},S=t.find(({epi:C})=>String(C)===v("variant")&&Number(C)!==n.epi);return K(u),r({note:v("note"),list:w,variant:S})},c=({currentTarget:u})=>{let h=u,v=h.form?.querySelector(".new-list");v?.toggleAttribute("hidden",h.value!==U),v?.querySelector("input")?.toggleAttribute("required",h.value===U)};return z(s,{title:L(s,n),onclose:i},a("form",{class:"stack",onsubmit:d},l.length>1&&a("label",{key:"variant"},s.t("item.variant"),a("select",{name:"variant",value:String(n.epi)},l.map(({epi:u,vi:h})=>a("option",{key:u,value:String(u)},h||String(u))))),a("label",{key:"note"},s.t("item.note"),a("textarea",{name:"note",maxlength:1e3,dir:"auto",value:(n.note||"").trim()})),a("label",{key:"list"},s.t("item.list"),a("select",{name:"list",value:n.lid,onchange:c},e.map(({lid:u,lname:h})=>a("option",{key:u,value:u},h)),a("option",{key:U,value:U},`${s.t("item.list.new")} \u2026`))),a("label",{key:"name",class:"new-list",hidden:!0},s.t("lists.name"),a("input",{name:"name",maxlength:100,dir:"auto"})),a("div",{class:"row end"},a("button",{key:"cancel",type:"button",onclick:K},s.t("cancel")),a("button",{key:"save",class:"primary",part:"button primary",type:"submit"},s.t("save")))))}function ge(s,n,e){let t,i={...e,respondWith:l=>t=[l]},r=new CustomEvent(n,{bubbles:!0,composed:!0,cancelable:!0,detail:i}),o=s.dispatchEvent(r);return t?{answer:t,isAllowed:o}:{isAllowed:o}}var Ti=5e3;async function be(s,n){let{answer:e=[]}=ge(s,"wishbone:variants",{item:{...n}}),t=new Promise((r,o)=>setTimeout(o,Ti,new Error("wishbone:variants was answered too late."))),i=await Promise.race([e[0],t]);return Array.isArray(i)?i.filter(r=>Number(r?.epi)>0):[]}async function ve({items:s},n,e){let{lid:t,epi:i,empi:r}=n,o={...n,..._e(e)},l=await s.add({...o,lid:t});return await s.remove({lid:t,epi:i,empi:r}),l.items[0]||o}function _e({epi:s,vi:n="",pr:e=null,sku:t="",...i}){return{...i,epi:Number(s),vi:n,pr:e===null?null:Number(e),sku:t}}async function ye({lists:s},{lid:n,lname:e}){return n?{lid:n,lname:e}:s.create({lname:e})}function we({items:s},{lid:n,epi:e,empi:t},i){return s.move({fromlid:n,tolid:i.lid,items:{epi:e,empi:t}})}var ke=new Map,Ct=new Map,Pi=/^items\.add$/,Mi=/\.(remove|movedToCart)$/,St=({settings:{store:s}},n,e)=>`${s} ${n} ${e}`;function At(s,n,e,t){let i=St(s,n,e),r={};return Ct.set(i,r),ke.set(i,t),()=>{Ct.get(i)===r&&ke.delete(i)}}function Tt(){ke.clear()}var Ve=(s,n,e)=>ke.get(St(s,n,e));function He(s,n,e){return Ve(s,n,e)??Ii(s,n,e)}function Ii(s,n,e){let t=Fe(s,void 0,i=>String(i.epi)===n,e);return t&&t.length>0}function Fe(s,n,e,t){let i=n;for(let{name:r,args:o}of qi(s)){let{items:l=o,lid:d=""}=o,c=Pi.test(r);if(!(t&&t!==d||!(c||(t?Mi:/^items\.remove$/).test(r))))for(let u of[l].flat()){let h=Number(u?.epi);if(!u||!(e(u)||i?.some(w=>w.epi===h)))continue;let v=(i||[]).filter(w=>w.epi!==h||d&&w.lid&&w.lid!==d);i=c?[...v,{epi:h,lid:d}]:v}}return i}var De=new Map;function qi(s){let n=De.get(s);return n||(De.set(s,n=s.queued()),queueMicrotask(()=>De.delete(s))),n}var zi=/^((saved-)?(added|removed)|moved|saved-moved-to-cart|lists?-|log|queued|synced)/,Oi="button, label, input, select, textarea",Qe=new Set,_=class extends E{constructor(){super(...arguments);this.total=0;this.pressed=!1;this.q=()=>{}}start(){this.i=void 0,this.e(zi,()=>this.load()),this.e(/^error$/,({replayed:e})=>e&&this.load()),this.e(/^log/,()=>this.i=void 0),this.a(window,"online",()=>p(()=>this.load())),p(()=>this.load())}n(e){return/^(epi|empi|lid)$/.test(e)&&(this.places=void 0),/^(epi|empi|lid|count)$/.test(e)}async load(){await Promise.all([this.ask().catch(e=>x(this.client,this,e)),this.H()]),this.update()}async ask(){let{epi:e,empi:t,lid:i,key:r}=this.ids(),{items:o}=this.client,l=i?void 0:"wl",d=e||!t?(await o.contains({epis:e,lty:l})).map(c=>({epi:Number(e),lid:c})):await o.contains({empis:t,lty:l});this.ids().key===r&&(this.places=i?d.filter(c=>c.lid===i):d)}async H(){this.hasAttribute("count")&&(this.total=await this.client.counts.social(this.getAttribute("empi")||"").catch(()=>this.total))}ids(){let[e="",t="",i=""]=["epi","empi","lid"].map(o=>this.getAttribute(o)||""),r=e||`of ${t}`;return{epi:e,empi:t,lid:i,id:r,key:`${r} ${i}`}}get current(){let{epi:e,empi:t,lid:i}=this.ids(),r=o=>e?String(o.epi)===e:String(o.empi)===t;return Fe(this.client,this.places,r,i)}get z(){let{id:e,lid:t}=this.ids(),{current:i}=this;return Ve(this.client,e,t)??(i&&i.length>0)}async press(){let{client:e}=this,{key:t}=this.ids(),i=`${e.settings.store} ${t}`;if(!Qe.has(i)){Qe.add(i);try{await this.ask().catch(r=>{if(!this.current)throw r}),this.z?this.m(this.current||[]):await this.add()}catch(r){this.failed(r)}finally{Qe.delete(i)}}}async add(){let{epi:e,lid:t}=this.ids(),i=this.product();this.q();let r=e?[]:await be(this,i),[o={epi:e||i.empi}]=r,l={...i,...o,lid:t||void 0};p(async()=>{let c=(await this.change(!0,()=>this.client.items.add(l)))?.items[0];c&&!t&&await this.F(c,r)})}m(e){let{items:t}=this.client,i=[...new Set(e.map(({lid:o})=>o))],r=o=>t.remove({lid:o||void 0,items:e.filter(l=>l.lid===o)});p(async()=>{let l=(await this.change(!1,()=>Promise.all(i.map(r))))?.filter(u=>u.items.length>0);if(!l?.length)return;let d=()=>this.change(!0,()=>Promise.all(l.map(({lid:u,items:h})=>t.add({lid:u,items:h})))),c=this.getAttribute("dt")||this.t("product");this.q=this.toast(this.t("item.removed",{product:c}),{action:{label:this.t("undo"),run:d}})})}async change(e,t){let{id:i,lid:r}=this.ids(),o=At(this.client,i,r,e);this.pressed=e,Pt();let l=await this.act(t,()=>p(()=>this.load()));return await this.load(),o(),Pt(),l}async F(e,t){let i=await this.client.lists.fetch({lty:"wl"}),r=i.find(({lid:l})=>l===e.lid);if(!r||i.length<2&&t.length<2)return;let o=()=>{this.i={item:e,lists:i,variants:t},this.update()};this.toast(this.t("heart.saved",{list:r.lname}),{action:{label:this.t("change"),run:o}})}async save(e,{note:t,list:i,variant:r}){let{client:o}=this,l={...e,note:t||" "};await this.act(async()=>{let c=r?await ve(o,l,r):l;return!r&&t!==(e.note||"").trim()&&await o.items.update(l),i.lid===e.lid||we(o,{...c,lid:e.lid},await ye(o,i))})&&i.lid!==e.lid&&this.toast(this.t("item.moved",{list:i.lname}))}product(){let e=t=>this.getAttribute(t)||void 0;return{empi:e("empi")||"",du:g(e("du"))||he(),dt:e("dt"),iu:g(e("iu"))||void 0,pr:e("pr"),vi:e("vi")}}view(){let e=this.getAttribute("dt"),t=this.getAttribute("variant")==="button",i=this.z,r=e?this.t("heart.product",{product:e}):this.t("heart.add"),o=(l,d)=>a("span",{class:!l&&"off"},d);return[a("button",{class:`heart-button${t?"":" icon"}${this.pressed?" pressed":""}`,part:`button heart${i?" pressed":""}`,type:"button","aria-pressed":i!==void 0&&String(i),"aria-label":!t&&r,title:!t&&r,onclick:l=>(l.preventDefault(),this.press())},m("heart"),t&&a("span",{class:"both"},o(!i,this.t("heart.add")),o(!!i,this.t("heart.added")))),this.hasAttribute("count")&&this.Q(),this.i&&this.dialog(this.i)]}dialog({item:e,lists:t,variants:i}){return a("div",{key:"place",class:"place",onclick:d=>d.target.closest(Oi)||d.preventDefault()},fe(this,{item:e,lists:t,variants:i,onclose:()=>{this.i=void 0,this.update()},onsave:d=>this.save(e,d)}))}Q(){let e=this.total;return a("span",{class:"social",part:"count"},e>0&&a("span",{"aria-hidden":"true"},this.number(e)),e>0&&a("span",{class:"hidden"},this.t("heart.count",{count:e})))}};_.observedAttributes=["epi","empi","dt","lid","variant","count","lang"];function Pt(){q.forEach(s=>s instanceof _&&s.update())}function It(s){let n=!1,e=(t,i)=>j(W(I(document.documentElement),t),i);s.on("queued",()=>{n||e("queued"),n=!0}),s.on("synced",()=>{n&&e("synced"),n=!1}),s.on("error",({replayed:t})=>t&&e("failed",{kind:"error"}))}function qt(){addEventListener("storage",({key:s,newValue:n})=>{/^wishbone\.queue /.test(s||"")&&(n&&Tt(),Nt())})}var Mt=3;function zt(s){s.on("login",({lists:n=[],remote:e})=>{Oe();let t=[...new Set(n.filter(({cnt:r})=>r>0).map(({lname:r})=>r))],i=t.slice(0,Mt).join(", ")+(t.length>Mt?" \u2026":"");i&&!e&&j(W(I(document.documentElement),"login.merged",{list:i}))}),s.on("logout",Oe)}function Ot(){new MutationObserver(Nt).observe(document.documentElement,{attributeFilter:["lang"]})}function Nt(){q.forEach(s=>s.update())}var Wt={toast:j,setTexts:Te},jt="wishbone-toasts";function $t(s){return function(e,{texts:t,currency:i}={}){for(let[o,l]of Object.entries(t||{}))Te(o,l);P.currency=i||P.currency;let r=P.clients.length===0;if(typeof customElements>"u"||r&&customElements.get(jt))return Wt;P.clients.includes(e)||(P.clients.push(e),It(e),zt(e));for(let[o,l]of Object.entries({[jt]:R,...s}))customElements.get(o)||customElements.define(o,l);return yt(),r&&Ni(),Wt}}function Ni(){qt(),Ot(),document.body?p(le):document.addEventListener("DOMContentLoaded",()=>p(le))}async function Rt(s,n,e=!1){let{answer:t,isAllowed:i}=ge(s,"wishbone:add-to-cart",{item:{...n},quantity:n.qty||1});if(t)return await t[0],!0;let r=g(n.du);if(i&&(e||!r))throw new Error("Nothing handles wishbone:add-to-cart, and the item has no address.");i&&location.assign(r)}var _t=200,Wi=/^(list-not-found|forbidden|not-granted)$/,xe=class extends E{constructor(){super(...arguments);this.items=[];this.next=null;this.state="loading";this.f=!1;this.l=new Set;this.results=new Map;this.changes=new Map;this.loads=0;this.O=!1}start(){this.e(/^(saved-)?(added|removed|updated|moved)/,(e,t)=>this.follow(t,e)),this.e(/^lists?-/,({list:e})=>(!e||!this.list||e.lid===this.list.lid)&&this.load()),this.e(/^log/,()=>this.reset()),this.a(window,"online",()=>this.state!=="ready"&&this.reset()),p(()=>this.load())}n(e){return/^(lid|key|link-hosts)$/.test(e)&&this.reset(),!1}reset(){this.list=void 0,this.results.clear(),this.items=[],this.next=null,this.state="loading",this.update(),p(()=>this.load())}async load(){let e=this.loads+=1,t=this.items.length;try{let[i,r]=await Promise.all([this.fetch(null),A(this.client)]);this.O=r.includes("subscriptions");let o=i?this.current(i):[],l=i?.next??null;for(;l&&o.length<t;){let d=await this.fetch(l);o=[...o,...d?this.current(d):[]],l=d?.next??null}if(e!==this.loads)return;this.list=i?.list,this.items=o,this.next=l,this.state="ready"}catch(i){e===this.loads&&this.fail(i)}this.update()}fail(e){let{code:t}=e;t!=="identity-changed"&&(this.problem=e,x(this.client,this,e),Wi.test(String(t))?this.state="gone":t==="feature-not-enabled"?this.state="off":this.list||(this.state=navigator.onLine?"error":"offline"))}async more(){if(this.f||!this.next)return;let e=this.loads,t=/^\d+$/.test(this.next)?String(this.items.length):this.next;this.f=!0,this.update();try{let i=await this.fetch(t);if(i&&e===this.loads){let r=new Set(this.items.map(({epi:o})=>o));this.items=[...this.items,...this.current(i).filter(({epi:o})=>!r.has(o))],this.next=i.next}}catch(i){this.toast(this.reason(i),{kind:"error"})}this.f=!1,this.update()}current({list:e,items:t}){return t.filter(({epi:i})=>He(this.client,String(i),e.lid)!==!1)}follow(e,{lid:t,fromlid:i,tolid:r,epis:o,items:l,remote:d}){let c=e.replace("saved-","");if(!this.list)return void this.load();if(c==="moved")i===this.list.lid&&this.drop(o),r===this.list.lid&&this.load();else{if(t!==this.list.lid)return;c==="added"?this.put(l.filter(u=>!this.B(u)),0):c==="updated"?this.put(l.filter(({epi:u})=>!this.changes.get(u))):d&&!o.every(u=>this.items.some(h=>h.epi===u))?this.load():this.drop(o.filter(u=>!He(this.client,String(u),t)))}}B({cts:e}){let t=this.items[this.items.length-1];return this.next!==null&&t!==void 0&&e<t.cts}put(e,t){let i=new Map(e.map(r=>[r.epi,r]));this.items=this.items.map(r=>{let o=i.get(r.epi);return i.delete(r.epi),o||r}),t!==void 0&&this.items.splice(t,0,...i.values()),this.N(t===void 0?0:i.size)}drop(e){this.G(e);let t=this.items.length;this.items=this.items.filter(({epi:i})=>!e.includes(i)),this.N(this.items.length-t),this.items.length===0&&this.next&&this.more()}N(e){this.list&&(this.list={...this.list,cnt:(this.list.cnt||0)+e}),this.update()}m(e){let{calls:t}=this,{lid:i,epi:r,empi:o}=e,l=this.items.indexOf(e),d=()=>this.put([e],l),c=()=>(d(),this.act(()=>t.add({...e,lid:i}),()=>this.drop([r])));this.drop([r]);let u=this.t("item.removed",{product:L(this,e)}),h=this.toast(u,{action:{label:this.t("undo"),run:c}}),v=()=>{d(),h()};p(()=>this.act(()=>t.remove({epi:r,empi:o,lid:i}),v))}async change(e,t){let{calls:i}=this,{epi:r}=e,o=c=>this.changes.set(r,(this.changes.get(r)||0)+c);this.put([{...e,...t}]),o(1);let l=()=>i.update({...e,...t}).finally(()=>o(-1)),d=await this.act(l,()=>this.put([e]));d&&!this.changes.get(r)&&this.put(d.items)}async g(e,t=!1){if(this.l.has(e.epi))return!1;let i=L(this,e),r=(o,l)=>t?this.results.set(e.epi,o):this.toast(o,l);this.l.add(e.epi),this.results.delete(e.epi),this.update();try{let o=await Rt(this,e,t);return o&&r(this.t("cart.added",{product:i}),this.W()),o||!1}catch(o){return r(typeof o=="string"?o:this.t("cart.failed",{product:i}),{kind:"error"}),!1}finally{this.l.delete(e.epi),this.update()}}async K(){if(this.l.size>0)return;for(;this.next&&this.items.length<_t;){let{length:l}=this.items;if(await this.more(),this.items.length===l)break}let e=this.items.slice(0,_t),t=e.filter(({avl:l})=>l!=="out"),i=0;for(let l of t)i+=Number(await this.g(l,!0));let r=e.length-t.length+this.results.size-i,o=l=>({product:this.t("count",{count:l})});i>0&&this.toast(this.t("cart.added",o(i)),this.W()),r>0&&this.toast(this.t("cart.failed",o(r)),{kind:"error"})}W(){let e=g(this.getAttribute("cart-url"));return e?{action:{label:this.t("cart.view"),run:()=>location.assign(e)}}:{}}G(e){let t=this.root.activeElement||this.querySelector(":focus"),i=t?.closest("[data-epi]");if(!i||!e.includes(Number(i.getAttribute("data-epi"))))return;((i.nextElementSibling||i.previousElementSibling)?.querySelector(`[class="${t?.className}"]`)||this.root.querySelector("[tabindex='-1']"))?.focus()}};function Ee(s,n){if(Array.isArray(s))return s.map(o=>Ee(o,n));if(typeof s!="object"||!s)return s;let{tag:e,props:t,children:i}=s,r=[e,t.part,...String(t.class).split(" ")].find(o=>n[String(o)]);return a(e,{...t,class:n[String(r)]},Ee(i,n))}var O=class extends xe{constructor(){super(...arguments);this.S=[]}get count(){return this.list?.cnt}controls(){}j(){}get v(){}gone(){return b("warning",this.t("error.gone"))}view(){let{state:e,heading:t}=this;this.S=[];let i=e!=="off"&&[a("section",{class:"collection",part:"section","aria-label":t,"aria-busy":String(e==="loading")},ce(this,t,e==="ready"?this.count:void 0,a("slot",{name:"actions",class:!this.list?.cnt&&"vacant"}),this.controls()),this.j(),this.body()),this.b&&this.U(this.b)];return this.classNames&&N(this,this.S),[i]}body(){let{state:e,items:t,next:i,layout:r}=this;return e==="loading"?de(this,r):e==="gone"?this.gone():e==="offline"?b("offline",this.t("list.offline"),k(this.t("list.offline.hint"))):e==="error"?b("warning",this.t("error.load"),k(this.reason(this.problem)),M(this,()=>this.reset())):t.length===0&&!i?this.empty():[this.J(a("ul",{key:"items",class:`items ${r}`,part:"items",slot:"items"},t.map(o=>this.item(o)))),i&&wt(this,this.f,()=>this.more())]}J(e){return this.classNames?(this.S=[Ee(e,this.classNames)],a("slot",{key:"items",name:"items"})):e}item(e){let t=this.v&&this.$("comments",e,this.t("comments"),"comments");return ue(this,e,{corner:this.corner(e),actions:[this.actions(e),t]})}A(e,t,i){if(e.avl==="out")return this.O&&this.$("notify",e,this.t("notify.submit"),"return");let r=`${this.t(t)}: ${L(this,e)}`,o=this.l.has(e.epi)&&"true";return a("button",{key:"cart",...{class:"primary cart",part:"button primary",type:"button","aria-label":r,"aria-disabled":o},onclick:i},this.t(t))}$(e,t,i,r){let o=`${i}: ${L(this,t)}`;return a("button",{key:e,class:r==="return"?"cart":"quiet comments",part:"button",type:"button","aria-label":o,onclick:()=>{this.b={item:t,for:r},this.update()}},i)}U({item:e,for:t}){let i=()=>{this.b=void 0,this.update()},{lid:r,epi:o,empi:l,du:d}=e,c=L(this,e),u=t==="return"?a("wishbone-notify",{epi:o,empi:l,du:d}):a("wishbone-comments",{key:"comments",lid:r,epi:o,...this.v});return z(this,{title:c,onclose:i},u)}};var D={sortorder:"desc"},J=[["sort.newest",D],["sort.price.asc",{sortby:"price",sortorder:"asc"}],["sort.price.desc",{sortby:"price",sortorder:"desc"}],["sort.title",{sortby:"title",sortorder:"asc"}]],Dt=[["","filter.all"],["instock","filter.instock"],["outofstock","stock.out"]];function Vt(s,n,e){let{filterby:t}=n,i=d=>d.sortby===n.sortby&&d.sortorder===n.sortorder,r=({currentTarget:d})=>{let[,c=D]=J[d.selectedIndex]||[];e(t?{...c,filterby:t}:c)},o=({currentTarget:d})=>{let c=Dt[d.selectedIndex]?.[0],{filterby:u,...h}=n,[,v=h]=J.find(([,w])=>i(w))||[];e(c?{...h,filterby:c}:v)},l=(d,c)=>a("option",{key:d,value:c},s.t(d));return a("div",{key:"order",class:"row order",part:"controls"},a("label",{key:"sort"},s.t("sort"),a("select",{value:(J.find(([,d])=>i(d))||J[0])?.[0],onchange:r},J.map(([d])=>l(d,d)))),a("label",{key:"filter"},s.t("filter"),a("select",{value:t||"",onchange:o},Dt.map(([d,c])=>l(c,d)))))}var Y=class extends O{constructor(){super(...arguments);this.layout="grid";this.order=D;this.y=!1;this.lists=[]}get calls(){return this.client.items}start(){this.i=void 0,this.e(/^log/,({lists:e=[]})=>{let t=e.find(({lid:i})=>i===this.list?.lid);this.chosen=t&&(t.into||t.lid),this.lists=[]}),this.e(/^list-/,()=>this.lists.length>0&&this.load()),super.start()}n(e){return e==="lid"&&(this.chosen=void 0),super.n(e)}async fetch(e){let{client:t}=this;if(!t.shopper.current())return;let i=this.getAttribute("lid");i||(this.lists=await t.lists.fetch({lty:"wl"}));let r=i?this.chosen||i:(this.lists.find(({lid:o})=>o===this.chosen)||this.lists[0])?.lid;if(r){if(this.y=(await A(this.client)).includes("sort-filter")&&t.shopper.current()?.from!=="guest",this.y)try{return await t.lists.page({lid:r,next:e,...this.order})}catch(o){if(!/^(sort-filter-disabled|user-not-logged-in)$/.test(o.code))throw o;this.y=!1}return t.lists.page({lid:r,next:e})}}put(e,t){t===0&&this.order!==D?this.load():super.put(e,t)}get heading(){return this.list?.lname||this.t("list.title")}view(){return[...super.view(),this.i&&this.dialog(this.i)]}get v(){return this.hasAttribute("comments")?{"can-add":!0,"can-delete":!0}:void 0}controls(){let e=this.y&&(this.items.length>1||this.order!==D);return[this.lists.length>1&&!this.getAttribute("lid")&&this.Y(),this.items.some(({avl:t})=>t!=="out")&&this.items.length>1&&a("button",{key:"all",class:"all",part:"button",type:"button","aria-disabled":this.l.size>0&&"true",onclick:()=>this.K()},this.t("cart.all")),e&&Vt(this,this.order,t=>p(()=>this.X(t)))]}Y(){let e=({currentTarget:r})=>{this.chosen=r.value,this.reset()},t=this.list?.lid||this.chosen,i=this.lists.map(({lid:r,lname:o})=>a("option",{key:r,value:r},o));return a("label",{key:"switcher",class:"switcher"},this.t("item.list"),a("select",{value:t,onchange:e},i))}async X(e){let t=this.order;this.order=e,this.problem=void 0,await this.load(),!(!this.problem||this.order!==e)&&(this.order=t,this.toast(`${this.t("error.load")} ${this.reason(this.problem)}`,{kind:"error"}),this.update())}get count(){return this.order.filterby?this.next?void 0:this.items.length:super.count}empty(){return this.order.filterby?b("list",this.t("filter.none")):b("heart",this.t("list.empty"),k(this.t("list.hint")),a("slot",{name:"empty"}))}corner(e){let t=(i,r,o,l)=>{let d=`${o}: ${L(this,e)}`;return a("button",{key:r,class:`icon ${r}`,part:"button",type:"button","aria-label":d,title:o,onclick:l},m(i))};return a("div",{class:"corner"},t("edit","edit",this.t("item.edit"),()=>this.edit(e)),t("close","remove",this.t("item.remove"),()=>this.m(e)))}actions(e){return[this.hasAttribute("quantity")&&pe(this,e.qty||1,t=>this.change(e,{qty:t})),this.A(e,"cart.add",()=>this.g(e)),this.results.has(e.epi)&&a("p",{key:"result",class:"small result",part:"result",dir:"auto"},this.results.get(e.epi))]}reset(){this.i=void 0,super.reset()}async edit(e){let[t,i]=await Promise.all([this.client.lists.fetch({lty:"wl"}).catch(()=>this.list?[this.list]:[]),be(this,e).catch(()=>[])]);this.i={item:e,lists:t,variants:i},this.update()}dialog({item:e,...t}){return fe(this,{item:e,...t,onclose:()=>{this.i=void 0,this.update()},onsave:r=>this.save(e,r)})}async save(e,{note:t,list:i,variant:r}){let o=t===(e.note||"").trim()?e:{...e,note:t||" "},l=o;r?l=await this.replace(o,r):o!==e&&await this.change(e,{note:t||" "}),l&&i.lid!==e.lid&&await this.move(l,i)}async replace(e,t){let i=this.items.findIndex(({epi:o})=>o===e.epi),r={...e,..._e(t)};return this.drop([e.epi,r.epi]),this.put([r],i),this.act(()=>ve(this.client,e,t),()=>p(()=>this.load()))}async move(e,t){try{let i=await ye(this.client,t),r=this.items.findIndex(({epi:l})=>l===e.epi);this.drop([e.epi]),await this.act(()=>we(this.client,e,i),()=>this.put([e],r))&&this.toast(this.t("item.moved",{list:i.lname}))}catch(i){this.failed(i)}}};Y.observedAttributes=["lid","cart-url","currency","quantity","comments","lang"];function Ht(s,n){let e=s;for(let{name:t,args:i,key:r}of n){let{lid:o,lname:l,lty:d}=i;t==="lists.create"&&l&&(d||"wl")==="wl"&&(e=[...e,{lid:r,lname:l,isPending:!0}]),t==="lists.update"&&l&&(e=e.map(c=>c.lid===o?{...c,lname:l}:c)),t==="lists.delete"&&(e=e.filter(c=>c.lid!==o))}return e}var ji=150,$i=12,Z=class extends E{constructor(){super(...arguments);this.lists=[];this.T=!1;this.c=!1;this.pictures=new Map;this.shopper={}}start(){this.c=!1,this.chosen=void 0,this.e(/^(added|removed|moved$|lists?-)/,()=>this.soon()),this.e(/^list-/,({list:e},t)=>{let{shopper:i}=this;setTimeout(()=>i===this.shopper&&this.follow(t,e))}),this.e(/^(queued|synced|error)$/,()=>this.update()),this.e(/^log/,()=>this.reset()),this.a(window,"online",()=>this.problem&&p(()=>this.load())),p(()=>this.load())}n(){return!1}reset(){this.shopper={},this.lists=[],this.T=!1,this.pictures.clear(),this.chosen=void 0,this.update(),p(()=>this.load())}soon(){clearTimeout(this.timer),this.timer=setTimeout(()=>p(()=>this.load()),ji)}async load(){try{let e=this.client.shopper.current();!e&&this.c&&await A(this.client),this.lists=e?await this.client.lists.fetch({lty:"wl"}):[],this.problem=void 0,this.T=!0}catch(e){x(this.client,this,e),e.code!=="identity-changed"&&(this.problem=e)}this.R(),this.update()}R(){if(!this.c)return;let{pictures:e,shopper:t}=this;for(let{lid:i,version:r,cnt:o}of this.lists.slice(0,$i)){let l=e.get(i);if(l?.version===r||(e.set(i,{version:r,iu:o&&l?.iu||""}),!o))continue;let d=({items:[c]})=>{t===this.shopper&&e.set(i,{version:r,iu:c?.iu||""}),this.update()};this.client.lists.details({lid:i,limit:1}).then(d,()=>{})}}follow(e,t){let{lid:i,lname:r,lty:o}=t,l=this.lists.some(d=>d.lid===i);e==="list-deleted"?this.lists=this.lists.filter(d=>d.lid!==i):l?this.lists=this.lists.map(d=>d.lid===i?{...d,...t}:d):e==="list-created"&&r&&(o||"wl")==="wl"&&(this.lists=[...this.lists,t]),this.update()}choose(e,t){this.chosen=e,this.s(t)}async create(e){e.preventDefault();let t=e.currentTarget,i=Ft(t);i&&(t.reset(),await this.save(()=>this.client.lists.create({lname:i})))}async rename(e,{lid:t,lname:i}){e.preventDefault();let r=Ft(e.currentTarget);this.choose(void 0,X(t)),r&&r!==i&&await this.save(()=>this.client.lists.update({lid:t,lname:r}))}async delete({lid:e,lname:t}){this.choose(void 0,"#dialog-title"),await this.save(()=>this.client.lists.delete({lid:e}))&&this.toast(this.t("item.removed",{product:t}))}save(e){let t=this.act(e,()=>this.update());return this.update(),t}view(){let e=this.lists.reduce((r,{cnt:o=0})=>r+o,0),t=[this.t("lists.title"),this.T&&this.t("count",{count:e})].filter(Boolean).join(", ");return[a("button",{key:"open",class:"open",part:"button",type:"button","aria-haspopup":"dialog","aria-label":t,onclick:()=>{this.c=!0,this.client.shopper.current()?this.R():p(()=>this.load()),this.update()}},m("heart"),a("span",{class:"badge",part:"badge","aria-hidden":"true"},e>0&&this.number(e))),this.c&&this.drawer()]}drawer(){let{chosen:e}=this,t=e?.for==="items"?e.lid:"",i=()=>{this.c=!1,this.chosen=void 0,this.update()},r=()=>this.choose(void 0,X(t)),o=t&&a("button",{key:"back",class:"icon back",type:"button","aria-label":this.t("lists.title"),onclick:r},m("forward"));return z(this,{title:this.t("lists.title"),kind:"drawer",before:o,onclose:i},t?this.items(t):[this.Z(),this.ee()])}items(e){let t=(...i)=>Object.fromEntries(i.map(r=>[r,this.getAttribute(r)]));return a("wishbone-list",{key:e,lid:e,...t("currency","cart-url","comments"),exportparts:"button, item, title"},this.hasAttribute("page")&&a("wishbone-share",{slot:"actions",lid:e,...t("page","login-url")}))}Z(){let e=Ht(this.lists,this.client.queued()),t=e.length>0&&a("ul",{key:"lists",class:"lists"},e.map(r=>this.row(r)));return this.lists.length>0||!this.problem?t||b("heart",this.t("lists.empty"),k(this.t("list.hint"))):[b("warning",this.t("error.load"),k(this.reason(this.problem)),M(this,()=>this.load())),t]}row(e){let{lid:t,lname:i,cnt:r=0,isPending:o}=e;if(o)return a("li",{key:t,class:"line"},a("div",{class:"show"},this.label(e,this.t("lists.pending"))));let l=this.chosen?.lid===t?this.chosen.for:void 0,d=(w,S,C)=>a("button",{key:w,class:`quiet${C==="name"?"":" danger"}`,type:"button","aria-label":`${S}: ${i}`,onclick:()=>this.choose({lid:t,for:C},C==="name"?"form.rename input":".keep")},m(w),S),c=w=>{w.key!=="Escape"||!l||(w.preventDefault(),this.choose(void 0,X(t)))};if(l==="name")return a("li",{key:t,onkeydown:c},this.te(e));if(l==="deletion")return a("li",{key:t,onkeydown:c},this.ie(e));let u=l==="options",h=`${this.t("lists.options")}: ${i}`,v=()=>this.choose(u?void 0:{lid:t,for:"options"},"");return a("li",{key:t,class:"line",onkeydown:c},a("button",{key:"show",class:"show","data-lid":t,type:"button",onclick:()=>this.choose({lid:t,for:"items"},".back")},this.label(e,this.t("count",{count:r})),m("forward")),a("button",{key:"options",class:"icon",type:"button","aria-label":h,"aria-expanded":String(u),title:this.t("lists.options"),onclick:v},m("options")),u&&a("div",{key:"tools",class:"tools"},d("edit",this.t("lists.rename"),"name"),d("trash",this.t("lists.delete"),"deletion")))}label({lid:e,lname:t},i){let r=g(this.pictures.get(e)?.iu),o=l=>l.target.toggleAttribute("hidden",!0);return[a("span",{key:"picture",class:"thumbnail"},m("heart"),r&&a("img",{key:r,src:r,alt:"",decoding:"async",onerror:o})),a("span",{class:"strong"},f(t)),a("span",{key:"more",class:"muted small"},f(i))]}te(e){let t=()=>this.choose(void 0,X(e.lid));return a("form",{key:"rename",class:"rename inline",onsubmit:i=>this.rename(i,e)},a("label",null,this.t("lists.name"),a("input",{name:"name",required:!0,maxlength:100,dir:"auto",value:e.lname})),a("button",{key:"save",class:"primary",type:"submit"},this.t("save")),a("button",{key:"cancel",class:"quiet",type:"button",onclick:t},this.t("cancel")))}ie(e){return a("div",{key:"confirm",class:"confirm",role:"group","aria-labelledby":"confirm-text"},a("p",{id:"confirm-text"},this.t("lists.delete.confirm",{list:e.lname})),a("div",{class:"row"},a("button",{key:"delete",class:"danger",type:"button",onclick:()=>this.delete(e)},this.t("lists.delete")),a("button",{key:"keep",class:"quiet keep",type:"button","aria-describedby":"confirm-text",onclick:()=>this.choose(void 0,X(e.lid))},this.t("cancel"))))}ee(){return a("form",{key:"create",class:"inline ruled","aria-labelledby":"create",onsubmit:e=>this.create(e)},a("h3",{id:"create"},this.t("item.list.new")),a("label",null,this.t("lists.name"),a("input",{name:"name",required:!0,maxlength:100,dir:"auto"})),a("button",{class:"primary",part:"button primary",type:"submit"},this.t("lists.create")))}};Z.observedAttributes=["currency","cart-url","comments","page","login-url","lang"];var X=s=>`[data-lid="${CSS.escape(s)}"]`;function Ft(s){return String(new FormData(s).get("name")||"").trim()}var ee=class extends O{constructor(){super(...arguments);this.layout="rows"}get calls(){return this.client.saveForLater}get heading(){return this.t("saved.title")}async fetch(e){let{client:t}=this;if(await $(this.client,"save-for-later"),!t.shopper.current()||!(await t.lists.fetch()).some(({lty:d})=>/^(_saveForLater|sfl)$/.test(d||"")))return;let{list:r,items:o,pagination:l}=await t.saveForLater.fetch({next:e});return{list:{...r,cnt:l.totalcount},items:o,next:l.next}}empty(){return b("list",this.t("empty"),k(this.t("saved.hint")),a("slot",{name:"empty"}))}corner(){}actions(e){let t=this.t("item.remove"),i=`${t}: ${L(this,e)}`;return[pe(this,e.qty||1,r=>this.change(e,{qty:r})),this.A(e,"cart.move",()=>this.ne(e)),a("button",{key:"remove",class:"quiet remove",part:"button",type:"button","aria-label":i,onclick:()=>this.m(e)},t)]}async ne(e){if(!await this.g(e))return;let{lid:t,epi:i,empi:r}=e,o=this.items.findIndex(l=>l.epi===i);this.drop([i]),await this.act(()=>this.client.saveForLater.movedToCart({lid:t,epi:i,empi:r}),()=>this.put([e],o))}};ee.observedAttributes=["cart-url","currency","lang"];var Qt=10,te=class extends E{constructor(){super(...arguments);this.state="closed";this.list="";this.others=[];this.sender="";this.w=!1;this.k=!1;this.x=""}start(){this.close(),this.e(/^log/,()=>this.state==="login"?this.open():this.state!=="closed"&&this.close()),this.e(/^unshared$/,({lid:e})=>e===this.list&&this.state==="ready"&&this.load())}n(e){return e==="lid"&&this.state!=="closed"}close(){this.state="closed",this.link=void 0,this.x=this.sender="",this.update()}open(){this.state="loading",this.update(),p(()=>this.load())}async load(){try{let e=await this.find();this.state!=="closed"&&(this.state=e)}catch(e){this.problem=e;let t=e.code==="user-not-logged-in";t||x(this.client,this,e),this.state!=="closed"&&(this.state=t?"login":"error")}this.update()}async find(){let{client:e}=this,t=e.shopper.current();if(!t||t.from==="guest")return await A(e),"login";let i=this.closest("wishbone-list")?.list;this.list=this.getAttribute("lid")||(i||await e.lists.ensure()).lid;let r=(await e.sharing.links({lid:this.list})).filter(({expired:o})=>!o);return this.link=r.filter(({scope:o,label:l})=>o==="view"&&!l).pop(),this.others=r.filter(o=>o!==this.link),"ready"}get address(){let e=this.getAttribute("page");return this.link?e?Ri(e,this.link.key):g(this.link.url):""}_(){return this.sender=this.root.querySelector("input[name=from]")?.value.trim()||"",this.sender}async create(){let{list:e}=this;if(this.w)return;this.w=!0,this.update();let t=await this.act(()=>this.client.sharing.createLink({lid:e,fromname:this._()}));this.w=!1,this.update(),!(!t||e!==this.list)&&(this.link=t,this.s(".copy"))}async revoke(e){let{list:t}=this;if(!await this.act(()=>this.client.sharing.revokeLink({lid:t,key:e.key})))return;let r=e===this.link;r&&(this.link=void 0),this.others=this.others.filter(o=>o!==e),this.toast(this.t("share.revoked")),this.s(r?".create":"#dialog-title")}async copy(){let e=this.root.querySelector("input.address");try{await navigator.clipboard.writeText(this.address)}catch{if(e?.select(),!document.execCommand("copy"))return}this.toast(this.t("share.copied"))}async se(){let{list:e}=this;await navigator.share({url:this.address}).then(()=>!0,()=>!1)&&await this.client.sharing.reportSocial({lid:e,medium:"native"}).catch(()=>{})}async mail(e){e.preventDefault();let t=e.currentTarget;if(this.k)return;let{emails:i,invalid:r}=Et(t);if(i.length===0||r.length>0)return this.u([...r,this.t("email.invalid")].join(`
`));let{list:o}=this,l=this._(),d=String(new FormData(t).get("note")||"").trim();this.k=!0,this.x="",this.update();let c=i.slice(Qt),u=c.length>0?[this.t("error.limit")]:[],h=async S=>{try{await this.client.sharing.mail({lid:o,toemail:S,fromname:l,note:d})}catch(C){c.push(S),u.push(i.length>1?`${S}: ${this.reason(C)}`:this.reason(C))}};await Promise.all(i.slice(0,Qt).map(h)),this.k=!1,this.update();let v=i.filter(S=>!c.includes(S));v.length>0&&this.toast(this.t("share.sent",{email:v.join(", ")}));let w=(S,C="")=>t.elements.namedItem(S).value=C;w("email",c.join(",")),u.length>0?this.u(u.join(`
`)):w("note"),await this.find().catch(()=>{}),this.update()}u(e){this.x=e,this.s("input[type=email]")}view(){return[a("button",{key:"open",part:"button",type:"button","aria-haspopup":"dialog",onclick:()=>this.open()},m("share"),this.t("share")),this.state!=="closed"&&z(this,{title:this.t("share.title"),onclose:()=>this.close()},a("div",{class:"stack"},this.content()))]}content(){return this.state==="loading"?a("p",{class:"muted",role:"status"},this.t("loading")):this.state==="error"?b("warning",this.t("error.load"),k(this.reason(this.problem)),M(this,()=>this.open())):this.state==="login"?this.login():[this.re(),this.oe(),a("ul",{key:"others"},this.others.map(e=>this.other(e)))]}login(){let e=g((this.getAttribute("login-url")||"").replace("{return}",encodeURIComponent(location.href))),t=i=>{let r=new CustomEvent("wishbone:login-request",{bubbles:!0,composed:!0,cancelable:!0});this.dispatchEvent(r)||i.preventDefault()};return b("share",this.t("share.login"),e&&a("a",{class:"button primary",href:e,onclick:t},this.t("login")))}other(e){let t=e.label||this.t("share.link"),i=this.t("share.revoke");return a("li",{key:e.key,class:"line"},a("span",{class:"show small"},f(t)),a("button",{class:"quiet danger",part:"button",type:"button","aria-label":`${i}: ${t}`,onclick:()=>this.revoke(e)},i))}re(){let e=(i,r,o,l=!1)=>a("button",{key:i,class:i,part:"button",type:"button","aria-disabled":l&&"true",onclick:o},r),{link:t}=this;return t?a("div",{key:"link",class:"stack"},a("label",{key:"address"},this.t("share.link"),a("input",{class:"address",readonly:!0,dir:"ltr","aria-describedby":"link-hint",value:this.address,onfocus:i=>i.target.select()})),a("p",{id:"link-hint",class:"muted small"},this.t("share.hint")," ",t.fromname&&f(this.t("shared.by",{name:t.fromname}))),a("div",{class:"row"},e("primary copy",this.t("share.copy"),()=>this.copy()),"share"in navigator&&e("native",this.t("share.other"),()=>this.se()),e("quiet danger",this.t("share.revoke"),()=>this.revoke(t)))):a("div",{key:"create",class:"stack"},k(this.t("share.hint")),F(this,this.sender),e("primary create",this.t("share.create"),()=>this.create(),this.w))}oe(){return a("form",{key:"mail",class:"stack ruled",novalidate:!0,onsubmit:e=>this.mail(e)},a("h3",null,this.t("share.mail")),me({label:this.t("share.emails"),problem:this.x,autocomplete:"off",multiple:!0}),this.link&&F(this,this.sender),a("label",{key:"note"},this.t("share.note"),a("textarea",{name:"note",maxlength:1e3,dir:"auto"})),a("button",{key:"send",part:"button",type:"submit","aria-disabled":this.k&&"true"},this.t("share.send")))}};te.observedAttributes=["lid","page","login-url","lang"];function Ri(s,n){let e=location.origin+location.pathname,t=g(s.replace("{key}",encodeURIComponent(n)))||e;if(s.includes("{key}"))return t;let i=new URL(t);return i.searchParams.set("wishlist",n),g(i)}var ie=class extends O{constructor(){super(...arguments);this.layout="grid"}get calls(){return this.client.items}get heading(){return this.list?.lname||this.t("shared.title")}j(){let{fromname:e,lnote:t}=this.list||{};return[e&&a("p",{key:"owner",class:"owner muted",part:"owner"},f(this.t("shared.by",{name:e}))),t&&a("p",{key:"note",class:"owner",part:"list-note"},f(t))]}get v(){let{canEdit:e,itemcmnts:t}=this.list||{};return e||t?{"can-add":e}:void 0}connectedCallback(){super.connectedCallback(),!this.o&&(this.o=document.createElement("meta"),this.o.name="robots",this.o.content="noindex",document.head.append(this.o))}disconnectedCallback(){super.disconnectedCallback(),!this.isConnected&&(this.o?.remove(),this.o=void 0)}async fetch(e){let t=this.ae();if(!t)return;let i=await this.client.lists.page({lid:t,next:e,shared:!0});return{...i,items:i.items.map(r=>({...r,du:this.le(r.du)}))}}ae(){return this.getAttribute("key")||new URLSearchParams(location.search).get("wishlist")}le(e){let t=o=>Le(o,document.baseURI)?.host,i=(this.getAttribute("link-hosts")||"").split(/\s+/).map(o=>t(`//${o}`)),r=t(e);return r&&[location.host,...i].includes(r)?e:""}follow(){}gone(){return b("warning",this.t("shared.gone"),k(this.t("shared.gone.hint")))}empty(){return this.list?b("list",this.t("empty"),a("slot",{name:"empty"})):this.gone()}corner({epi:e,empi:t,du:i,dt:r,iu:o,vi:l,pr:d}){let c={epi:e,empi:t,du:i||location.origin,dt:r,iu:o,vi:l,pr:d};return a("div",{class:"corner"},a("wishbone-heart",{exportparts:"heart",...c}))}actions(e){return this.A(e,"cart.add",()=>this.g(e))}};ie.observedAttributes=["key","link-hosts","cart-url","currency","lang"];var oo=$t({"wishbone-heart":_,"wishbone-list":Y,"wishbone-saved":ee,"wishbone-notify":Q,"wishbone-alerts":B,"wishbone-comments":G,"wishbone-share":te,"wishbone-shared-list":ie,"wishbone-lists":Z});export{oo as install};
