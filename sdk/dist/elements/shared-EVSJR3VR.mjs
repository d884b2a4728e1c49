/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
var _e=/[^\w.~:/?#[\]@!$*+,;=%&-]|&(?=#|\w+;|quot\b)/gi;function De(e,n){try{let t=new URL(String(e),n);return e&&/^https?:$/.test(t.protocol)?t:void 0}catch{return}}function X(e){let n=De(e,globalThis.document?.baseURI);return n?n.href.replace(_e,escape):""}var Ie="http://www.w3.org/2000/svg",ee=["value","checked"],Ve=["href","src","action","formaction"],A=new WeakMap;function u(e,n,...t){return{tag:e,props:n||{},children:t}}function Ln(e){return u("bdi",null,e)}function Cn(e){return u("span",{dir:"auto"},e)}function k(e,n){let t=new Map;for(let o of e.childNodes){let a=A.get(o);if(a===void 0)continue;let s=t.get(j(a));s?s.push(o):t.set(j(a),[o])}let i=ne(n).map(o=>{let a=t.get(j(o))?.shift()||$e(o);return Qe(a,o),a});t.forEach(o=>o.forEach(a=>a.remove()));let r=e.firstChild;for(let o of i)o===r?r=r.nextSibling:e.insertBefore(o,r)}function ne(e){return e.flatMap(n=>Array.isArray(n)?ne(n):typeof n=="object"&&n?[n]:n||n===0?[String(n)]:[])}function j(e){return typeof e=="string"?"":`${e.tag} ${e.props.key??""}`}function $e(e){if(typeof e=="string")return document.createTextNode("");let{tag:n,props:t}=e,i=/^(svg|path)$/.test(n)?document.createElementNS(Ie,n):document.createElement(n);return n==="button"&&(i.type="button"),t.ref&&t.ref(i),i}function Qe(e,n){let t=A.get(e);if(A.set(e,n),typeof n=="string"){t!==n&&(e.data=n);return}let i=typeof t=="object"?t.props:{};for(let r of new Set([...Object.keys(i),...Object.keys(n.props)]))i[r]!==n.props[r]&&Fe(e,r,n.props[r],r in i);k(e,n.children);for(let r of ee)r in n.props&&i[r]!==n.props[r]&&(e[r]=n.props[r])}function Fe(e,n,t,i){n==="key"||n==="ref"||ee.includes(n)||(n.startsWith("on")?i||e.addEventListener(n.slice(2),r=>He(e,n,r)):t===!1||t===null||t===void 0?e.removeAttribute(n):e.setAttribute(n,t===!0?"":Ve.includes(n)?X(t):String(t)))}function He(e,n,t){let i=A.get(e).props[n];typeof i=="function"&&p(()=>i(t))}function qn(e){e.preventDefault();let n=e.currentTarget,t=new FormData(n);return{form:n,value:i=>String(t.get(i)||"").trim()}}function p(e){(async()=>e())().catch(n=>console.error(n))}var T=class extends Error{constructor(t,i,r={}){super(i);this.code=t;this.name="WishboneError";this.httpStatus=0;this.requestId="";this.retryable=!1;this.retryAfter=0;Object.assign(this,r)}};var R=new Map;async function P(e){try{let n=sessionStorage.getItem(ie(e));if(n)return JSON.parse(n)}catch{}return re(e)}function ie({settings:{base:e,store:n}}){return`wishbone.features ${e} ${n}`}function re(e){let n=R.get(e);if(n)return n;let t=e.features().then(i=>Ge(e,i)).finally(()=>R.delete(e));return R.set(e,t),t}function Ge(e,n){try{sessionStorage.setItem(ie(e),JSON.stringify(n))}catch{}return n}async function jn(e,n){if((await P(e)).includes(n)||(await re(e)).includes(n))return;let t=`wishbone store set '${e.settings.store}' --enable ${n}`;throw new T("feature-not-enabled",`The store does not have ${n}. Switch it on: ${t}`)}var te=new Set;function _(e,n,t){let{code:i,message:r}=t;if(i==="identity-changed"||i==="network"&&!navigator.onLine)return;let o=`wishbone store set '${e.settings.store}' --allow-origin ${location.origin}`,a=i==="network"?` If the store does not allow this page's origin: ${o}`:"",s=`<${n.localName}>: ${r}${a}`;te.has(s)||(te.add(s),console.error(s))}var h={clients:[],currency:""};var oe=':host{--_surface: var(--wishbone-surface, #fff);--_ink: var(--wishbone-ink, #1d2125);--_accent: var(--wishbone-accent, #1d2125);--_on-accent: var(--wishbone-on-accent, #fff);--_heart: var(--wishbone-heart, var(--_accent));--_danger: var(--wishbone-danger, #b3261e);--_plate: var(--wishbone-plate, #f1f0ed);--_muted: var(--wishbone-muted, color-mix(in srgb, currentcolor 72%, transparent));--_line: var(--wishbone-line, color-mix(in srgb, currentcolor 16%, transparent));--_edge: var(--wishbone-edge, color-mix(in srgb, currentcolor 58%, transparent));--_radius: var(--wishbone-radius, 10px);--_gap: var(--wishbone-gap, 20px);display:block;box-sizing:border-box;color:var(--wishbone-text, inherit);font-family:var(--wishbone-font, inherit);line-height:1.45;text-align:start}@supports (color: light-dark(#000,#fff)){:host{--_surface: var(--wishbone-surface, light-dark(#fff, #1e2226));--_ink: var(--wishbone-ink, light-dark(#1d2125, #eceef0));--_accent: var(--wishbone-accent, light-dark(#1d2125, #eceef0));--_on-accent: var(--wishbone-on-accent, light-dark(#fff, #16191c));--_danger: var(--wishbone-danger, light-dark(#b3261e, #ff9d94));--_plate: var(--wishbone-plate, light-dark(#f1f0ed, #292e33))}}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box}h2,h3,p,ul,form,fieldset{margin:0;padding:0;border:0;min-inline-size:0}ul{list-style:none}h2{font-size:1.25em;line-height:1.3;font-weight:650;text-wrap:balance}h3{font-size:1em;font-weight:650}a{color:inherit}.muted{color:var(--_muted)}.hidden{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.glyph{inline-size:1.25em;block-size:1.25em;flex:none;fill:none;stroke:currentcolor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}:host(:dir(rtl)) .forward{transform:scaleX(-1)}.back .forward{transform:scaleX(-1)}:host(:dir(rtl)) .back .forward{transform:none}:focus-visible{outline:2px solid var(--wishbone-focus, currentcolor);outline-offset:2px}[tabindex="-1"]:focus{outline:none}@media(prefers-reduced-motion:reduce){*,:before,::backdrop{animation:none!important;transition:none!important}}';var ae="dialog{visibility:visible;inline-size:min(480px,calc(100vw - 32px));max-block-size:min(720px,calc(100dvh - 48px));margin:auto;padding:0;border:0;border-radius:calc(var(--_radius) + 6px);background:var(--_surface);color:var(--_ink);box-shadow:0 24px 64px #00000047;overflow:hidden;overscroll-behavior:contain}dialog[open]{display:flex;flex-direction:column;animation:appear .18s ease-out}dialog::backdrop{background:#0c0e107a;animation:fade .18s ease-out}.panel{display:flex;flex-direction:column;flex:1;min-block-size:0;min-inline-size:0;max-block-size:inherit}.panel>.top{display:flex;align-items:center;gap:8px;padding-block:10px;padding-inline:24px 10px;border-block-end:1px solid var(--_line)}.panel>.top h2{flex:1;font-size:1.1em;overflow-wrap:anywhere}.panel>.content{flex:1;overflow:auto;padding:20px 24px 24px;padding-block-end:max(24px,env(safe-area-inset-bottom))}.row.end{justify-content:flex-end}@media(max-width:560px){dialog{inline-size:100vw;max-inline-size:none;margin-block-end:0;border-end-start-radius:0;border-end-end-radius:0}dialog[open]{animation-name:from-below}}@keyframes appear{0%{opacity:0;scale:.97}}@keyframes from-below{0%{translate:0 40px;opacity:0}}@keyframes fade{0%{opacity:0}}dialog.drawer{inline-size:min(520px,100vw);max-inline-size:none;block-size:100dvh;max-block-size:none;margin:0;margin-inline-start:auto;border-radius:0}dialog.drawer[open]{animation-name:fade}.place{display:contents}";var se="button,input,select,textarea{font:inherit;letter-spacing:inherit;color:inherit}button,.button{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-block-size:44px;padding:8px 16px;border:1px solid var(--_edge);border-radius:var(--_radius);background:none;font-weight:550;line-height:1.2;cursor:pointer;touch-action:manipulation;-webkit-tap-highlight-color:transparent;text-decoration:none;transition:background-color .15s,border-color .15s,opacity .15s}button:hover,.button:hover{background:var(--_line)}.primary{border-color:var(--_accent);background:var(--_accent);color:var(--_on-accent)}.primary:hover{background:var(--_accent);opacity:.88}.quiet{border-color:transparent;padding-inline:10px}.danger{color:var(--_danger)}button.icon{inline-size:44px;padding:0;border-color:transparent;border-radius:50%}button[aria-disabled=true]{opacity:.6;cursor:progress}label{display:block;font-size:.9em;font-weight:550}input,select,textarea{display:block;inline-size:100%;min-block-size:44px;margin-block-start:6px;padding:9px 12px;border:1px solid var(--_edge);border-radius:var(--_radius);background:var(--wishbone-field, transparent);font-size:max(16px,1em);font-weight:400}select option{background:var(--_surface);color:var(--_ink)}textarea{min-block-size:88px;resize:vertical}[aria-invalid=true]{border-color:var(--_danger)}.field-error{display:flex;white-space:pre-line;gap:6px;margin-block-start:6px;color:var(--_danger);font-weight:400}.stack{display:grid;gap:16px}.row{display:flex;flex-wrap:wrap;align-items:center;gap:10px}.inline{display:flex;flex-wrap:wrap;align-items:flex-end;gap:10px}.inline>label{flex:1 1 12em}.notice{display:flex;align-items:flex-start;gap:12px;padding:14px 16px;border:1px solid var(--_line);border-radius:var(--_radius)}.notice>.glyph{margin-block-start:.1em}.notice>div{display:grid;gap:4px;justify-items:start;overflow-wrap:anywhere}.notice button,.actions>.quiet:first-child{margin-inline-start:-10px}";var le=":host(wishbone-heart){--_size: var(--wishbone-heart-size, 44px);display:inline-flex;align-items:center;gap:4px;min-block-size:var(--_size);vertical-align:middle}.heart-button{min-block-size:var(--_size)}.heart-button .heart{inline-size:24px;block-size:24px;transition:fill .15s,color .15s,opacity .15s}.heart-button.icon{inline-size:var(--_size);border-color:var(--wishbone-heart-border, transparent);background:var(--wishbone-heart-background, none)}.heart-button.icon:hover{background:var(--wishbone-heart-background, var(--_line))}.heart-button:not([aria-pressed]) .heart{opacity:.5}[aria-pressed=true] .heart{color:var(--_heart);fill:currentcolor}.heart-button.pressed .heart{animation:pop .3s ease-out}@keyframes pop{40%{transform:scale(1.22)}}.both{display:grid}.both>span{grid-area:1 / 1}.both>.off{visibility:hidden}.social{min-inline-size:3ch;color:var(--_muted);font-size:.9em;font-variant-numeric:tabular-nums}.corner wishbone-heart{--wishbone-heart-size: 40px;--wishbone-heart-background: var(--_surface);color:var(--_ink)}";var de=".collection{container-type:inline-size}.heading{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:12px var(--_gap);margin-block-end:var(--_gap)}.owner{margin-block:calc(var(--_gap) * -.7) var(--_gap);overflow-wrap:anywhere}.heading .name{flex:1 1 auto;overflow-wrap:anywhere}.vacant{visibility:hidden}.order{flex-wrap:nowrap}.order label{flex:1 1 50%;min-inline-size:0;font-weight:400}.order select,.switcher select{margin-block-start:2px;text-overflow:ellipsis}.switcher{flex:1 1 8em;max-inline-size:16em;font-weight:400}.result{flex-basis:100%;overflow-wrap:anywhere}.small{font-size:.9em}.strong{font-weight:600}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--wishbone-item-width, 190px)),1fr));gap:calc(var(--_gap) * 1.4) var(--_gap)}.item{position:relative;display:flex;flex-direction:column;gap:12px;min-inline-size:0}.picture{position:relative;display:grid;aspect-ratio:var(--wishbone-picture-ratio, 4 / 5);border-radius:var(--_radius);background:var(--_plate)}.picture>.glyph,.picture>a{grid-area:1 / 1}.picture>a{display:grid;border-radius:inherit}.picture .glyph.picture{aspect-ratio:auto;background:none;place-self:center;inline-size:40px;block-size:40px;grid-area:1 / 1;stroke-width:1.2;opacity:.35}img{grid-area:1 / 1;inline-size:100%;block-size:100%;position:absolute;inset:0;object-fit:var(--wishbone-picture-fit, cover);border-radius:inherit}.corner{position:absolute;inset-block-start:8px;inset-inline-end:8px;display:flex;gap:6px}.corner button{inline-size:40px;min-block-size:40px;background:var(--_surface);color:var(--_ink);box-shadow:0 1px 4px #00000024}.corner button:hover{background:var(--_plate)}.texts{display:grid;align-content:start;gap:2px;flex:1;overflow-wrap:anywhere}.texts h3{font-weight:550;line-height:1.35}.texts a{text-decoration:none}.texts a:hover{text-decoration:underline;text-underline-offset:3px}.price{font-variant-numeric:tabular-nums}.stock{color:var(--_muted)}.note{margin-block-start:6px;padding-inline-start:10px;border-inline-start:2px solid var(--_line);color:var(--_muted);font-size:.9em;white-space:pre-line}summary{cursor:pointer}.note summary{list-style:none}.note summary::-webkit-details-marker{display:none}.note:not([open]) summary bdi{display:-webkit-box;overflow:hidden;-webkit-box-orient:vertical;-webkit-line-clamp:4}.actions{display:flex;flex-wrap:wrap;align-items:center;gap:8px}.grid .actions .cart{flex:1 1 auto}.quantity{display:inline-flex;align-items:center;border:1px solid var(--_edge);border-radius:var(--_radius)}.quantity button{inline-size:40px;min-block-size:42px}.quantity input{inline-size:3.2em;min-block-size:42px;margin:0;padding:0;border:0;background:none;text-align:center;font-variant-numeric:tabular-nums;appearance:textfield}.quantity input::-webkit-inner-spin-button{appearance:none}@container (max-width: 460px){.grid{grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--_gap) 12px}.order{flex:1 1 100%}}.more{display:flex;margin:calc(var(--_gap) * 1.5) auto 0}.message{display:grid;justify-items:center;gap:6px;padding:40px 16px;text-align:center;text-wrap:balance}.message>.glyph{inline-size:36px;block-size:36px;margin-block-end:6px;stroke-width:1.3;opacity:.6}.message>:is(button,.button){margin-block-start:12px}.bar{border-radius:6px;background:var(--_plate);animation:breathe 1.6s ease-in-out infinite alternate}.bar.long,.bar.short{block-size:.9em;margin-block:4px;inline-size:80%}.bar.short{inline-size:40%}@keyframes breathe{to{opacity:.5}}.rows{display:grid}.rows .item{display:grid;grid-template-columns:88px minmax(0,1fr);gap:6px 16px;padding-block:16px;border-block-start:1px solid var(--_line)}.rows .picture{grid-row:1 / 3;align-self:start}.rows .picture .glyph.picture{inline-size:28px;block-size:28px}@container (min-width: 720px){.rows .item{grid-template-columns:88px minmax(0,1fr) auto;align-items:center}.rows .picture{grid-row:auto}}.again{max-inline-size:30em}.again summary{padding-block:12px;font-weight:550}.notify{display:grid;gap:10px}.notify .inline{align-items:flex-start}.notify .inline>button{margin-block-start:calc(1.305em + 6px)}";var ce=":host(wishbone-lists),:host(wishbone-share){display:inline-block;vertical-align:middle}:host(wishbone-lists) wishbone-list{display:block}.open{gap:0;min-inline-size:44px;padding:0;border-color:transparent;border-radius:22px}.open .heart{inline-size:24px;block-size:24px}.badge{align-self:start;margin-inline-start:-8px;min-inline-size:20px;padding:2px 5px;border-radius:10px;background:var(--_accent);color:var(--_on-accent);font-size:12px;line-height:16px;font-variant-numeric:tabular-nums}.badge:empty{display:none}.lists>li{border-block-end:1px solid var(--_line)}.line{display:flex;flex-wrap:wrap;align-items:center}.line .options{stroke-width:3}.tools{display:flex;flex-wrap:wrap;flex:1 1 100%;padding-block-end:10px;padding-inline-start:62px}.line .show{flex:1;display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-content:center;gap:2px 14px;min-block-size:68px;padding-inline:8px;border:0;text-align:start;overflow-wrap:anywhere}.thumbnail{grid-row:1 / 3;position:relative;display:grid;place-items:center;inline-size:52px;aspect-ratio:1;border-radius:calc(var(--_radius) * .7);background:var(--_plate)}.thumbnail>.glyph{opacity:.35}.show>.strong{align-self:end}.show>.muted{grid-area:2 / 2;font-weight:400}.show>.forward{grid-area:1 / 3 / 3 / 3;align-self:center;opacity:.6}.rename,.confirm{padding:14px 8px}.confirm{display:grid;gap:10px;overflow-wrap:anywhere}.ruled>h3{flex:1 1 100%}.ruled{margin-block-start:8px;padding-block-start:20px}.stack.ruled{border-block-start:1px solid var(--_line)}";var ue=":host(wishbone-toasts){position:fixed;inset-inline:0;inset-block-end:0;z-index:2147483647;display:grid;justify-items:center;gap:8px;padding:16px;padding-block-end:max(16px,env(safe-area-inset-bottom));pointer-events:none;font-size:16px;color:var(--_ink);font-weight:400}:host(wishbone-toasts[inside]){position:sticky}:host(wishbone-toasts) [role]{display:grid;justify-items:center;gap:8px;max-inline-size:100%}:host(wishbone-toasts) [role]:empty{display:contents}.toast{display:flex;align-items:center;gap:4px;max-inline-size:min(100%,34em);padding:4px;padding-inline-start:18px;border-radius:calc(var(--_radius) + 4px);background:var(--wishbone-toast, #24292e);color:var(--wishbone-on-toast, #fff);box-shadow:0 8px 28px #0000003d;outline:1px solid rgb(255 255 255 / 14%);outline-offset:-1px;pointer-events:auto;animation:rise .2s ease-out}.toast p{flex:1;padding-block:8px;padding-inline-end:8px;overflow-wrap:anywhere}.toast button{border-color:transparent;color:inherit}.toast button:hover{background:#ffffff24}.toast .toast-action{text-decoration:underline;text-underline-offset:3px;white-space:nowrap}@keyframes rise{0%{opacity:0;translate:0 12px}}";var pe=[oe,se,le,de,ce,ae,ue].join(""),S;function L(e){try{S||(S=new CSSStyleSheet,S.replaceSync(pe)),e.adoptedStyleSheets=[S]}catch{let n=document.createElement("style");n.textContent=pe,e.append(n)}}var he=`close
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
lists.delete.confirm`,D={ja:`\u9589\u3058\u308B
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
Eliminare {list} con tutti i suoi articoli?`};var en=he.split(`
`),ge=e=>{let n=e.split(`
`);return Object.fromEntries(en.map((t,i)=>[t,n[i]||""]))},E=new Map(Object.entries(D).map(([e,n])=>[e,ge(n)])),nn=ge(D.en||"");function I(e,n){let t=fe(e).toLowerCase();E.set(t,{...E.get(t),...n})}function g(e){for(let n=e;n;n=V(n)){let{lang:t}=n;if(t&&!tn(n))return fe(t)}return navigator.languages.find(n=>$(n))||"en"}function tn(e){return/^wishbone-/.test(String(e.getRootNode().host?.localName))}function z(e){return $(e)?e:"en"}function fe(e){return e.replace(/_/g,"-")}function V(e){let n=e.parentNode;return e.assignedSlot||(n instanceof ShadowRoot?n.host:e.parentElement)}function v(e,n,t={}){let r=E.get(e.toLowerCase())?.[n]||$(e)?.[n]||nn[n]||"",[o="",a=o]=r.split("|");return("count"in t&&an(e,Number(t.count))!=="one"?a:o).replace(/\{(\w+)\}/g,(c,l)=>l in t?on(String(t[l])):c)}var rn=/[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;function on(e){return rn.test(e)?`\u2068${e}\u2069`:e}function $(e){let n=e.toLowerCase();return E.get(n)||E.get(n.split("-")[0]||"")}function an(e,n){return Q(()=>new Intl.PluralRules(e).select(n),n===1?"one":"other")}function be(e,n,t){let r=t?{style:"currency",currency:t}:{minimumFractionDigits:2,maximumFractionDigits:2};return Q(()=>new Intl.NumberFormat(e,r).format(n),String(n))}function ve(e,n){return Q(()=>new Intl.NumberFormat(e,{notation:"compact"}).format(n),String(n))}function Q(e,n){try{return e()}catch{return n}}var sn="button, input, select, textarea, summary, [role=button], a[class*=button i], a[class*=btn i]";function we(e,n){return[...e.querySelectorAll("*")].flatMap(t=>{if(t===n)return[];let i=t.shadowRoot?we(t.shadowRoot,n):[];return t.matches(sn)?[t.getBoundingClientRect(),...i]:i})}function xe(e,n){let{left:t,right:i,top:r,bottom:o}=e,a=we(document,n).filter(l=>l.width>1&&l.right>t&&l.left<i),s=[0,...a.map(l=>o-l.top+8)].filter(l=>l>=0&&l<r),c=l=>a.every(f=>f.bottom<=r-l||f.top>=o-l);return s.sort((l,f)=>l-f).find(c)||0}var ln={heart:"M12 20.3 4.6 13a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.4.5.4-.5a4.9 4.9 0 0 1 7 0 4.9 4.9 0 0 1 0 7Z",close:"M6 6l12 12M18 6 6 18",edit:"M4 20h4L19 9a2.1 2.1 0 0 0-3-3L5 17ZM14 8l3 3",trash:"M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7",picture:"M4 5h16v14H4ZM4 16l4.5-4.5L12 15l3-3 5 5M15.5 9h.01",minus:"M6 12h12",plus:"M6 12h12M12 6v12",share:"M12 15V4M8 8l4-4 4 4M6 12v7h12v-7",mail:"M4 6h16v12H4ZM4 7l8 6 8-6",check:"M5 12.5l4.5 4.5L19 7.5",options:"M5 12h.01M12 12h.01M19 12h.01",list:"M8 7h12M8 12h12M8 17h12M4 7h.01M4 12h.01M4 17h.01",forward:"M9 6l6 6-6 6",offline:"M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-5-2.7M12 19h.01",warning:"M12 4 3 19h18ZM12 10v4M12 16.5h.01"};function ye(e){return u("svg",{class:`glyph ${e}`,viewBox:"0 0 24 24","aria-hidden":"true"},u("path",{d:ln[e]}))}var dn=3,cn=8e3,ke=16,d,M=[],m=[],un=0,Ee,ze;function x(e,n={}){if(typeof document>"u")return()=>{};let t={...n,id:un+=1,message:e};return m=[...m.filter(i=>i.message!==e),t].slice(-dn),H(n.from),K(),G(),()=>C(t)}function q(){d||(d=document.createElement("wishbone-toasts")),d.isConnected||document.body?.append(d);for(let e of["scroll","resize"])addEventListener(e,pn,{passive:!0})}function pn(){clearTimeout(ze),m.length>0&&(ze=setTimeout(F,100))}function F(){if(!d)return;let e=m.length>0&&d.parentElement!==document.body;d.toggleAttribute("inside",e),d.style.translate="";let n=d instanceof w&&!e&&d.box();n&&(d.style.translate=`0 ${-xe(n,d)}px`)}function ct(e){M.push(e),H()}function H(e){q();let n=mn(e),t=n||document.body;!d||d.parentNode===t||(t.append(d),F(),n?.addEventListener("close",()=>H(),{once:!0}))}function mn(e){try{M=M.filter(t=>t.matches(":modal"));let n=M[M.length-1];if(n)return n;for(let t=e;t;t=t.parentNode||t.host)if(t instanceof HTMLDialogElement&&t.matches(":modal"))return t;return document.querySelector("dialog:modal")}catch{return null}}function G(){clearTimeout(Ee),m.length>0&&(Ee=setTimeout(hn,cn))}function hn(){if(d?.matches(":hover, :focus-within"))return G();C(m[0])}function B(){m=m.filter(({from:e})=>!e),K()}function C(e){let n=d?.matches(":focus-within");m=m.filter(i=>i!==e),K(),G();let t=n&&e?.from?.shadowRoot;t&&(t.querySelector("dialog")||t).querySelector("button, a[href], input, select")?.focus()}function K(){d instanceof w&&d.show(),F()}var gn=globalThis.HTMLElement||class{},w=class extends gn{constructor(){super();this.root=this.attachShadow({mode:"open"});L(this.root),this.show()}box(){let t=[...this.root.querySelectorAll(".toast")].map(({offsetWidth:c})=>c);if(t.length===0)return;let{left:i,top:r,width:o,height:a}=this.getBoundingClientRect(),s=Math.max(...t);return new DOMRect(i+(o-s)/2,r+ke,s,a-2*ke)}show(){let t=i=>m.filter(r=>(r.kind||"status")===i).map(r=>fn(r));p(()=>k(this.root,[u("div",{key:"status",role:"status","aria-live":"polite"},t("status")),u("div",{key:"alert",role:"alert"},t("error"))]))}};function fn(e){let{id:n,message:t,kind:i,action:r,from:o,lang:a}=e,s=g(o||document.documentElement),c=()=>(C(e),r?.run());return u("div",{key:n,class:`toast ${i||"status"}`,part:"toast",lang:a||s},u("p",{dir:"auto"},t),r&&u("button",{key:"action",class:"toast-action",part:"toast-action",onclick:c},r.label),u("button",{class:"icon","aria-label":v(s,"close"),onclick:()=>C(e)},ye("close")))}var bn=globalThis.HTMLElement||class{},b=new Set,U=new Set;function Ae(){U.forEach(e=>e.connectedCallback())}function vn(e){for(let n=e;n;n=V(n)){let t=n instanceof J&&n.getAttribute("store");if(t)return h.clients.find(({settings:i})=>i.store===t)}return h.clients[0]}var J=class extends bn{constructor(){super();this.root=this.shadowRoot||this.attachShadow({mode:"open"});this.stops=[];this.L=!1;this.C=!1;this.u="";L(this.root)}start(){}load(){}i(t){return!0}connectedCallback(){if(b.has(this))return this.root.querySelectorAll("dialog").forEach(wn);let t=vn(this);U[t?"delete":"add"](this),t&&(this.client=t,b.add(this),this.r(),p(()=>this.start()))}disconnectedCallback(){queueMicrotask(()=>{if(!this.isConnected){b.delete(this),U.delete(this);for(let t of this.stops.splice(0))t()}})}attributeChangedCallback(t,i,r){var o;!b.has(this)||i===r||(this[o="C"]||(this[o]=this.i(t)),this.update())}update(){this.L||(this.L=!0,queueMicrotask(()=>{this.L=!1,b.has(this)&&(this.C&&p(()=>this.load()),this.C=!1,p(()=>k(this.root,[this.view(),this.P?.()])),this.markLanguage(),this.u&&this.root.querySelector(this.u)?.focus(),this.u="")}))}markLanguage(){let t=g(this);for(let i of this.root.children)i.lang=z(t);for(let i of this.root.querySelectorAll("bdi"))i.lang=t}r(t){this.P=t&&(()=>t(()=>this.r())),this.update()}n(t){this.u=t,this.update()}e(t,i){this.stops.push(this.client.on("*",(r,o)=>t.test(o)&&p(()=>i(r,o))))}a(t,i,r){t.addEventListener(i,r),this.stops.push(()=>t.removeEventListener(i,r))}t(t,i){return v(g(this),t,i)}price(t){return be(g(this),t,this.getAttribute("currency")||h.currency)}number(t){return ve(g(this),t)}toast(t,i={}){return x(t,{...i,from:this,lang:z(g(this))})}async act(t,i=()=>{}){return this.M(()=>t().catch(r=>{i(),this.failed(r)}))}async M(t){let i=()=>{},r=new Promise(o=>{i=this.client.on("queued",()=>{this.toast(this.t("queued")),P(this.client).catch(a=>_(this.client,this,a)),o(void 0)})});try{return await Promise.race([t(),r])}finally{i()}}failed(t){let{code:i}=t;i!=="identity-changed"&&(_(this.client,this,t),this.toast(`${this.t("failed")} ${this.reason(t)}`,{kind:"error"}))}reason(t){let{code:i="",httpStatus:r=0}=t,o=Object.keys(Me).find(a=>Me[a]?.test(`${i} ${r}`));return this.t(o||"error.other")}},Me={"error.network":/^(network|timeout) /,"error.busy":/ (429|503)$/,"error.login":/^(user-not-logged-in|bad-regid) /,"error.limit":/^(limit-reached|queue-full) /,"error.gone":/^(list-not-found|forbidden|not-granted) /};function wn(e){e.removeAttribute("open"),p(()=>e.showModal())}var N=new Map,Te=new Map,xn=/^items\.add$/,yn=/\.(remove|movedToCart)$/,Se=({settings:{store:e}},n,t)=>`${e} ${n} ${t}`;function yt(e,n,t,i){let r=Se(e,n,t),o={};return Te.set(r,o),N.set(r,i),()=>{Te.get(r)===o&&N.delete(r)}}function Le(){N.clear()}var kn=(e,n,t)=>N.get(Se(e,n,t));function kt(e,n,t){return kn(e,n,t)??En(e,n,t)}function En(e,n,t){let i=zn(e,void 0,r=>String(r.epi)===n,t);return i&&i.length>0}function zn(e,n,t,i){let r=n;for(let{name:o,args:a}of Mn(e)){let{items:s=a,lid:c=""}=a,l=xn.test(o);if(!(i&&i!==c||!(l||(i?yn:/^items\.remove$/).test(o))))for(let f of[s].flat()){let W=Number(f?.epi);if(!f||!(t(f)||r?.some(y=>y.epi===W)))continue;let Z=(r||[]).filter(y=>y.epi!==W||c&&y.lid&&y.lid!==c);r=l?[...Z,{epi:W,lid:c}]:Z}}return r}var Y=new Map;function Mn(e){let n=Y.get(e);return n||(Y.set(e,n=e.queued()),queueMicrotask(()=>Y.delete(e))),n}function O(e,n,t){let i=g(document.documentElement);x(v(i,e,n),{...t,lang:z(i)})}function qe(e){let n=!1;e.on("queued",()=>{n||O("queued"),n=!0}),e.on("synced",()=>{n&&O("synced"),n=!1}),e.on("error",({replayed:t})=>t&&O("failed",{},{kind:"error"}))}function Ne(){addEventListener("storage",({key:e,newValue:n})=>{/^wishbone\.queue /.test(e||"")&&(n&&Le(),je())})}var Ce=3;function Oe(e){e.on("login",({lists:n=[],remote:t})=>{B();let i=[...new Set(n.filter(({cnt:o})=>o>0).map(({lname:o})=>o))],r=i.slice(0,Ce).join(", ")+(i.length>Ce?" \u2026":"");r&&!t&&O("login.merged",{list:r})}),e.on("logout",B)}function We(){new MutationObserver(je).observe(document.documentElement,{attributeFilter:["lang"]})}function je(){b.forEach(e=>e.update())}var Re={toast:x,setTexts:I},Pe="wishbone-toasts";function jt(e){return function(t,{texts:i,currency:r}={}){for(let[a,s]of Object.entries(i||{}))I(a,s);h.currency=r||h.currency;let o=h.clients.length===0;if(typeof customElements>"u"||o&&customElements.get(Pe))return Re;h.clients.includes(t)||(h.clients.push(t),qe(t),Oe(t));for(let[a,s]of Object.entries({[Pe]:w,...e}))customElements.get(a)||customElements.define(a,s);return Ae(),o&&An(),Re}}function An(){Ne(),We(),document.body?p(q):document.addEventListener("DOMContentLoaded",()=>p(q))}export{De as a,X as b,u as c,Ln as d,Cn as e,k as f,qn as g,p as h,P as i,jn as j,_ as k,ye as l,ct as m,b as n,J as o,yt as p,kn as q,kt as r,zn as s,jt as t};
