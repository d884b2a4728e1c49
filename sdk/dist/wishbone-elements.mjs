/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
var Zt=/[^\w.~:/?#[\]@!$*+,;=%&-]|&(?=#|\w+;|quot\b)/gi;function Ie(n,s){try{let e=new URL(String(n),s);return n&&/^https?:$/.test(e.protocol)?e:void 0}catch{return}}function b(n){let s=Ie(n,globalThis.document?.baseURI);return s?s.href.replace(Zt,escape):""}var ei="http://www.w3.org/2000/svg",tt=["value","checked"],ti=["href","src","action","formaction"],ce=new WeakMap;function o(n,s,...e){return{tag:n,props:s||{},children:e}}function w(n){return o("bdi",null,n)}function k(n){return o("span",{dir:"auto"},n)}function $(n,s){let e=new Map;for(let r of n.childNodes){let a=ce.get(r);if(a===void 0)continue;let l=e.get(qe(a));l?l.push(r):e.set(qe(a),[r])}let t=it(s).map(r=>{let a=e.get(qe(r))?.shift()||ii(r);return ni(a,r),a});e.forEach(r=>r.forEach(a=>a.remove()));let i=n.firstChild;for(let r of t)r===i?i=i.nextSibling:n.insertBefore(r,i)}function it(n){return n.flatMap(s=>Array.isArray(s)?it(s):typeof s=="object"&&s?[s]:s||s===0?[String(s)]:[])}function qe(n){return typeof n=="string"?"":`${n.tag} ${n.props.key??""}`}function ii(n){if(typeof n=="string")return document.createTextNode("");let{tag:s,props:e}=n,t=/^(svg|path)$/.test(s)?document.createElementNS(ei,s):document.createElement(s);return s==="button"&&(t.type="button"),e.ref&&e.ref(t),t}function ni(n,s){let e=ce.get(n);if(ce.set(n,s),typeof s=="string"){e!==s&&(n.data=s);return}let t=typeof e=="object"?e.props:{};for(let i of new Set([...Object.keys(t),...Object.keys(s.props)]))t[i]!==s.props[i]&&si(n,i,s.props[i],i in t);$(n,s.children);for(let i of tt)i in s.props&&t[i]!==s.props[i]&&(n[i]=s.props[i])}function si(n,s,e,t){s==="key"||s==="ref"||tt.includes(s)||(s.startsWith("on")?t||n.addEventListener(s.slice(2),i=>ri(n,s,i)):e===!1||e===null||e===void 0?n.removeAttribute(s):n.setAttribute(s,e===!0?"":ti.includes(s)?b(e):String(e)))}function ri(n,s,e){let t=ce.get(n).props[s];typeof t=="function"&&u(()=>t(e))}function A(n){n.preventDefault();let s=n.currentTarget,e=new FormData(s);return{form:s,value:t=>String(e.get(t)||"").trim()}}function u(n){(async()=>n())().catch(s=>console.error(s))}var ue=class extends Error{constructor(e,t,i={}){super(t);this.code=e;this.name="WishboneError";this.httpStatus=0;this.requestId="";this.retryable=!1;this.retryAfter=0;Object.assign(this,i)}};var ze=new Map;async function T(n){try{let s=sessionStorage.getItem(st(n));if(s)return JSON.parse(s)}catch{}return rt(n)}function st({settings:{base:n,store:s}}){return`wishbone.features ${n} ${s}`}function rt(n){let s=ze.get(n);if(s)return s;let e=n.features().then(t=>oi(n,t)).finally(()=>ze.delete(n));return ze.set(n,e),e}function oi(n,s){try{sessionStorage.setItem(st(n),JSON.stringify(s))}catch{}return s}async function _(n,s){if((await T(n)).includes(s)||(await rt(n)).includes(s))return;let e=`wishbone store set '${n.settings.store}' --enable ${s}`;throw new ue("feature-not-enabled",`The store does not have ${s}. Switch it on: ${e}`)}var nt=new Set;function x(n,s,e){let{code:t,message:i}=e;if(t==="identity-changed"||t==="network"&&!navigator.onLine)return;let r=`wishbone store set '${n.settings.store}' --allow-origin ${location.origin}`,a=t==="network"?` If the store does not allow this page's origin: ${r}`:"",l=`<${s.localName}>: ${i}${a}`;nt.has(l)||(nt.add(l),console.error(l))}var M={clients:[],currency:""};var ot=':host{--_surface: var(--wishbone-surface, #fff);--_ink: var(--wishbone-ink, #1d2125);--_accent: var(--wishbone-accent, #1d2125);--_on-accent: var(--wishbone-on-accent, #fff);--_heart: var(--wishbone-heart, var(--_accent));--_danger: var(--wishbone-danger, #b3261e);--_plate: var(--wishbone-plate, #f1f0ed);--_muted: var(--wishbone-muted, color-mix(in srgb, currentcolor 72%, transparent));--_line: var(--wishbone-line, color-mix(in srgb, currentcolor 16%, transparent));--_edge: var(--wishbone-edge, color-mix(in srgb, currentcolor 58%, transparent));--_radius: var(--wishbone-radius, 10px);--_gap: var(--wishbone-gap, 20px);display:block;box-sizing:border-box;color:var(--wishbone-text, inherit);font-family:var(--wishbone-font, inherit);line-height:1.45;text-align:start}@supports (color: light-dark(#000,#fff)){:host{--_surface: var(--wishbone-surface, light-dark(#fff, #1e2226));--_ink: var(--wishbone-ink, light-dark(#1d2125, #eceef0));--_accent: var(--wishbone-accent, light-dark(#1d2125, #eceef0));--_on-accent: var(--wishbone-on-accent, light-dark(#fff, #16191c));--_danger: var(--wishbone-danger, light-dark(#b3261e, #ff9d94));--_plate: var(--wishbone-plate, light-dark(#f1f0ed, #292e33))}}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box}h2,h3,p,ul,form,fieldset{margin:0;padding:0;border:0;min-inline-size:0}ul{list-style:none}h2{font-size:1.25em;line-height:1.3;font-weight:650;text-wrap:balance}h3{font-size:1em;font-weight:650}a{color:inherit}.muted{color:var(--_muted)}.hidden{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.glyph{inline-size:1.25em;block-size:1.25em;flex:none;fill:none;stroke:currentcolor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}:host(:dir(rtl)) .forward{transform:scaleX(-1)}.back .forward{transform:scaleX(-1)}:host(:dir(rtl)) .back .forward{transform:none}:focus-visible{outline:2px solid var(--wishbone-focus, currentcolor);outline-offset:2px}[tabindex="-1"]:focus{outline:none}@media(prefers-reduced-motion:reduce){*,:before,::backdrop{animation:none!important;transition:none!important}}';var at="dialog{visibility:visible;inline-size:min(480px,calc(100vw - 32px));max-block-size:min(720px,calc(100dvh - 48px));margin:auto;padding:0;border:0;border-radius:calc(var(--_radius) + 6px);background:var(--_surface);color:var(--_ink);box-shadow:0 24px 64px #00000047;overflow:hidden;overscroll-behavior:contain}dialog[open]{display:flex;flex-direction:column;animation:appear .18s ease-out}dialog::backdrop{background:#0c0e107a;animation:fade .18s ease-out}.panel{display:flex;flex-direction:column;flex:1;min-block-size:0;min-inline-size:0;max-block-size:inherit}.panel>.top{display:flex;align-items:center;gap:8px;padding-block:10px;padding-inline:24px 10px;border-block-end:1px solid var(--_line)}.panel>.top h2{flex:1;font-size:1.1em;overflow-wrap:anywhere}.panel>.content{flex:1;overflow:auto;padding:20px 24px 24px;padding-block-end:max(24px,env(safe-area-inset-bottom))}.row.end{justify-content:flex-end}@media(max-width:560px){dialog{inline-size:100vw;max-inline-size:none;margin-block-end:0;border-end-start-radius:0;border-end-end-radius:0}dialog[open]{animation-name:from-below}}@keyframes appear{0%{opacity:0;scale:.97}}@keyframes from-below{0%{translate:0 40px;opacity:0}}@keyframes fade{0%{opacity:0}}dialog.drawer{inline-size:min(520px,100vw);max-inline-size:none;block-size:100dvh;max-block-size:none;margin:0;margin-inline-start:auto;border-radius:0}dialog.drawer[open]{animation-name:fade}.place{display:contents}";var lt="button,input,select,textarea{font:inherit;letter-spacing:inherit;color:inherit}button,.button{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-block-size:44px;padding:8px 16px;border:1px solid var(--_edge);border-radius:var(--_radius);background:none;font-weight:550;line-height:1.2;cursor:pointer;touch-action:manipulation;-webkit-tap-highlight-color:transparent;text-decoration:none;transition:background-color .15s,border-color .15s,opacity .15s}button:hover,.button:hover{background:var(--_line)}.primary{border-color:var(--_accent);background:var(--_accent);color:var(--_on-accent)}.primary:hover{background:var(--_accent);opacity:.88}.quiet{border-color:transparent;padding-inline:10px}.danger{color:var(--_danger)}button.icon{inline-size:44px;padding:0;border-color:transparent;border-radius:50%}button[aria-disabled=true]{opacity:.6;cursor:progress}label{display:block;font-size:.9em;font-weight:550}input,select,textarea{display:block;inline-size:100%;min-block-size:44px;margin-block-start:6px;padding:9px 12px;border:1px solid var(--_edge);border-radius:var(--_radius);background:var(--wishbone-field, transparent);font-size:max(16px,1em);font-weight:400}select option{background:var(--_surface);color:var(--_ink)}textarea{min-block-size:88px;resize:vertical}[aria-invalid=true]{border-color:var(--_danger)}.field-error{display:flex;white-space:pre-line;gap:6px;margin-block-start:6px;color:var(--_danger);font-weight:400}.stack{display:grid;gap:16px}.row{display:flex;flex-wrap:wrap;align-items:center;gap:10px}.inline{display:flex;flex-wrap:wrap;align-items:flex-end;gap:10px}.inline>label{flex:1 1 12em}.notice{display:flex;align-items:flex-start;gap:12px;padding:14px 16px;border:1px solid var(--_line);border-radius:var(--_radius)}.notice>.glyph{margin-block-start:.1em}.notice>div{display:grid;gap:4px;justify-items:start;overflow-wrap:anywhere}.notice button,.actions>.quiet:first-child{margin-inline-start:-10px}";var dt=":host(wishbone-heart){--_size: var(--wishbone-heart-size, 44px);display:inline-flex;align-items:center;gap:4px;min-block-size:var(--_size);vertical-align:middle}.heart-button{min-block-size:var(--_size)}.heart-button .heart{inline-size:24px;block-size:24px;transition:fill .15s,color .15s,opacity .15s}.heart-button.icon{inline-size:var(--_size);border-color:var(--wishbone-heart-border, transparent);background:var(--wishbone-heart-background, none)}.heart-button.icon:hover{background:var(--wishbone-heart-background, var(--_line))}.heart-button:not([aria-pressed]) .heart{opacity:.5}[aria-pressed=true] .heart{color:var(--_heart);fill:currentcolor}.heart-button.pressed .heart{animation:pop .3s ease-out}@keyframes pop{40%{transform:scale(1.22)}}.both{display:grid}.both>span{grid-area:1 / 1}.both>.off{visibility:hidden}.social{min-inline-size:3ch;color:var(--_muted);font-size:.9em;font-variant-numeric:tabular-nums}.corner wishbone-heart{--wishbone-heart-size: 40px;--wishbone-heart-background: var(--_surface);color:var(--_ink)}";var ct=".collection{container-type:inline-size}.heading{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:12px var(--_gap);margin-block-end:var(--_gap)}.owner{margin-block:calc(var(--_gap) * -.7) var(--_gap);overflow-wrap:anywhere}.heading .name{flex:1 1 auto;overflow-wrap:anywhere}.vacant{visibility:hidden}.order{flex-wrap:nowrap}.order label{flex:1 1 50%;min-inline-size:0;font-weight:400}.order select,.switcher select{margin-block-start:2px;text-overflow:ellipsis}.switcher{flex:1 1 8em;max-inline-size:16em;font-weight:400}.result{flex-basis:100%;overflow-wrap:anywhere}.small{font-size:.9em}.strong{font-weight:600}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--wishbone-item-width, 190px)),1fr));gap:calc(var(--_gap) * 1.4) var(--_gap)}.item{position:relative;display:flex;flex-direction:column;gap:12px;min-inline-size:0}.picture{position:relative;display:grid;aspect-ratio:var(--wishbone-picture-ratio, 4 / 5);border-radius:var(--_radius);background:var(--_plate)}.picture>.glyph,.picture>a{grid-area:1 / 1}.picture>a{display:grid;border-radius:inherit}.picture .glyph.picture{aspect-ratio:auto;background:none;place-self:center;inline-size:40px;block-size:40px;grid-area:1 / 1;stroke-width:1.2;opacity:.35}img{grid-area:1 / 1;inline-size:100%;block-size:100%;position:absolute;inset:0;object-fit:var(--wishbone-picture-fit, cover);border-radius:inherit}.corner{position:absolute;inset-block-start:8px;inset-inline-end:8px;display:flex;gap:6px}.corner button{inline-size:40px;min-block-size:40px;background:var(--_surface);color:var(--_ink);box-shadow:0 1px 4px #00000024}.corner button:hover{background:var(--_plate)}.texts{display:grid;align-content:start;gap:2px;flex:1;overflow-wrap:anywhere}.texts h3{font-weight:550;line-height:1.35}.texts a{text-decoration:none}.texts a:hover{text-decoration:underline;text-underline-offset:3px}.price{font-variant-numeric:tabular-nums}.stock{color:var(--_muted)}.note{margin-block-start:6px;padding-inline-start:10px;border-inline-start:2px solid var(--_line);color:var(--_muted);font-size:.9em;white-space:pre-line}summary{cursor:pointer}.note summary{list-style:none}.note summary::-webkit-details-marker{display:none}.note:not([open]) summary bdi{display:-webkit-box;overflow:hidden;-webkit-box-orient:vertical;-webkit-line-clamp:4}.actions{display:flex;flex-wrap:wrap;align-items:center;gap:8px}.grid .actions .cart{flex:1 1 auto}.quantity{display:inline-flex;align-items:center;border:1px solid var(--_edge);border-radius:var(--_radius)}.quantity button{inline-size:40px;min-block-size:42px}.quantity input{inline-size:3.2em;min-block-size:42px;margin:0;padding:0;border:0;background:none;text-align:center;font-variant-numeric:tabular-nums;appearance:textfield}.quantity input::-webkit-inner-spin-button{appearance:none}@container (max-width: 460px){.grid{grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--_gap) 12px}.order{flex:1 1 100%}}.more{display:flex;margin:calc(var(--_gap) * 1.5) auto 0}.message{display:grid;justify-items:center;gap:6px;padding:40px 16px;text-align:center;text-wrap:balance}.message>.glyph{inline-size:36px;block-size:36px;margin-block-end:6px;stroke-width:1.3;opacity:.6}.message>:is(button,.button){margin-block-start:12px}.bar{border-radius:6px;background:var(--_plate);animation:breathe 1.6s ease-in-out infinite alternate}.bar.long,.bar.short{block-size:.9em;margin-block:4px;inline-size:80%}.bar.short{inline-size:40%}@keyframes breathe{to{opacity:.5}}.rows{display:grid}.rows .item{display:grid;grid-template-columns:88px minmax(0,1fr);gap:6px 16px;padding-block:16px;border-block-start:1px solid var(--_line)}.rows .picture{grid-row:1 / 3;align-self:start}.rows .picture .glyph.picture{inline-size:28px;block-size:28px}@container (min-width: 720px){.rows .item{grid-template-columns:88px minmax(0,1fr) auto;align-items:center}.rows .picture{grid-row:auto}}.again{max-inline-size:30em}.again summary{padding-block:12px;font-weight:550}.notify{display:grid;gap:10px}.notify .inline{align-items:flex-start}.notify .inline>button{margin-block-start:calc(1.305em + 6px)}";var ut=":host(wishbone-lists),:host(wishbone-share){display:inline-block;vertical-align:middle}:host(wishbone-lists) wishbone-list{display:block}.open{gap:0;min-inline-size:44px;padding:0;border-color:transparent;border-radius:22px}.open .heart{inline-size:24px;block-size:24px}.badge{align-self:start;margin-inline-start:-8px;min-inline-size:20px;padding:2px 5px;border-radius:10px;background:var(--_accent);color:var(--_on-accent);font-size:12px;line-height:16px;font-variant-numeric:tabular-nums}.badge:empty{display:none}.lists>li{border-block-end:1px solid var(--_line)}.line{display:flex;flex-wrap:wrap;align-items:center}.line .options{stroke-width:3}.tools{display:flex;flex-wrap:wrap;flex:1 1 100%;padding-block-end:10px;padding-inline-start:62px}.line .show{flex:1;display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-content:center;gap:2px 14px;min-block-size:68px;padding-inline:8px;border:0;text-align:start;overflow-wrap:anywhere}.thumbnail{grid-row:1 / 3;position:relative;display:grid;place-items:center;inline-size:52px;aspect-ratio:1;border-radius:calc(var(--_radius) * .7);background:var(--_plate)}.thumbnail>.glyph{opacity:.35}.show>.strong{align-self:end}.show>.muted{grid-area:2 / 2;font-weight:400}.show>.forward{grid-area:1 / 3 / 3 / 3;align-self:center;opacity:.6}.rename,.confirm{padding:14px 8px}.confirm{display:grid;gap:10px;overflow-wrap:anywhere}.ruled>h3{flex:1 1 100%}.ruled{margin-block-start:8px;padding-block-start:20px}.stack.ruled{border-block-start:1px solid var(--_line)}";var pt=":host(wishbone-toasts){position:fixed;inset-inline:0;inset-block-end:0;z-index:2147483647;display:grid;justify-items:center;gap:8px;padding:16px;padding-block-end:max(16px,env(safe-area-inset-bottom));pointer-events:none;font-size:16px;color:var(--_ink);font-weight:400}:host(wishbone-toasts[inside]){position:sticky}:host(wishbone-toasts) [role]{display:grid;justify-items:center;gap:8px;max-inline-size:100%}:host(wishbone-toasts) [role]:empty{display:contents}.toast{display:flex;align-items:center;gap:4px;max-inline-size:min(100%,34em);padding:4px;padding-inline-start:18px;border-radius:calc(var(--_radius) + 4px);background:var(--wishbone-toast, #24292e);color:var(--wishbone-on-toast, #fff);box-shadow:0 8px 28px #0000003d;outline:1px solid rgb(255 255 255 / 14%);outline-offset:-1px;pointer-events:auto;animation:rise .2s ease-out}.toast p{flex:1;padding-block:8px;padding-inline-end:8px;overflow-wrap:anywhere}.toast button{border-color:transparent;color:inherit}.toast button:hover{background:#ffffff24}.toast .toast-action{text-decoration:underline;text-underline-offset:3px;white-space:nowrap}@keyframes rise{0%{opacity:0;translate:0 12px}}";var ht=[ot,lt,dt,ct,ut,at,pt].join(""),pe;function he(n){try{pe||(pe=new CSSStyleSheet,pe.replaceSync(ht)),n.adoptedStyleSheets=[pe]}catch{let s=document.createElement("style");s.textContent=ht,n.append(s)}}var ft=`close
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
lists.delete.confirm`,Oe={ja:`\u9589\u3058\u308B
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
Eliminare {list} con tutti i suoi articoli?`};var mi=ft.split(`
`),gt=n=>{let s=n.split(`
`);return Object.fromEntries(mi.map((e,t)=>[e,s[t]||""]))},G=new Map(Object.entries(Oe).map(([n,s])=>[n,gt(s)])),fi=gt(Oe.en||"");function Ne(n,s){let e=bt(n).toLowerCase();G.set(e,{...G.get(e),...s})}function I(n){for(let s=n;s;s=We(s)){let{lang:e}=s;if(e&&!gi(s))return bt(e)}return navigator.languages.find(s=>Re(s))||"en"}function gi(n){return/^wishbone-/.test(String(n.getRootNode().host?.localName))}function U(n){return Re(n)?n:"en"}function bt(n){return n.replace(/_/g,"-")}function We(n){let s=n.parentNode;return n.assignedSlot||(s instanceof ShadowRoot?s.host:n.parentElement)}function D(n,s,e={}){let i=G.get(n.toLowerCase())?.[s]||Re(n)?.[s]||fi[s]||"",[r="",a=r]=i.split("|");return("count"in e&&yi(n,Number(e.count))!=="one"?a:r).replace(/\{(\w+)\}/g,(d,c)=>c in e?vi(String(e[c])):d)}var bi=/[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;function vi(n){return bi.test(n)?`\u2068${n}\u2069`:n}function Re(n){let s=n.toLowerCase();return G.get(s)||G.get(s.split("-")[0]||"")}function yi(n,s){return je(()=>new Intl.PluralRules(n).select(s),s===1?"one":"other")}function vt(n,s,e){let i=e?{style:"currency",currency:e}:{minimumFractionDigits:2,maximumFractionDigits:2};return je(()=>new Intl.NumberFormat(n,i).format(s),String(s))}function yt(n,s){return je(()=>new Intl.NumberFormat(n,{notation:"compact"}).format(s),String(s))}function je(n,s){try{return n()}catch{return s}}var wi="button, input, select, textarea, summary, [role=button], a[class*=button i], a[class*=btn i]";function wt(n,s){return[...n.querySelectorAll("*")].flatMap(e=>{if(e===s)return[];let t=e.shadowRoot?wt(e.shadowRoot,s):[];return e.matches(wi)?[e.getBoundingClientRect(),...t]:t})}function kt(n,s){let{left:e,right:t,top:i,bottom:r}=n,a=wt(document,s).filter(c=>c.width>1&&c.right>e&&c.left<t),l=[0,...a.map(c=>r-c.top+8)].filter(c=>c>=0&&c<i),d=c=>a.every(p=>p.bottom<=i-c||p.top>=r-c);return l.sort((c,p)=>c-p).find(d)||0}var ki={heart:"M12 20.3 4.6 13a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.4.5.4-.5a4.9 4.9 0 0 1 7 0 4.9 4.9 0 0 1 0 7Z",close:"M6 6l12 12M18 6 6 18",edit:"M4 20h4L19 9a2.1 2.1 0 0 0-3-3L5 17ZM14 8l3 3",trash:"M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7",picture:"M4 5h16v14H4ZM4 16l4.5-4.5L12 15l3-3 5 5M15.5 9h.01",minus:"M6 12h12",plus:"M6 12h12M12 6v12",share:"M12 15V4M8 8l4-4 4 4M6 12v7h12v-7",mail:"M4 6h16v12H4ZM4 7l8 6 8-6",check:"M5 12.5l4.5 4.5L19 7.5",options:"M5 12h.01M12 12h.01M19 12h.01",list:"M8 7h12M8 12h12M8 17h12M4 7h.01M4 12h.01M4 17h.01",forward:"M9 6l6 6-6 6",offline:"M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-5-2.7M12 19h.01",warning:"M12 4 3 19h18ZM12 10v4M12 16.5h.01"};function m(n){return o("svg",{class:`glyph ${n}`,viewBox:"0 0 24 24","aria-hidden":"true"},o("path",{d:ki[n]}))}var xi=3,Ei=8e3,xt=16,v,X=[],P=[],Li=0,Et,Lt;function F(n,s={}){if(typeof document>"u")return()=>{};let e={...s,id:Li+=1,message:n};return P=[...P.filter(t=>t.message!==n),e].slice(-xi),_e(s.from),Fe(),De(),()=>me(e)}function fe(){v||(v=document.createElement("wishbone-toasts")),v.isConnected||document.body?.append(v);for(let n of["scroll","resize"])addEventListener(n,Ci,{passive:!0})}function Ci(){clearTimeout(Lt),P.length>0&&(Lt=setTimeout($e,100))}function $e(){if(!v)return;let n=P.length>0&&v.parentElement!==document.body;v.toggleAttribute("inside",n),v.style.translate="";let s=v instanceof V&&!n&&v.box();s&&(v.style.translate=`0 ${-kt(s,v)}px`)}function Ct(n){X.push(n),_e()}function _e(n){fe();let s=Si(n),e=s||document.body;!v||v.parentNode===e||(e.append(v),$e(),s?.addEventListener("close",()=>_e(),{once:!0}))}function Si(n){try{X=X.filter(e=>e.matches(":modal"));let s=X[X.length-1];if(s)return s;for(let e=n;e;e=e.parentNode||e.host)if(e instanceof HTMLDialogElement&&e.matches(":modal"))return e;return document.querySelector("dialog:modal")}catch{return null}}function De(){clearTimeout(Et),P.length>0&&(Et=setTimeout(Ai,Ei))}function Ai(){if(v?.matches(":hover, :focus-within"))return De();me(P[0])}function Ve(){P=P.filter(({from:n})=>!n),Fe()}function me(n){let s=v?.matches(":focus-within");P=P.filter(t=>t!==n),Fe(),De();let e=s&&n?.from?.shadowRoot;e&&(e.querySelector("dialog")||e).querySelector("button, a[href], input, select")?.focus()}function Fe(){v instanceof V&&v.show(),$e()}var Ti=globalThis.HTMLElement||class{},V=class extends Ti{constructor(){super();this.root=this.attachShadow({mode:"open"});he(this.root),this.show()}box(){let e=[...this.root.querySelectorAll(".toast")].map(({offsetWidth:d})=>d);if(e.length===0)return;let{left:t,top:i,width:r,height:a}=this.getBoundingClientRect(),l=Math.max(...e);return new DOMRect(t+(r-l)/2,i+xt,l,a-2*xt)}show(){let e=t=>P.filter(i=>(i.kind||"status")===t).map(i=>Pi(i));u(()=>$(this.root,[o("div",{key:"status",role:"status","aria-live":"polite"},e("status")),o("div",{key:"alert",role:"alert"},e("error"))]))}};function Pi(n){let{id:s,message:e,kind:t,action:i,from:r,lang:a}=n,l=I(r||document.documentElement),d=()=>(me(n),i?.run());return o("div",{key:s,class:`toast ${t||"status"}`,part:"toast",lang:a||l},o("p",{dir:"auto"},e),i&&o("button",{key:"action",class:"toast-action",part:"toast-action",onclick:d},i.label),o("button",{class:"icon","aria-label":D(l,"close"),onclick:()=>me(n)},m("close")))}var Mi=globalThis.HTMLElement||class{},O=new Set,He=new Set;function At(){He.forEach(n=>n.connectedCallback())}function Ii(n){for(let s=n;s;s=We(s)){let e=s instanceof E&&s.getAttribute("store");if(e)return M.clients.find(({settings:t})=>t.store===e)}return M.clients[0]}var E=class extends Mi{constructor(){super();this.root=this.shadowRoot||this.attachShadow({mode:"open"});this.stops=[];this.L=!1;this.C=!1;this.p="";he(this.root)}start(){}load(){}i(e){return!0}connectedCallback(){if(O.has(this))return this.root.querySelectorAll("dialog").forEach(qi);let e=Ii(this);He[e?"delete":"add"](this),e&&(this.client=e,O.add(this),this.r(),u(()=>this.start()))}disconnectedCallback(){queueMicrotask(()=>{if(!this.isConnected){O.delete(this),He.delete(this);for(let e of this.stops.splice(0))e()}})}attributeChangedCallback(e,t,i){var r;!O.has(this)||t===i||(this[r="C"]||(this[r]=this.i(e)),this.update())}update(){this.L||(this.L=!0,queueMicrotask(()=>{this.L=!1,O.has(this)&&(this.C&&u(()=>this.load()),this.C=!1,u(()=>$(this.root,[this.view(),this.P?.()])),this.markLanguage(),this.p&&this.root.querySelector(this.p)?.focus(),this.p="")}))}markLanguage(){let e=I(this);for(let t of this.root.children)t.lang=U(e);for(let t of this.root.querySelectorAll("bdi"))t.lang=e}r(e){this.P=e&&(()=>e(()=>this.r())),this.update()}n(e){this.p=e,this.update()}e(e,t){this.stops.push(this.client.on("*",(i,r)=>e.test(r)&&u(()=>t(i,r))))}a(e,t,i){e.addEventListener(t,i),this.stops.push(()=>e.removeEventListener(t,i))}t(e,t){return D(I(this),e,t)}price(e){return vt(I(this),e,this.getAttribute("currency")||M.currency)}number(e){return yt(I(this),e)}toast(e,t={}){return F(e,{...t,from:this,lang:U(I(this))})}async act(e,t=()=>{}){return this.M(()=>e().catch(i=>{t(),this.failed(i)}))}async M(e){let t=()=>{},i=new Promise(r=>{t=this.client.on("queued",()=>{this.toast(this.t("queued")),T(this.client).catch(a=>x(this.client,this,a)),r(void 0)})});try{return await Promise.race([e(),i])}finally{t()}}failed(e){let{code:t}=e;t!=="identity-changed"&&(x(this.client,this,e),this.toast(`${this.t("failed")} ${this.reason(e)}`,{kind:"error"}))}reason(e){let{code:t="",httpStatus:i=0}=e,r=Object.keys(St).find(a=>St[a]?.test(`${t} ${i}`));return this.t(r||"error.other")}},St={"error.network":/^(network|timeout) /,"error.busy":/ (429|503)$/,"error.login":/^(user-not-logged-in|bad-regid) /,"error.limit":/^(limit-reached|queue-full) /,"error.gone":/^(list-not-found|forbidden|not-granted) /};function qi(n){n.removeAttribute("open"),u(()=>n.showModal())}function H({label:n,problem:s,autocomplete:e="email",multiple:t}){return o("label",{key:"email"},n,o("input",{name:"email",type:"email",part:"input",required:!0,multiple:t,autocomplete:e,dir:"ltr","aria-invalid":s!==""&&"true","aria-describedby":s!==""&&"email-error"}),s&&o("span",{key:"error",id:"email-error",class:"field-error",part:"error"},m("warning"),s))}function Tt(n){let s=n.elements.namedItem("email"),e=[...new Set(s.value.split(/[\s,;]+/).filter(Boolean))],t=Object.assign(document.createElement("input"),{type:"email"}),i=e.filter(r=>(t.value=r,!t.checkValidity()));return s.value=e.join(","),{emails:e,invalid:i}}function Pt(n){let s=n.elements.namedItem("email");return s.value.trim()!==""&&s.checkValidity()}function y(n,s,...e){return o("div",{key:s,class:"message",part:"message"},m(n),o("p",{class:"strong",dir:"auto"},s),e)}function L(n){return o("p",{class:"muted",dir:"auto"},n)}function q(n,s,e){let t=o("button",{part:"button",onclick:e},n.t("retry"));return y("warning",n.t("error.load"),L(n.reason(s)),t)}function Q(n){return o("p",{key:"loading",class:"muted",role:"status"},n.t("loading"))}function ge(n,s){let e=i=>o("div",{class:`bar ${i}`}),t=i=>o("li",{key:i,class:"item"},o("div",{class:"picture bar"}),o("div",{class:"texts"},e("long"),e("short")));return[o("p",{key:"loading",class:"hidden",role:"status"},n.t("loading")),o("ul",{key:"skeleton",class:`items ${s} skeleton`,"aria-hidden":"true"},[1,2,3,4].map(t))]}function Mt(n,s,e){return o("button",{key:"more",class:"more",part:"button more","aria-disabled":s&&"true",onclick:e},n.t(s?"loading":"more"))}function be(n,s,e,...t){return o("div",{class:"heading",part:"header"},o("div",{class:"name"},o("h2",{part:"title",tabindex:"-1"},s),!!e&&o("p",{class:"muted small",part:"count"},k(n.t("count",{count:e})))),t)}function J(n,s=""){let e={name:"from",maxlength:100,autocomplete:"given-name",dir:"auto",value:s,"aria-describedby":"from-hint"};return[o("label",{key:"from"},n.t("share.from"),o("input",e)),o("p",{key:"from-hint",id:"from-hint",class:"muted small"},n.t("share.from.hint"))]}function C(n,s){return s.dt||n.t("product")}function N(n,s,e,t){let i=n.t(e);return o("button",{key:t.class,part:"button","aria-label":`${i}: ${C(n,s)}`,...t},i)}function ve(n,s,{key:e,corner:t,details:i,actions:r}){let a=C(n,s),l=b(s.du);return o("li",{key:e||s.epi,class:"item",part:"item","data-epi":s.epi},o("div",{class:"picture",part:"picture"},l?o("a",{href:l,tabindex:"-1","aria-hidden":"true"},It(s)):It(s),t),o("div",{class:"texts"},o("h3",{part:"item-title"},l?o("a",{href:l},w(a)):w(a)),s.vi&&o("p",{key:"variant",class:"muted small",part:"variant"},w(s.vi)),s.pr!==null&&s.pr!==void 0&&zi(n,s.pr,s.spr),s.avl&&s.avl!=="in"&&o("p",{key:"stock",class:"stock small",part:"stock"},n.t(`stock.${s.avl}`)),i,s.note?.trim()&&Oi(s.note)),o("div",{class:"actions",part:"actions"},r))}function zi(n,s,e=s){let t=n.price(s),i=e===s?t:n.t("price.changed",{before:n.price(e),now:t});return o("p",{key:"price",class:`price ${e>s?"strong":""}`,part:"price"},k(i))}function Oi(n){let s=n.length>160||n.split(`
`).length>4,e=w(n);return o(s?"details":"p",{key:"note",class:"note",part:"note"},s?o("summary",null,e):e)}function It({iu:n,epi:s}){return[m("picture"),Qe(n,s)]}function Qe(n,s=""){let e=b(n),t=i=>i.target.toggleAttribute("hidden",!0);return e&&o("img",{key:`${s} ${e}`,src:e,alt:"",loading:"lazy",decoding:"async",onerror:t})}var qt=1e6;function ye(n,s,e){let t=(a,l,d)=>o("button",{key:l,class:"icon","aria-label":a,"aria-disabled":d<1&&"true",onclick:()=>i(d)},m(l)),i=a=>{let l=a>=1&&a<=qt;return l&&e(Math.round(a)),l},r=({currentTarget:a})=>{let l=a;i(Number(l.value))||(l.value=String(s))};return o("div",{class:"quantity",part:"quantity",role:"group","aria-label":n.t("quantity")},t(n.t("quantity.less"),"minus",s-1),o("input",{type:"number",inputmode:"numeric",min:1,max:qt,"aria-label":n.t("quantity"),value:String(s),onchange:r}),t(n.t("quantity.more"),"plus",s+1))}function we(){let n=document.querySelector("link[rel~=canonical][href]")?.href||"";return(b(n)||location.href).replace(/#.*/,"")}var Be=["backinstock","comingsoon","pricedrop","lowstock"],Ke=1,Ge=100,Y=class extends E{constructor(){super(...arguments);this.state="form";this.waits=!1;this.email="";this.problem=""}start(){this.e(/^log/,()=>this.load()),this.e(/^subscribed$/,({subscriptions:e})=>this.state==="form"&&!this.s&&this.follow(e)),this.e(/^unsubscribed$/,({subscriptions:e})=>e.some(this.S,this)&&this.show("form")),this.e(/^(queued|synced)$/,(e,t)=>this.wait(t==="queued")),this.e(/^error$/,()=>this.update()),this.wait(this.I),this.a(document,"visibilitychange",()=>this.state==="confirm"&&!document.hidden&&this.find()),u(()=>this.load())}i(e){return/^(epi|topic)$/.test(e)}get subject(){return Be.find(e=>e===this.getAttribute("topic"))||"backinstock"}S({epi:e,topic:t}){return Number(e)===Number(this.getAttribute("epi"))&&t===this.subject}wait(e){this.waits=e,this.update()}get I(){return this.client.queued().filter(({name:t,args:i})=>/^subscriptions/.test(t)&&this.S(i)).pop()?.name==="subscriptions.add"}follow(e){let t=e.find(i=>this.S(i)&&i.status!==Ke);t&&(this.waits=!1,/@/.test(t.mediumvalue)&&(this.email=t.mediumvalue),this.show(t.unconfirmed?"confirm":"subscribed"))}show(e){this.state=e,this.update()}async load(){this.s=void 0,this.show("form"),await _(this.client,"subscriptions").catch(t=>(x(this.client,this,t),t.code==="feature-not-enabled"))?this.show("off"):await this.find()}async find(){let{client:e,subject:t,state:i}=this;if(!e.shopper.current())return;let r=await e.subscriptions.fetch({topic:t,medium:"email",limit:Ge}).catch(()=>{});!r||this.s||this.state!==i||this.subject!==t||(this.show("form"),this.follow(r.subscriptions))}async subscribe(e){let{form:t,value:i}=A(e);if(this.s)return;if(this.email=i("email"),!Pt(t))return this.u(this.t("email.invalid"));this.problem="";let r=this.s={};this.update();let a=()=>this.s===r;try{let l=await this.M(()=>this.client.subscriptions.add(this.q()));if(!a())return;l&&(this.state=l.some(({unconfirmed:d})=>d)?"confirm":"subscribed"),this.n(".notice")}catch(l){let d=l.code==="invalid-parameter";a()&&this.u(d?this.t("email.invalid"):this.reason(l))}finally{a()&&(this.s=void 0),this.update()}}q(){let e=this.getAttribute("targetprice");return{epi:this.getAttribute("epi")||"",empi:this.getAttribute("empi")||"",du:b(this.getAttribute("du"))||we(),topic:this.subject,medium:"email",mediumvalue:this.email,...e&&{targetprice:e}}}u(e){this.problem=e,this.n("input")}async h(){if(!this.email)return this.show("form"),this.n("input");await this.act(()=>this.client.subscriptions.add(this.q()))&&this.toast(this.t("share.sent",{email:this.email}))}async V(){let e={epi:this.getAttribute("epi")||"",topic:this.subject,medium:"email"};this.state="form",await this.act(()=>this.client.subscriptions.remove(e),()=>this.state="subscribed"),this.n("input")}view(){if(this.state==="off")return[];if(this.waits&&!this.s&&this.I)return[this.notice("offline","lists.pending",this.t("queued"))];if(this.state==="confirm"){let{email:e}=this,t=e?this.t("notify.confirm.hint",{email:e}):this.t("notify.confirm.open"),i=o("button",{key:"again",class:"quiet",part:"button",onclick:()=>this.h()},this.t("notify.again"));return[this.notice("mail","notify.confirm",t,i)]}return this.state==="subscribed"?[this.notice("check","notify.done")]:[o("form",{key:"form",class:"notify",part:"form","aria-labelledby":"title",novalidate:!0,onsubmit:e=>this.subscribe(e)},o("p",{id:"title",class:"strong",part:"title"},this.t(`notify.${this.subject}`)),o("div",{class:"inline"},H({label:this.t("email"),problem:this.problem}),o("button",{class:"primary",part:"button primary",type:"submit","aria-disabled":this.s&&"true"},this.t("notify.submit"))))]}notice(e,t,i,r){return o("div",{key:e,class:"notice",part:"notice",role:"status",tabindex:"-1"},m(e),o("div",null,o("p",{class:"strong"},this.t(t)),i&&o("p",{key:"text",class:"muted"},i),r,o("button",{key:"stop",class:"quiet",part:"button",onclick:()=>this.V()},this.t("notify.stop"))))}};Y.observedAttributes=["epi","empi","topic","targetprice","lang"];var Ni="XXXXXX",Z=class extends E{constructor(){super(...arguments);this.alerts=[];this.state="loading";this.loads=0}start(){this.e(/^(un)?subscribed$/,()=>this.load()),this.e(/^log/,()=>this.reset()),this.a(document,"visibilitychange",()=>!document.hidden&&this.alerts.some(({unconfirmed:e})=>e)&&this.load()),this.a(window,"online",()=>this.state==="error"&&this.reset()),u(()=>this.load())}i(){return!1}reset(){this.alerts=[],this.state="loading",this.update(),u(()=>this.load())}async load(){let e=this.loads+=1;try{await _(this.client,"subscriptions");let t=await this.fetch();if(e!==this.loads)return;this.alerts=t,this.state="ready"}catch(t){if(e!==this.loads)return;x(this.client,this,t);let{code:i}=t;if(i==="identity-changed")return;this.problem=t,this.state=i==="feature-not-enabled"?"off":"error"}this.update()}async fetch(){let{client:e}=this;return e.shopper.current()?(await Promise.all(Be.map(r=>e.subscriptions.fetch({topic:r,limit:Ge})))).flatMap(({subscriptions:r})=>r.filter(({status:a})=>a!==Ke)).sort((r,a)=>a.cts-r.cts):[]}async end(e){let{epi:t,topic:i}=e,r=this.alerts.indexOf(e);this.alerts=this.alerts.filter(l=>l!==e),this.n("[tabindex='-1']"),await this.act(()=>this.client.subscriptions.remove({epi:t,topic:i}),()=>{this.alerts.splice(r,0,e),this.update()})&&this.toast(this.t("item.removed",{product:C(this,e)}))}async h(e,t,i){let r={...e,medium:t,mediumvalue:i};await this.act(()=>this.client.subscriptions.add(r))&&this.toast(this.t("share.sent",{email:i}))}view(){let{state:e,alerts:t}=this;if(e==="off")return[];let i=this.t("alerts.title");return[o("section",{class:"collection",part:"section","aria-label":i,"aria-busy":String(e==="loading")},be(this,k(i),void 0,o("slot",{name:"actions"})),e==="loading"&&ge(this,"rows"),e==="error"&&q(this,this.problem,()=>this.reset()),e==="ready"&&t.length===0&&y("mail",this.t("alerts.empty"),L(this.t("alerts.hint")),o("slot",{name:"empty"})),e==="ready"&&t.length>0&&o("ul",{key:"alerts",class:"items rows",part:"items"},t.map(r=>this.row(r))))]}row(e){let t={...e,note:""},{topic:i,targetprice:r}=e,a=r?this.t("alerts.target",{price:this.price(r)}):this.t(`alerts.${i}`),l=e.mediumvalue!==Ni,d=[o("p",{key:"topic",class:"small",part:"topic"},k(a)),e.unconfirmed&&o("p",{key:"unconfirmed",class:"muted small",part:"unconfirmed"},this.t("notify.confirm.open")),e.unconfirmed&&!l&&this.againForm(e,C(this,t))],c=[e.unconfirmed&&l&&N(this,t,"notify.again",{class:"quiet",onclick:()=>this.h(e,e.medium,e.mediumvalue)}),N(this,t,"notify.stop",{class:"quiet remove",onclick:()=>this.end(e)})];return ve(this,t,{key:`${i} ${e.epi}`,details:d,actions:c})}againForm(e,t){let i=r=>this.h(e,"email",A(r).value("email"));return o("details",{key:"again",class:"again"},o("summary",{"aria-label":`${this.t("notify.again")}: ${t}`},this.t("notify.again")),o("form",{class:"inline",onsubmit:i},H({label:this.t("email"),problem:""}),o("button",{class:"primary",part:"button primary",type:"submit"},this.t("share.send"))))}};Z.observedAttributes=["currency","lang"];var ee=class extends E{constructor(){super(...arguments);this.m=!1}start(){this.e(/^log/,()=>this.load()),u(()=>this.load())}i(e){return/^(lid|epi)$/.test(e)}call(e,t,i=!0){let r={lid:this.getAttribute("lid"),epi:this.getAttribute("epi"),...t};return this.client.request({path:`lists/comments/${e}`,form:r,write:i})}async load(){this.comments=this.problem=void 0,this.update();try{this.comments=(await this.call("list",{limit:1e3},!1)).comments}catch(e){x(this.client,this,e),this.problem=e}this.update()}async add(e){let{form:t,value:i}=A(e),r=i("text");if(!r||this.m)return;this.m=!0,this.update();let a=await this.act(()=>this.call("add",{text:r,fromname:i("from")}));this.m=!1,a&&(this.comments=[...this.comments||[],a.comment],t.elements.namedItem("text").value=""),this.update()}async delete({id:e}){await this.act(()=>this.call("delete",{id:e}))&&(this.comments=this.comments?.filter(i=>i.id!==e),this.n("[tabindex='-1']"))}view(){let{comments:e,problem:t}=this;return t?[q(this,t,()=>this.load())]:e?[o("div",{class:"stack"},o("h3",{tabindex:"-1"},`${this.t("comments")} (${this.number(e.length)})`),e.length>0&&o("ul",{key:"comments",class:"stack",part:"comments"},e.map(i=>this.row(i))),this.hasAttribute("can-add")&&this.form())]:[Q(this)]}row(e){let{id:t,text:i,fromname:r,cby:a,mine:l}=e,d=r||a,c=this.t("item.remove"),p=l||this.hasAttribute("can-delete");return o("li",{key:t,part:"comment"},d&&o("p",{key:"who",class:"small strong"},w(d)),o("p",{key:"text",class:"note",dir:"auto"},i),p&&o("button",{key:"remove",class:"quiet",part:"button","aria-label":`${c}: ${i}`,onclick:()=>this.delete(e)},c))}form(){return o("form",{key:"add",class:"stack",onsubmit:e=>this.add(e)},o("label",{key:"text"},this.t("share.note"),o("textarea",{name:"text",required:!0,maxlength:1e3,dir:"auto"})),J(this),o("button",{key:"send",class:"primary",part:"button primary",type:"submit","aria-disabled":this.m&&"true"},this.t("share.send")))}};ee.observedAttributes=["lid","epi","can-add","can-delete","lang"];function W(n,{title:s,kind:e,before:t,onclose:i},...r){return o("dialog",{key:"dialog",class:e,part:"dialog","aria-labelledby":"dialog-title",ref:Wi,onclose:i,onclick:a=>a.target===a.currentTarget&&te(a)},o("div",{class:"panel"},o("div",{class:"top"},t,o("h2",{id:"dialog-title",part:"dialog-title",tabindex:"-1"},typeof s=="string"?w(s):s),o("button",{key:"close",class:"icon","aria-label":n.t("close"),onclick:te},m("close"))),o("div",{class:"content"},r)))}function te(n){n.currentTarget.closest("dialog")?.close()}function Wi(n){queueMicrotask(()=>{n.isConnected&&(n.showModal(),Ct(n))})}var ie="new";function ke(n,{item:s,lists:e,variants:t,onclose:i,onsave:r}){let l=t.some(({epi:h})=>Number(h)===s.epi)?t:[{epi:s.epi,vi:s.vi||"\u2013"},...t],d=(s.note||"").trim(),c=h=>{let{value:f}=A(h),g=f("list")===ie?{lname:f("name")}:e.find(({lid:z})=>z===f("list"))||{lid:s.lid,lname:""},j=t.find(({epi:z})=>String(z)===f("variant")&&Number(z)!==s.epi);te(h);let S=f("note")===d?s:{...s,note:f("note")||" "};return r({noted:S,list:g,variant:j})},p=({currentTarget:h})=>{let f=h,g=f.form?.querySelector(".new-list");g?.toggleAttribute("hidden",f.value!==ie),g?.querySelector("input")?.toggleAttribute("required",f.value===ie)};return W(n,{title:C(n,s),onclose:i},o("form",{class:"stack",onsubmit:c},l.length>1&&o("label",{key:"variant"},n.t("item.variant"),o("select",{name:"variant",value:String(s.epi)},l.map(({epi:h,vi:f})=>o("option",{key:h,value:String(h)},f||String(h))))),o("label",{key:"note"},n.t("item.note"),o("textarea",{name:"note",maxlength:1e3,dir:"auto",value:d})),o("label",{key:"list"},n.t("item.list"),o("select",{name:"list",value:s.lid,onchange:p},e.map(({lid:h,lname:f})=>o("option",{key:h,value:h},f)),o("option",{key:ie,value:ie},`${n.t("item.list.new")} \u2026`))),o("label",{key:"name",class:"new-list",hidden:!0},n.t("lists.name"),o("input",{name:"name",maxlength:100,dir:"auto"})),o("div",{class:"row end"},o("button",{key:"cancel",onclick:te},n.t("cancel")),o("button",{key:"save",class:"primary",part:"button primary",type:"submit"},n.t("save")))))}function xe(n,s,e){let t,i={...e,respondWith:l=>t=[l]},r=new CustomEvent(s,{bubbles:!0,composed:!0,cancelable:!0,detail:i}),a=n.dispatchEvent(r);return t?{answer:t,isAllowed:a}:{isAllowed:a}}var Ri=5e3;async function Ee(n,s){let{answer:e=[]}=xe(n,"wishbone:variants",{item:{...s}}),t=new Promise((r,a)=>setTimeout(a,Ri,new Error("wishbone:variants was answered too late."))),i=await Promise.race([e[0],t]);return Array.isArray(i)?i.filter(r=>Number(r?.epi)>0):[]}async function Le({items:n},s,e){let{lid:t,epi:i,empi:r}=s,a={...s,...Ue(e)},l=await n.add({...a,lid:t});return await n.remove({lid:t,epi:i,empi:r}),l.items[0]||a}function Ue({epi:n,vi:s="",pr:e=null,sku:t="",...i}){return{...i,epi:Number(n),vi:s,pr:e===null?null:Number(e),sku:t}}async function Ce({lists:n},{lid:s,lname:e}){return s?{lid:s,lname:e}:n.create({lname:e})}function Se({items:n},{lid:s,epi:e,empi:t},i){return n.move({fromlid:s,tolid:i.lid,items:{epi:e,empi:t}})}var Ae=new Map,zt=new Map,ji=/^items\.add$/,$i=/\.(remove|movedToCart)$/,Ot=({settings:{store:n}},s,e)=>`${n} ${s} ${e}`;function Nt(n,s,e,t){let i=Ot(n,s,e),r={};return zt.set(i,r),Ae.set(i,t),()=>{zt.get(i)===r&&Ae.delete(i)}}function Wt(){Ae.clear()}var Je=(n,s,e)=>Ae.get(Ot(n,s,e));function Ye(n,s,e){return Je(n,s,e)??_i(n,s,e)}function _i(n,s,e){let t=Ze(n,void 0,i=>String(i.epi)===s,e);return t&&t.length>0}function Ze(n,s,e,t){let i=s;for(let{name:r,args:a}of Di(n)){let{items:l=a,lid:d=""}=a,c=ji.test(r);if(!(t&&t!==d||!(c||(t?$i:/^items\.remove$/).test(r))))for(let p of[l].flat()){let h=Number(p?.epi);if(!p||!(e(p)||i?.some(g=>g.epi===h)))continue;let f=(i||[]).filter(g=>g.epi!==h||d&&g.lid&&g.lid!==d);i=c?[...f,{epi:h,lid:d}]:f}}return i}var Xe=new Map;function Di(n){let s=Xe.get(n);return s||(Xe.set(n,s=n.queued()),queueMicrotask(()=>Xe.delete(n))),s}var Vi=/^((saved-)?(added|removed)|moved|saved-moved-to-cart|lists?-|log|queued|synced)/,Fi="button, label, input, select, textarea",et=new Set,B=class extends E{constructor(){super(...arguments);this.total=0;this.pressed=!1;this.z=()=>{}}start(){this.e(Vi,()=>this.load()),this.e(/^error$/,({replayed:e})=>e&&this.load()),this.e(/^log/,()=>this.r()),this.a(window,"online",()=>u(()=>this.load())),u(()=>this.load())}i(e){return/^(epi|empi|lid)$/.test(e)&&(this.places=void 0),/^(epi|empi|lid|count)$/.test(e)}async load(){await Promise.all([this.ask().catch(e=>x(this.client,this,e)),this.F()]),this.update()}async ask(){let{epi:e,empi:t,lid:i,key:r}=this.ids(),{items:a}=this.client,l=i?void 0:"wl",d=e||!t?(await a.contains({epis:e,lty:l})).map(c=>({epi:Number(e),lid:c})):await a.contains({empis:t,lty:l});this.ids().key===r&&(this.places=i?d.filter(c=>c.lid===i):d)}async F(){this.hasAttribute("count")&&(this.total=await this.client.counts.social(this.getAttribute("empi")||"").catch(()=>this.total))}ids(){let[e="",t="",i=""]=["epi","empi","lid"].map(a=>this.getAttribute(a)||""),r=e||`of ${t}`;return{epi:e,empi:t,lid:i,id:r,key:`${r} ${i}`}}get current(){let{epi:e,empi:t,lid:i}=this.ids(),r=a=>e?String(a.epi)===e:String(a.empi)===t;return Ze(this.client,this.places,r,i)}get O(){let{id:e,lid:t}=this.ids(),{current:i}=this;return Je(this.client,e,t)??(i&&i.length>0)}async press(){let{client:e}=this,{key:t}=this.ids(),i=`${e.settings.store} ${t}`;if(!et.has(i)){et.add(i);try{await this.ask().catch(r=>{if(!this.current)throw r}),this.O?this.f(this.current||[]):await this.add()}catch(r){this.failed(r)}finally{et.delete(i)}}}async add(){let{epi:e,lid:t}=this.ids(),i=this.product();this.z();let r=e?[]:await Ee(this,i),[a={epi:e||i.empi}]=r,l={...i,...a,lid:t||void 0};u(async()=>{let c=(await this.change(!0,()=>this.client.items.add(l)))?.items[0];c&&!t&&await this.H(c,r)})}f(e){let{items:t}=this.client,i=[...new Set(e.map(({lid:a})=>a))],r=a=>t.remove({lid:a||void 0,items:e.filter(l=>l.lid===a)});u(async()=>{let l=(await this.change(!1,()=>Promise.all(i.map(r))))?.filter(p=>p.items.length>0);if(!l?.length)return;let d=()=>this.change(!0,()=>Promise.all(l.map(({lid:p,items:h})=>t.add({lid:p,items:h})))),c=this.getAttribute("dt")||this.t("product");this.z=this.toast(this.t("item.removed",{product:c}),{action:{label:this.t("undo"),run:d}})})}async change(e,t){let{id:i,lid:r}=this.ids(),a=Nt(this.client,i,r,e);this.pressed=e,Rt();let l=await this.act(t,()=>u(()=>this.load()));return await this.load(),a(),Rt(),l}async H(e,t){let i=await this.client.lists.fetch({lty:"wl"}),r=i.find(({lid:c})=>c===e.lid);if(!r||i.length<2&&t.length<2)return;let a=c=>c.target.closest(Fi)||c.preventDefault(),l=c=>this.save(e,c),d=()=>this.r(c=>o("div",{key:"place",class:"place",onclick:a},ke(this,{item:e,lists:i,variants:t,onclose:c,onsave:l})));this.toast(this.t("heart.saved",{list:r.lname}),{action:{label:this.t("change"),run:d}})}async save(e,{noted:t,list:i,variant:r}){let{client:a}=this;await this.act(async()=>{let d=r?await Le(a,t,r):t;return!r&&t!==e&&await a.items.update(t),i.lid===e.lid||Se(a,{...d,lid:e.lid},await Ce(a,i))})&&i.lid!==e.lid&&this.toast(this.t("item.moved",{list:i.lname}))}product(){let e=t=>this.getAttribute(t)||void 0;return{empi:e("empi")||"",du:b(e("du"))||we(),dt:e("dt"),iu:b(e("iu"))||void 0,pr:e("pr"),vi:e("vi")}}view(){let e=this.getAttribute("dt"),t=this.getAttribute("variant")==="button",i=this.O,r=[this.t("heart.add"),e].filter(Boolean).join(": "),a=(l,d)=>o("span",{class:!l&&"off"},d);return[o("button",{class:`heart-button${t?"":" icon"}${this.pressed?" pressed":""}`,part:`button heart${i?" pressed":""}`,"aria-pressed":i!==void 0&&String(i),"aria-label":!t&&r,title:!t&&r,onclick:l=>(l.preventDefault(),this.press())},m("heart"),t&&o("span",{class:"both"},a(!i,this.t("heart.add")),a(!!i,this.t("heart.added")))),this.hasAttribute("count")&&this.Q()]}Q(){let e=this.total;return o("span",{class:"social",part:"count"},e>0&&o("span",{"aria-hidden":"true"},this.number(e)),e>0&&o("span",{class:"hidden"},this.t("heart.count",{count:e})))}};B.observedAttributes=["epi","empi","dt","lid","variant","count","lang"];function Rt(){O.forEach(n=>n instanceof B&&n.update())}function Te(n,s,e){let t=I(document.documentElement);F(D(t,n,s),{...e,lang:U(t)})}function $t(n){let s=!1;n.on("queued",()=>{s||Te("queued"),s=!0}),n.on("synced",()=>{s&&Te("synced"),s=!1}),n.on("error",({replayed:e})=>e&&Te("failed",{},{kind:"error"}))}function _t(){addEventListener("storage",({key:n,newValue:s})=>{/^wishbone\.queue /.test(n||"")&&(s&&Wt(),Ft())})}var jt=3;function Dt(n){n.on("login",({lists:s=[],remote:e})=>{Ve();let t=[...new Set(s.filter(({cnt:r})=>r>0).map(({lname:r})=>r))],i=t.slice(0,jt).join(", ")+(t.length>jt?" \u2026":"");i&&!e&&Te("login.merged",{list:i})}),n.on("logout",Ve)}function Vt(){new MutationObserver(Ft).observe(document.documentElement,{attributeFilter:["lang"]})}function Ft(){O.forEach(n=>n.update())}var Ht={toast:F,setTexts:Ne},Qt="wishbone-toasts";function Bt(n){return function(e,{texts:t,currency:i}={}){for(let[a,l]of Object.entries(t||{}))Ne(a,l);M.currency=i||M.currency;let r=M.clients.length===0;if(typeof customElements>"u"||r&&customElements.get(Qt))return Ht;M.clients.includes(e)||(M.clients.push(e),$t(e),Dt(e));for(let[a,l]of Object.entries({[Qt]:V,...n}))customElements.get(a)||customElements.define(a,l);return At(),r&&Hi(),Ht}}function Hi(){_t(),Vt(),document.body?u(fe):document.addEventListener("DOMContentLoaded",()=>u(fe))}async function Kt(n,s,e=!1){let{answer:t,isAllowed:i}=xe(n,"wishbone:add-to-cart",{item:{...s},quantity:s.qty||1});if(t)return await t[0],!0;let r=b(s.du);if(i&&(e||!r))throw new Error("Nothing handles wishbone:add-to-cart, and the item has no address.");i&&location.assign(r)}var Gt=200,Qi=/^(list-not-found|forbidden|not-granted)$/,Pe=class extends E{constructor(){super(...arguments);this.items=[];this.next=null;this.state="loading";this.g=!1;this.l=new Set;this.results=new Map;this.changes=new Map;this.loads=0;this.N=!1}start(){this.e(/^(saved-)?(added|removed|updated|moved)/,(e,t)=>this.follow(t,e)),this.e(/^lists?-/,({list:e})=>(!e||!this.list||e.lid===this.list.lid)&&this.load()),this.e(/^log/,()=>this.reset()),this.a(window,"online",()=>this.state!=="ready"&&this.reset()),u(()=>this.load())}i(e){return/^(lid|key|link-hosts)$/.test(e)&&this.reset(),!1}reset(){this.r(),this.list=void 0,this.results.clear(),this.items=[],this.next=null,this.state="loading",u(()=>this.load())}async load(){let e=this.loads+=1,t=this.items.length;try{let[i,r]=await Promise.all([this.fetch(null),T(this.client)]);this.N=r.includes("subscriptions");let a=i?this.current(i):[],l=i?.next??null;for(;l&&a.length<t;){let d=await this.fetch(l);a=[...a,...d?this.current(d):[]],l=d?.next??null}if(e!==this.loads)return;this.list=i?.list,this.items=a,this.next=l,this.state="ready"}catch(i){e===this.loads&&this.fail(i)}this.update()}fail(e){let{code:t}=e;t!=="identity-changed"&&(this.problem=e,x(this.client,this,e),Qi.test(String(t))?this.state="gone":t==="feature-not-enabled"?this.state="off":this.list||(this.state=navigator.onLine?"error":"offline"))}async more(){if(this.g||!this.next)return;let e=this.loads,t=/^\d+$/.test(this.next)?String(this.items.length):this.next;this.g=!0,this.update();try{let i=await this.fetch(t);if(i&&e===this.loads){let r=new Set(this.items.map(({epi:a})=>a));this.items=[...this.items,...this.current(i).filter(({epi:a})=>!r.has(a))],this.next=i.next}}catch(i){this.toast(this.reason(i),{kind:"error"})}this.g=!1,this.update()}current({list:e,items:t}){return t.filter(({epi:i})=>Ye(this.client,String(i),e.lid)!==!1)}follow(e,{lid:t,fromlid:i,tolid:r,epis:a,items:l,remote:d}){let c=e.replace("saved-","");if(!this.list)return void this.load();if(c==="moved")i===this.list.lid&&this.drop(a),r===this.list.lid&&this.load();else{if(t!==this.list.lid)return;c==="added"?this.put(l.filter(p=>!this.B(p)),0):c==="updated"?this.put(l.filter(({epi:p})=>!this.changes.get(p))):d&&!a.every(p=>this.items.some(h=>h.epi===p))?this.load():this.drop(a.filter(p=>!Ye(this.client,String(p),t)))}}B({cts:e}){let t=this.items[this.items.length-1];return this.next!==null&&t!==void 0&&e<t.cts}put(e,t){let i=new Map(e.map(r=>[r.epi,r]));this.items=this.items.map(r=>{let a=i.get(r.epi);return i.delete(r.epi),a||r}),t!==void 0&&this.items.splice(t,0,...i.values()),this.W(t===void 0?0:i.size)}drop(e){this.K(e);let t=this.items.length;this.items=this.items.filter(({epi:i})=>!e.includes(i)),this.W(this.items.length-t),this.items.length===0&&this.next&&this.more()}W(e){this.list&&(this.list={...this.list,cnt:(this.list.cnt||0)+e}),this.update()}f(e){let{calls:t}=this,{lid:i,epi:r,empi:a}=e,l=this.items.indexOf(e),d=()=>this.put([e],l),c=()=>(d(),this.act(()=>t.add({...e,lid:i}),()=>this.drop([r])));this.drop([r]);let p=this.t("item.removed",{product:C(this,e)}),h=this.toast(p,{action:{label:this.t("undo"),run:c}}),f=()=>{d(),h()};u(()=>this.act(()=>t.remove({epi:r,empi:a,lid:i}),f))}async change(e,t){let{calls:i}=this,{epi:r}=e,a=c=>this.changes.set(r,(this.changes.get(r)||0)+c);this.put([{...e,...t}]),a(1);let l=()=>i.update({...e,...t}).finally(()=>a(-1)),d=await this.act(l,()=>this.put([e]));d&&!this.changes.get(r)&&this.put(d.items)}async b(e,t=!1){if(this.l.has(e.epi))return!1;let i=C(this,e),r=(a,l)=>t?this.results.set(e.epi,a):this.toast(a,l);this.l.add(e.epi),this.results.delete(e.epi),this.update();try{if(e.avl==="out")throw new Error("It is sold out.");let a=await Kt(this,e,t);return a&&r(this.t("cart.added",{product:i}),this.R()),a||!1}catch(a){return r(typeof a=="string"?a:this.t("cart.failed",{product:i}),{kind:"error"}),!1}finally{this.l.delete(e.epi),this.update()}}async G(){if(this.l.size>0)return;for(;this.next&&this.items.length<Gt;){let{length:r}=this.items;if(await this.more(),this.items.length===r)break}this.results.clear();let e=0;for(let r of this.items.slice(0,Gt))e+=Number(await this.b(r,!0));let t=this.results.size-e,i=r=>({product:this.t("count",{count:r})});e>0&&this.toast(this.t("cart.added",i(e)),this.R()),t>0&&this.toast(this.t("cart.failed",i(t)),{kind:"error"})}R(){let e=b(this.getAttribute("cart-url"));return e?{action:{label:this.t("cart.view"),run:()=>location.assign(e)}}:{}}K(e){let t=this.root.activeElement||this.querySelector(":focus"),i=t?.closest("[data-epi]");if(!i||!e.includes(Number(i.getAttribute("data-epi"))))return;((i.nextElementSibling||i.previousElementSibling)?.querySelector(`[class="${t?.className}"]`)||this.root.querySelector("[tabindex='-1']"))?.focus()}};function Me(n,s){if(Array.isArray(n))return n.map(a=>Me(a,s));if(typeof n!="object"||!n)return n;let{tag:e,props:t,children:i}=n,r=[e,t.part,...String(t.class).split(" ")].find(a=>s[String(a)]);return o(e,{...t,class:s[String(r)]},Me(i,s))}var R=class extends Pe{constructor(){super(...arguments);this.A=[]}get count(){return this.list?.cnt}controls(){}j(){}get v(){}gone(){return y("warning",this.t("error.gone"))}view(){let{state:e,heading:t}=this;this.A=[];let i=e!=="off"&&[o("section",{class:"collection",part:"section","aria-label":t,"aria-busy":String(e==="loading")},be(this,(t===this.list?.lname?w:k)(t),e==="ready"?this.count:void 0,o("slot",{name:"actions",class:!this.list?.cnt&&"vacant"}),this.controls()),this.j(),this.body())];return this.classNames&&$(this,this.A),[i]}body(){let{state:e,items:t,next:i,layout:r}=this;return e==="loading"?ge(this,r):e==="gone"?this.gone():e==="offline"?y("offline",this.t("list.offline"),L(this.t("list.offline.hint"))):e==="error"?q(this,this.problem,()=>this.reset()):t.length===0&&!i?this.empty():[this.U(o("ul",{key:"items",class:`items ${r}`,part:"items",slot:"items"},t.map(a=>this.item(a)))),i&&Mt(this,this.g,()=>this.more())]}U(e){return this.classNames?(this.A=[Me(e,this.classNames)],o("slot",{key:"items",name:"items"})):e}item(e){let{lid:t,epi:i}=e,r=()=>o("wishbone-comments",{key:"comments",lid:t,epi:i,...this.v}),a=this.v&&this.$("quiet comments",e,"comments",r);return ve(this,e,{corner:this.corner(e),actions:[this.actions(e),a]})}T(e,t,i){let{epi:r,empi:a,du:l}=e;if(e.avl==="out")return this.N&&this.$("cart",e,"notify.submit",()=>o("wishbone-notify",{epi:r,empi:a,du:l}));let d=this.l.has(r)&&"true";return N(this,e,t,{class:"primary cart",part:"button primary","aria-disabled":d,onclick:i})}$(e,t,i,r){let a=C(this,t);return N(this,t,i,{class:e,onclick:()=>this.r(d=>W(this,{title:a,onclose:d},r()))})}};var K={sortorder:"desc"},ne=[["sort.newest",K],["sort.price.asc",{sortby:"price",sortorder:"asc"}],["sort.price.desc",{sortby:"price",sortorder:"desc"}],["sort.title",{sortby:"title",sortorder:"asc"}]],Ut=[["","filter.all"],["instock","filter.instock"],["outofstock","stock.out"]];function Xt(n,s,e){let{filterby:t}=s,i=d=>d.sortby===s.sortby&&d.sortorder===s.sortorder,r=({currentTarget:d})=>{let[,c=K]=ne[d.selectedIndex]||[];e(t?{...c,filterby:t}:c)},a=({currentTarget:d})=>{let c=Ut[d.selectedIndex]?.[0],{filterby:p,...h}=s,[,f=h]=ne.find(([,g])=>i(g))||[];e(c?{...h,filterby:c}:f)},l=(d,c)=>o("option",{key:d,value:c},n.t(d));return o("div",{key:"order",class:"row order",part:"controls"},o("label",{key:"sort"},n.t("sort"),o("select",{value:(ne.find(([,d])=>i(d))||ne[0])?.[0],onchange:r},ne.map(([d])=>l(d,d)))),o("label",{key:"filter"},n.t("filter"),o("select",{value:t||"",onchange:a},Ut.map(([d,c])=>l(c,d)))))}var se=class extends R{constructor(){super(...arguments);this.layout="grid";this.order=K;this.y=!1;this.lists=[]}get calls(){return this.client.items}start(){this.e(/^log/,({lists:e=[]})=>{let t=e.find(({lid:i})=>i===this.list?.lid);this.chosen=t&&(t.into||t.lid),this.lists=[]}),this.e(/^list-/,()=>this.lists.length>0&&this.load()),super.start()}i(e){return e==="lid"&&(this.chosen=void 0),super.i(e)}async fetch(e){let{client:t}=this;if(!t.shopper.current())return;let i=this.getAttribute("lid");i||(this.lists=await t.lists.fetch({lty:"wl"}));let r=i?this.chosen||i:(this.lists.find(({lid:a})=>a===this.chosen)||this.lists[0])?.lid;if(r){if(this.y=(await T(this.client)).includes("sort-filter")&&t.shopper.current()?.from!=="guest",this.y)try{return await t.lists.page({lid:r,next:e,...this.order})}catch(a){if(!/^(sort-filter-disabled|user-not-logged-in)$/.test(a.code))throw a;this.y=!1}return t.lists.page({lid:r,next:e})}}put(e,t){t===0&&this.order!==K?this.load():super.put(e,t)}get heading(){return this.list?.lname||this.t("list.title")}get v(){let{anonRead:e,itemcmnts:t}=this.list||{},i=e||t||this.client.shopper.current()?.from!=="guest";return this.hasAttribute("comments")&&i?{"can-add":!0,"can-delete":!0}:void 0}controls(){let e=this.y&&(this.items.length>1||this.order!==K);return[this.lists.length>1&&!this.getAttribute("lid")&&this.X(),this.items.some(({avl:t})=>t!=="out")&&this.items.length>1&&o("button",{key:"all",class:"all",part:"button","aria-disabled":this.l.size>0&&"true",onclick:()=>this.G()},this.t("cart.all")),e&&Xt(this,this.order,t=>u(()=>this.J(t)))]}X(){let e=({currentTarget:r})=>{this.chosen=r.value,this.reset()},t=this.list?.lid||this.chosen,i=this.lists.map(({lid:r,lname:a})=>o("option",{key:r,value:r},a));return o("label",{key:"switcher",class:"switcher"},this.t("item.list"),o("select",{value:t,onchange:e},i))}async J(e){let t=this.order;this.order=e,this.problem=void 0,await this.load(),!(!this.problem||this.order!==e)&&(this.order=t,this.toast(`${this.t("error.load")} ${this.reason(this.problem)}`,{kind:"error"}),this.update())}get count(){return this.order.filterby?this.next?void 0:this.items.length:super.count}empty(){return this.order.filterby?y("list",this.t("filter.none")):y("heart",this.t("list.empty"),L(this.t("list.hint")),o("slot",{name:"empty"}))}corner(e){let t=(i,r,a,l)=>{let d=`${a}: ${C(this,e)}`;return o("button",{key:r,class:`icon ${r}`,part:"button","aria-label":d,title:a,onclick:l},m(i))};return o("div",{class:"corner"},t("edit","edit",this.t("item.edit"),()=>this.edit(e)),t("close","remove",this.t("item.remove"),()=>this.f(e)))}actions(e){return[this.hasAttribute("quantity")&&ye(this,e.qty||1,t=>this.change(e,{qty:t})),this.T(e,"cart.add",()=>this.b(e)),this.results.has(e.epi)&&o("p",{key:"result",class:"small result",part:"result",dir:"auto"},this.results.get(e.epi))]}async edit(e){let[t,i]=await Promise.all([this.client.lists.fetch({lty:"wl"}).catch(()=>this.list?[this.list]:[]),Ee(this,e).catch(()=>[])]),r=a=>this.save(e,a);this.r(a=>ke(this,{item:e,lists:t,variants:i,onclose:a,onsave:r}))}async save(e,{noted:t,list:i,variant:r}){let a=t;r?a=await this.replace(t,r):t!==e&&await this.change(e,{note:t.note||""}),a&&i.lid!==e.lid&&await this.move(a,i)}async replace(e,t){let i=this.items.findIndex(({epi:a})=>a===e.epi),r={...e,...Ue(t)};return this.drop([e.epi,r.epi]),this.put([r],i),this.act(()=>Le(this.client,e,t),()=>u(()=>this.load()))}async move(e,t){try{let i=await Ce(this.client,t),r=this.items.findIndex(({epi:l})=>l===e.epi);this.drop([e.epi]),await this.act(()=>Se(this.client,e,i),()=>this.put([e],r))&&this.toast(this.t("item.moved",{list:i.lname}))}catch(i){this.failed(i)}}};se.observedAttributes=["lid","cart-url","currency","quantity","comments","lang"];function Jt(n,s){let e=n;for(let{name:t,args:i,key:r}of s){let{lid:a,lname:l,lty:d}=i;t==="lists.create"&&l&&(d||"wl")==="wl"&&(e=[...e,{lid:r,lname:l,isPending:!0}]),t==="lists.update"&&l&&(e=e.map(c=>c.lid===a?{...c,lname:l}:c)),t==="lists.delete"&&(e=e.filter(c=>c.lid!==a))}return e}var Bi=150,Ki=12,oe=class extends E{constructor(){super(...arguments);this.lists=[];this.w=!1;this.c=!1;this.pictures=new Map;this.shopper={}}start(){this.c=!1,this.chosen=void 0,this.e(/^(added|removed|moved$|lists?-)/,()=>this.soon()),this.e(/^list-/,({list:e},t)=>{let{shopper:i}=this;setTimeout(()=>i===this.shopper&&this.follow(t,e))}),this.e(/^(queued|synced|error)$/,()=>this.update()),this.e(/^log/,()=>this.reset()),this.a(window,"online",()=>this.problem&&u(()=>this.load())),u(()=>this.load())}i(){return!1}reset(){this.shopper={},this.lists=[],this.w=!1,this.pictures.clear(),this.chosen=void 0,this.update(),u(()=>this.load())}soon(){clearTimeout(this.timer),this.timer=setTimeout(()=>u(()=>this.load()),Bi)}async load(){try{let e=this.client.shopper.current();!e&&this.c&&await T(this.client),this.lists=e?await this.client.lists.fetch({lty:"wl"}):[],this.problem=void 0,this.w=!0}catch(e){x(this.client,this,e),e.code!=="identity-changed"&&(this.problem=e)}this._(),this.update()}_(){if(!this.c)return;let{pictures:e,shopper:t}=this;for(let{lid:i,version:r,cnt:a}of this.lists.slice(0,Ki)){let l=e.get(i);if(l?.version===r||(e.set(i,{version:r,iu:a&&l?.iu||""}),!a))continue;let d=({items:[c]})=>{t===this.shopper&&e.set(i,{version:r,iu:c?.iu||""}),this.update()};this.client.lists.details({lid:i,limit:1}).then(d,()=>{})}}follow(e,t){let{lid:i,lname:r,lty:a}=t,l=this.lists.some(d=>d.lid===i);e==="list-deleted"?this.lists=this.lists.filter(d=>d.lid!==i):l?this.lists=this.lists.map(d=>d.lid===i?{...d,...t}:d):e==="list-created"&&r&&(a||"wl")==="wl"&&(this.lists=[...this.lists,t]),this.update()}choose(e,t){this.chosen=e,this.n(t)}async create(e){let{form:t,value:i}=A(e),r=i("name");r&&(t.reset(),await this.save(()=>this.client.lists.create({lname:r})))}async rename(e,{lid:t,lname:i}){let r=A(e).value("name");this.choose(void 0,re(t)),r&&r!==i&&await this.save(()=>this.client.lists.update({lid:t,lname:r}))}async delete({lid:e,lname:t}){this.choose(void 0,"#dialog-title"),await this.save(()=>this.client.lists.delete({lid:e}))&&this.toast(this.t("item.removed",{product:t}))}save(e){let t=this.act(e,()=>this.update());return this.update(),t}view(){let e=this.lists.reduce((r,{cnt:a=0})=>r+a,0),t=[this.t("lists.title"),this.w&&this.t("count",{count:e})].filter(Boolean).join(", ");return[o("button",{key:"open",class:"open",part:"button","aria-haspopup":"dialog","aria-label":t,onclick:()=>{this.c=!0,this.client.shopper.current()?this._():u(()=>this.load()),this.update()}},m("heart"),o("span",{class:"badge",part:"badge","aria-hidden":"true"},e>0&&this.number(e))),this.c&&this.drawer()]}drawer(){let{chosen:e}=this,t=e?.for==="items"?e.lid:"",i=()=>{this.c=!1,this.chosen=void 0,this.update()},r=()=>this.choose(void 0,re(t)),a=t&&o("button",{key:"back",class:"icon back","aria-label":this.t("lists.title"),onclick:r},m("forward"));return W(this,{title:k(this.t("lists.title")),kind:"drawer",before:a,onclose:i},t?this.items(t):[this.Y(),this.Z()])}items(e){let t=(...i)=>Object.fromEntries(i.map(r=>[r,this.getAttribute(r)]));return o("wishbone-list",{key:e,lid:e,...t("currency","cart-url","comments"),exportparts:"button, item, title"},this.hasAttribute("page")&&o("wishbone-share",{slot:"actions",lid:e,...t("page","login-url")}))}Y(){let e=Jt(this.lists,this.client.queued()),t=e.length>0&&o("ul",{key:"lists",class:"lists"},e.map(r=>this.row(r))),{problem:i}=this;return i&&this.lists.length===0?[q(this,i,()=>this.load()),t]:t||this.w?t||y("heart",this.t("lists.empty"),L(this.t("list.hint"))):Q(this)}row(e){let{lid:t,lname:i,cnt:r=0,isPending:a}=e;if(a)return o("li",{key:t,class:"line"},o("div",{class:"show"},this.label(e,this.t("lists.pending"))));let l=this.chosen?.lid===t?this.chosen.for:void 0,d=(g,j,S)=>o("button",{key:g,class:`quiet${S==="name"?"":" danger"}`,"aria-label":`${j}: ${i}`,onclick:()=>this.choose({lid:t,for:S},S==="name"?"form.rename input":".keep")},m(g),j),c=g=>{g.key!=="Escape"||!l||(g.preventDefault(),this.choose(void 0,re(t)))};if(l==="name")return o("li",{key:t,onkeydown:c},this.ee(e));if(l==="deletion")return o("li",{key:t,onkeydown:c},this.te(e));let p=l==="options",h=`${this.t("lists.options")}: ${i}`,f=()=>this.choose(p?void 0:{lid:t,for:"options"},"");return o("li",{key:t,class:"line",onkeydown:c},o("button",{key:"show",class:"show","data-lid":t,onclick:()=>this.choose({lid:t,for:"items"},".back")},this.label(e,this.t("count",{count:r})),m("forward")),o("button",{key:"options",class:"icon","aria-label":h,"aria-expanded":String(p),title:this.t("lists.options"),onclick:f},m("options")),p&&o("div",{key:"tools",class:"tools"},d("edit",this.t("lists.rename"),"name"),d("trash",this.t("lists.delete"),"deletion")))}label({lid:e,lname:t},i){let r=this.pictures.get(e)?.iu;return[o("span",{key:"picture",class:"thumbnail"},m("heart"),Qe(r)),o("span",{class:"strong"},w(t)),o("span",{key:"more",class:"muted small"},k(i))]}ee(e){let t=()=>this.choose(void 0,re(e.lid));return o("form",{key:"rename",class:"rename inline",onsubmit:i=>this.rename(i,e)},o("label",null,this.t("lists.name"),o("input",{name:"name",required:!0,maxlength:100,dir:"auto",value:e.lname})),o("button",{key:"save",class:"primary",type:"submit"},this.t("save")),o("button",{key:"cancel",class:"quiet",onclick:t},this.t("cancel")))}te(e){return o("div",{key:"confirm",class:"confirm",role:"group","aria-labelledby":"confirm-text"},o("p",{id:"confirm-text"},this.t("lists.delete.confirm",{list:e.lname})),o("div",{class:"row"},o("button",{key:"delete",class:"danger",onclick:()=>this.delete(e)},this.t("lists.delete")),o("button",{key:"keep",class:"quiet keep","aria-describedby":"confirm-text",onclick:()=>this.choose(void 0,re(e.lid))},this.t("cancel"))))}Z(){return o("form",{key:"create",class:"inline ruled","aria-labelledby":"create",onsubmit:e=>this.create(e)},o("h3",{id:"create"},this.t("item.list.new")),o("label",null,this.t("lists.name"),o("input",{name:"name",required:!0,maxlength:100,dir:"auto"})),o("button",{class:"primary",part:"button primary",type:"submit"},this.t("lists.create")))}};oe.observedAttributes=["currency","cart-url","comments","page","login-url","lang"];var re=n=>`[data-lid="${CSS.escape(n)}"]`;var ae=class extends R{constructor(){super(...arguments);this.layout="rows"}get calls(){return this.client.saveForLater}get heading(){return this.t("saved.title")}async fetch(e){let{client:t}=this;if(await _(this.client,"save-for-later"),!t.shopper.current()||!(await t.lists.fetch()).some(({lty:d})=>/^(_saveForLater|sfl)$/.test(d||"")))return;let{list:r,items:a,pagination:l}=await t.saveForLater.fetch({next:e});return{list:{...r,cnt:l.totalcount},items:a,next:l.next}}empty(){return y("list",this.t("empty"),L(this.t("saved.hint")),o("slot",{name:"empty"}))}corner(){}actions(e){return[ye(this,e.qty||1,t=>this.change(e,{qty:t})),this.T(e,"cart.move",()=>this.ie(e)),N(this,e,"item.remove",{class:"quiet remove",onclick:()=>this.f(e)})]}async ie(e){if(!await this.b(e))return;let{lid:t,epi:i,empi:r}=e,a=this.items.findIndex(l=>l.epi===i);this.drop([i]),await this.act(()=>this.client.saveForLater.movedToCart({lid:t,epi:i,empi:r}),()=>this.put([e],a))}};ae.observedAttributes=["cart-url","currency","lang"];var Yt=10,le=class extends E{constructor(){super(...arguments);this.state="closed";this.list="";this.others=[];this.sender="";this.k=!1;this.x=!1;this.E=""}start(){this.close(),this.e(/^log/,()=>this.state==="login"?this.open():this.state!=="closed"&&this.close()),this.e(/^unshared$/,({lid:e})=>e===this.list&&this.state==="ready"&&this.load())}i(e){return e==="lid"&&this.state!=="closed"}close(){this.state="closed",this.link=void 0,this.E=this.sender="",this.update()}open(){this.state="loading",this.update(),u(()=>this.load())}async load(){try{let e=await this.find();this.state!=="closed"&&(this.state=e)}catch(e){this.problem=e;let t=e.code==="user-not-logged-in";t||x(this.client,this,e),this.state!=="closed"&&(this.state=t?"login":"error")}this.update()}async find(){let{client:e}=this,t=e.shopper.current();if(!t||t.from==="guest")return await T(e),"login";let i=this.closest("wishbone-list")?.list;this.list=this.getAttribute("lid")||(i||await e.lists.ensure()).lid;let r=(await e.sharing.links({lid:this.list})).filter(({expired:a})=>!a);return this.link=r.filter(({scope:a,label:l})=>a==="view"&&!l).pop(),this.others=r.filter(a=>a!==this.link),"ready"}get address(){let e=this.getAttribute("page");return this.link?e?Gi(e,this.link.key):b(this.link.url):""}D(){return this.sender=this.root.querySelector("input[name=from]")?.value.trim()||"",this.sender}async create(){let{list:e}=this;if(this.k)return;this.k=!0,this.update();let t=await this.act(()=>this.client.sharing.createLink({lid:e,fromname:this.D()}));this.k=!1,this.update(),!(!t||e!==this.list)&&(this.link=t,this.n(".copy"))}async revoke(e){let{list:t}=this;if(!await this.act(()=>this.client.sharing.revokeLink({lid:t,key:e.key})))return;let r=e===this.link;r&&(this.link=void 0),this.others=this.others.filter(a=>a!==e),this.toast(this.t("share.revoked")),this.n(r?".create":"#dialog-title")}async copy(){let e=this.root.querySelector("input.address");try{await navigator.clipboard.writeText(this.address)}catch{if(e?.select(),!document.execCommand("copy"))return}this.toast(this.t("share.copied"))}async ne(){let{list:e}=this;await navigator.share({url:this.address}).then(()=>!0,()=>!1)&&await this.client.sharing.reportSocial({lid:e,medium:"native"}).catch(()=>{})}async mail(e){let{form:t,value:i}=A(e);if(this.x)return;let{emails:r,invalid:a}=Tt(t);if(r.length===0||a.length>0)return this.u([...a,this.t("email.invalid")].join(`
`));let{list:l}=this,d=this.D(),c=i("note");this.x=!0,this.E="",this.update();let p=r.slice(Yt),h=p.length>0?[this.t("error.limit")]:[],f=async S=>{try{await this.client.sharing.mail({lid:l,toemail:S,fromname:d,note:c})}catch(z){p.push(S),h.push(r.length>1?`${S}: ${this.reason(z)}`:this.reason(z))}};await Promise.all(r.slice(0,Yt).map(f)),this.x=!1,this.update();let g=r.filter(S=>!p.includes(S));g.length>0&&this.toast(this.t("share.sent",{email:g.join(", ")}));let j=(S,z="")=>t.elements.namedItem(S).value=z;j("email",p.join(",")),h.length>0?this.u(h.join(`
`)):j("note"),await this.find().catch(()=>{}),this.update()}u(e){this.E=e,this.n("input[type=email]")}view(){return[o("button",{key:"open",part:"button","aria-haspopup":"dialog",onclick:()=>this.open()},m("share"),this.t("share")),this.state!=="closed"&&W(this,{title:k(this.t("share.title")),onclose:()=>this.close()},o("div",{class:"stack"},this.content()))]}content(){return this.state==="loading"?Q(this):this.state==="error"?q(this,this.problem,()=>this.open()):this.state==="login"?this.login():[this.se(),this.re(),o("ul",{key:"others"},this.others.map(e=>this.other(e)))]}login(){let e=b((this.getAttribute("login-url")||"").replace("{return}",encodeURIComponent(location.href))),t=i=>{let r=new CustomEvent("wishbone:login-request",{bubbles:!0,composed:!0,cancelable:!0});this.dispatchEvent(r)||i.preventDefault()};return y("share",this.t("share.login"),e&&o("a",{class:"button primary",href:e,onclick:t},this.t("login")))}other(e){let t=e.label||this.t("share.link"),i=this.t("share.revoke");return o("li",{key:e.key,class:"line"},o("span",{class:"show small"},w(t)),o("button",{class:"quiet danger",part:"button","aria-label":`${i}: ${t}`,onclick:()=>this.revoke(e)},i))}se(){let e=(i,r,a,l=!1)=>o("button",{key:i,class:i,part:"button","aria-disabled":l&&"true",onclick:a},r),{link:t}=this;return t?o("div",{key:"link",class:"stack"},o("label",{key:"address"},this.t("share.link"),o("input",{class:"address",readonly:!0,dir:"ltr","aria-describedby":"link-hint",value:this.address,onfocus:i=>i.target.select()})),o("p",{id:"link-hint",class:"muted small"},this.t("share.hint")," ",t.fromname&&k(this.t("shared.by",{name:t.fromname}))),o("div",{class:"row"},e("primary copy",this.t("share.copy"),()=>this.copy()),"share"in navigator&&e("native",this.t("share.other"),()=>this.ne()),e("quiet danger",this.t("share.revoke"),()=>this.revoke(t)))):o("div",{key:"create",class:"stack"},L(this.t("share.hint")),J(this,this.sender),e("primary create",this.t("share.create"),()=>this.create(),this.k))}re(){return o("form",{key:"mail",class:"stack ruled",novalidate:!0,onsubmit:e=>this.mail(e)},o("h3",null,this.t("share.mail")),H({label:this.t("share.emails"),problem:this.E,autocomplete:"off",multiple:!0}),this.link&&J(this,this.sender),o("label",{key:"note"},this.t("share.note"),o("textarea",{name:"note",maxlength:1e3,dir:"auto"})),o("button",{key:"send",part:"button",type:"submit","aria-disabled":this.x&&"true"},this.t("share.send")))}};le.observedAttributes=["lid","page","login-url","lang"];function Gi(n,s){let e=location.origin+location.pathname,t=b(n.replace("{key}",encodeURIComponent(s)))||e;if(n.includes("{key}"))return t;let i=new URL(t);return i.searchParams.set("wishlist",s),b(i)}var de=class extends R{constructor(){super(...arguments);this.layout="grid"}get calls(){return this.client.items}get heading(){return this.list?.lname||this.t("shared.title")}j(){let{fromname:e,lnote:t}=this.list||{};return[e&&o("p",{key:"owner",class:"owner muted",part:"owner"},k(this.t("shared.by",{name:e}))),t&&o("p",{key:"note",class:"owner",part:"list-note"},w(t))]}get v(){let{canEdit:e,itemcmnts:t}=this.list||{};return e||t?{"can-add":e}:void 0}connectedCallback(){super.connectedCallback(),!this.o&&(this.o=document.createElement("meta"),this.o.name="robots",this.o.content="noindex",document.head.append(this.o))}disconnectedCallback(){super.disconnectedCallback(),!this.isConnected&&(this.o?.remove(),this.o=void 0)}async fetch(e){let t=this.oe();if(!t)return;let i=await this.client.lists.page({lid:t,next:e,shared:!0});return{...i,items:i.items.map(r=>({...r,du:this.ae(r.du)}))}}oe(){return this.getAttribute("key")||new URLSearchParams(location.search).get("wishlist")}ae(e){let t=a=>Ie(a,document.baseURI)?.host,i=(this.getAttribute("link-hosts")||"").split(/\s+/).map(a=>t(`//${a}`)),r=t(e);return r&&[location.host,...i].includes(r)?e:""}follow(){}gone(){return y("warning",this.t("shared.gone"),L(this.t("shared.gone.hint")))}empty(){return this.list?y("list",this.t("empty"),o("slot",{name:"empty"})):this.gone()}corner({epi:e,empi:t,du:i,dt:r,iu:a,vi:l,pr:d}){let c={epi:e,empi:t,du:i||location.origin,dt:r,iu:a,vi:l,pr:d};return o("div",{class:"corner"},o("wishbone-heart",{exportparts:"heart",...c}))}actions(e){return this.T(e,"cart.add",()=>this.b(e))}};de.observedAttributes=["key","link-hosts","cart-url","currency","lang"];var bo=Bt({"wishbone-heart":B,"wishbone-list":se,"wishbone-saved":ae,"wishbone-notify":Y,"wishbone-alerts":Z,"wishbone-comments":ee,"wishbone-share":le,"wishbone-shared-list":de,"wishbone-lists":oe});export{bo as install};
