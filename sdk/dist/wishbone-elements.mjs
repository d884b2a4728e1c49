/*! Wishbone client script 0.1.0 | MIT OR Apache-2.0 */
var Qt=/[^\w.~:/?#[\]@!$*+,;=%&-]|&(?=#|\w+;|quot\b)/gi;function Ee(s,i){try{let e=new URL(String(s),i);return s&&/^https?:$/.test(e.protocol)?e:void 0}catch{return}}function b(s){let i=Ee(s,globalThis.document?.baseURI);return i?i.href.replace(Qt,escape):""}var Bt="http://www.w3.org/2000/svg",Qe=["value","checked"],Kt=["href","src","action","formaction"],ne=new WeakMap;function o(s,i,...e){return{tag:s,props:i||{},children:e}}function f(s){return o("bdi",null,s)}function O(s,i){let e=new Map;for(let r of s.childNodes){let a=ne.get(r);if(a===void 0)continue;let l=e.get(Le(a));l?l.push(r):e.set(Le(a),[r])}let t=Be(i).map(r=>{let a=e.get(Le(r))?.shift()||Gt(r);return Ut(a,r),a});e.forEach(r=>r.forEach(a=>a.remove()));let n=s.firstChild;for(let r of t)r===n?n=n.nextSibling:s.insertBefore(r,n)}function Be(s){return s.flatMap(i=>Array.isArray(i)?Be(i):typeof i=="object"&&i?[i]:i||i===0?[String(i)]:[])}function Le(s){return typeof s=="string"?"":`${s.tag} ${s.props.key??""}`}function Gt(s){if(typeof s=="string")return document.createTextNode("");let{tag:i,props:e}=s,t=/^(svg|path)$/.test(i)?document.createElementNS(Bt,i):document.createElement(i);return e.ref&&e.ref(t),t}function Ut(s,i){let e=ne.get(s);if(ne.set(s,i),typeof i=="string"){e!==i&&(s.data=i);return}let t=typeof e=="object"?e.props:{};for(let n of new Set([...Object.keys(t),...Object.keys(i.props)]))t[n]!==i.props[n]&&Jt(s,n,i.props[n],n in t);O(s,i.children);for(let n of Qe)n in i.props&&t[n]!==i.props[n]&&(s[n]=i.props[n])}function Jt(s,i,e,t){i==="key"||i==="ref"||Qe.includes(i)||(i.startsWith("on")?t||s.addEventListener(i.slice(2),n=>Yt(s,i,n)):e===!1||e===null||e===void 0?s.removeAttribute(i):s.setAttribute(i,e===!0?"":Kt.includes(i)?b(e):String(e)))}function Yt(s,i,e){let t=ne.get(s).props[i];typeof t=="function"&&p(()=>t(e))}function p(s){(async()=>s())().catch(i=>console.error(i))}var A={clients:[],currency:""};var Ke=":host{--_surface: var(--wishbone-surface, #fff);--_ink: var(--wishbone-ink, #1d2125);--_accent: var(--wishbone-accent, #1d2125);--_on-accent: var(--wishbone-on-accent, #fff);--_heart: var(--wishbone-heart, var(--_accent));--_danger: var(--wishbone-danger, #b3261e);--_plate: var(--wishbone-plate, #f1f0ed);--_muted: var(--wishbone-muted, color-mix(in srgb, currentcolor 72%, transparent));--_line: var(--wishbone-line, color-mix(in srgb, currentcolor 16%, transparent));--_edge: var(--wishbone-edge, color-mix(in srgb, currentcolor 58%, transparent));--_radius: var(--wishbone-radius, 10px);--_gap: var(--wishbone-gap, 20px);display:block;box-sizing:border-box;color:var(--wishbone-text, inherit);font-family:var(--wishbone-font, inherit);line-height:1.45;text-align:start}@supports (color: light-dark(#000,#fff)){:host{--_surface: var(--wishbone-surface, light-dark(#fff, #1e2226));--_ink: var(--wishbone-ink, light-dark(#1d2125, #eceef0));--_accent: var(--wishbone-accent, light-dark(#1d2125, #eceef0));--_on-accent: var(--wishbone-on-accent, light-dark(#fff, #16191c));--_danger: var(--wishbone-danger, light-dark(#b3261e, #ff9d94));--_plate: var(--wishbone-plate, light-dark(#f1f0ed, #292e33))}}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box}h2,h3,p,ul,form,fieldset{margin:0;padding:0;border:0;min-inline-size:0}ul{list-style:none}h2{font-size:1.25em;line-height:1.3;font-weight:650;text-wrap:balance}h3{font-size:1em;font-weight:650}a{color:inherit}.muted{color:var(--_muted)}.hidden{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}.glyph{inline-size:1.25em;block-size:1.25em;flex:none;fill:none;stroke:currentcolor;stroke-width:1.7;stroke-linecap:round;stroke-linejoin:round}:host(:dir(rtl)) .forward{transform:scaleX(-1)}.back .forward{transform:scaleX(-1)}:host(:dir(rtl)) .back .forward{transform:none}:focus-visible{outline:2px solid var(--wishbone-focus, currentcolor);outline-offset:2px}@media(prefers-reduced-motion:reduce){*,:before,::backdrop{animation:none!important;transition:none!important}}";var Ge="dialog{visibility:visible;inline-size:min(480px,calc(100vw - 32px));max-block-size:min(720px,calc(100dvh - 48px));margin:auto;padding:0;border:0;border-radius:calc(var(--_radius) + 6px);background:var(--_surface);color:var(--_ink);box-shadow:0 24px 64px #00000047;overflow:hidden;overscroll-behavior:contain}dialog[open]{display:flex;flex-direction:column;animation:appear .18s ease-out}dialog::backdrop{background:#0c0e107a;animation:fade .18s ease-out}.panel{display:flex;flex-direction:column;flex:1;min-block-size:0;min-inline-size:0;max-block-size:inherit}.panel>.top{display:flex;align-items:center;gap:8px;padding:10px 10px 10px 24px;padding-inline:24px 10px;border-block-end:1px solid var(--_line)}.panel>.top h2{flex:1;font-size:1.1em;overflow-wrap:anywhere}.panel>.content{flex:1;overflow:auto;padding:20px 24px 24px;padding-block-end:max(24px,env(safe-area-inset-bottom))}.row.end{justify-content:flex-end}@media(max-width:560px){dialog{inline-size:100vw;max-inline-size:none;margin-block-end:0;border-end-start-radius:0;border-end-end-radius:0}dialog[open]{animation-name:from-below}}@keyframes appear{0%{opacity:0;scale:.97}}@keyframes from-below{0%{translate:0 40px;opacity:0}}@keyframes fade{0%{opacity:0}}dialog.drawer{inline-size:min(520px,100vw);max-inline-size:none;block-size:100dvh;max-block-size:none;margin:0;margin-inline-start:auto;border-radius:0}dialog.drawer[open]{animation-name:fade}#dialog-title:focus{outline:none}.place{display:contents}";var Ue="button,input,select,textarea{font:inherit;letter-spacing:inherit;color:inherit}button{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-block-size:44px;padding:8px 16px;border:1px solid var(--_edge);border-radius:var(--_radius);background:none;font-weight:550;line-height:1.2;cursor:pointer;touch-action:manipulation;-webkit-tap-highlight-color:transparent;transition:background-color .15s,border-color .15s,opacity .15s}button:hover{background:var(--_line)}button.primary{border-color:var(--_accent);background:var(--_accent);color:var(--_on-accent)}button.primary:hover{opacity:.88}button.quiet{border-color:transparent;padding-inline:10px}button.danger{color:var(--_danger)}button.icon{inline-size:44px;padding:0;border-color:transparent;border-radius:50%}button[aria-disabled=true]{opacity:.6;cursor:progress}label{display:block;font-size:.9em;font-weight:550}input,select,textarea{display:block;inline-size:100%;min-block-size:44px;margin-block-start:6px;padding:9px 12px;border:1px solid var(--_edge);border-radius:var(--_radius);background:var(--wishbone-field, transparent);font-size:max(16px,1em);font-weight:400}select option{background:var(--_surface);color:var(--_ink)}textarea{min-block-size:88px;resize:vertical}[aria-invalid=true]{border-color:var(--_danger)}.field-error{display:flex;white-space:pre-line;gap:6px;margin-block-start:6px;color:var(--_danger);font-weight:400}.stack{display:grid;gap:16px}.row{display:flex;flex-wrap:wrap;align-items:center;gap:10px}.inline{display:flex;flex-wrap:wrap;align-items:flex-end;gap:10px}.inline>label{flex:1 1 12em}.notice{display:flex;align-items:flex-start;gap:12px;padding:14px 16px;border:1px solid var(--_line);border-radius:var(--_radius)}.notice:focus{outline:none}.notice>.glyph{margin-block-start:.1em}.notice>div{display:grid;gap:4px;justify-items:start;overflow-wrap:anywhere}.notice button,.actions>.quiet:first-child{margin-inline-start:-10px}";var Je=":host(wishbone-heart){--_size: var(--wishbone-heart-size, 44px);display:inline-flex;align-items:center;gap:4px;min-block-size:var(--_size);vertical-align:middle}.heart-button{min-block-size:var(--_size)}.heart-button .heart{inline-size:24px;block-size:24px;transition:fill .15s,color .15s,opacity .15s}.heart-button.icon{inline-size:var(--_size);border-color:var(--wishbone-heart-border, transparent);background:var(--wishbone-heart-background, none)}.heart-button.icon:hover{background:var(--wishbone-heart-background, var(--_line))}.heart-button:not([aria-pressed]) .heart{opacity:.5}[aria-pressed=true] .heart{color:var(--_heart);fill:currentcolor}.heart-button.pressed .heart{animation:pop .3s ease-out}@keyframes pop{40%{transform:scale(1.22)}}.both{display:grid}.both>span{grid-area:1 / 1}.both>.off{visibility:hidden}.social{min-inline-size:3ch;color:var(--_muted);font-size:.9em;font-variant-numeric:tabular-nums}.corner wishbone-heart{--wishbone-heart-size: 40px;--wishbone-heart-background: var(--_surface);color:var(--_ink)}";var Ye=".collection{container-type:inline-size}.heading{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:12px var(--_gap);margin-block-end:var(--_gap)}.owner{margin-block:calc(var(--_gap) * -.7) var(--_gap);overflow-wrap:anywhere}.heading .name{flex:1 1 auto;overflow-wrap:anywhere}.vacant{visibility:hidden}.heading h2:focus{outline:none}.order{flex-wrap:nowrap}.order label{flex:1 1 50%;min-inline-size:0;font-weight:400}.order select,.switcher select{margin-block-start:2px;text-overflow:ellipsis}.switcher{max-inline-size:16em;font-weight:400}.result{flex-basis:100%;overflow-wrap:anywhere}.small{font-size:.9em}.strong{font-weight:600}.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--wishbone-item-width, 190px)),1fr));gap:calc(var(--_gap) * 1.4) var(--_gap)}.item{position:relative;display:flex;flex-direction:column;gap:12px;min-inline-size:0}.picture{position:relative;display:grid;aspect-ratio:var(--wishbone-picture-ratio, 4 / 5);border-radius:var(--_radius);background:var(--_plate)}.picture>.glyph,.picture>a{grid-area:1 / 1}.picture>a{display:grid;border-radius:inherit}.picture .glyph.picture{aspect-ratio:auto;background:none;place-self:center;inline-size:40px;block-size:40px;grid-area:1 / 1;stroke-width:1.2;opacity:.35}img{grid-area:1 / 1;inline-size:100%;block-size:100%;position:absolute;inset:0;object-fit:var(--wishbone-picture-fit, cover);border-radius:inherit}.corner{position:absolute;inset-block-start:8px;inset-inline-end:8px;display:flex;gap:6px}.corner button{inline-size:40px;min-block-size:40px;background:var(--_surface);color:var(--_ink);box-shadow:0 1px 4px #00000024}.corner button:hover{background:var(--_plate)}.texts{display:grid;align-content:start;gap:2px;flex:1;overflow-wrap:anywhere}.texts h3{font-weight:550;line-height:1.35}.texts a{text-decoration:none}.texts a:hover{text-decoration:underline;text-underline-offset:3px}.price{font-variant-numeric:tabular-nums}.stock{color:var(--_muted)}.note{margin-block-start:6px;padding-inline-start:10px;border-inline-start:2px solid var(--_line);color:var(--_muted);font-size:.9em;white-space:pre-line}.note summary{list-style:none;cursor:pointer}.note summary::-webkit-details-marker{display:none}.note:not([open]) summary bdi{display:-webkit-box;overflow:hidden;-webkit-box-orient:vertical;-webkit-line-clamp:4}.actions{display:flex;flex-wrap:wrap;align-items:center;gap:8px}.grid .actions .cart{flex:1 1 auto}.quantity{display:inline-flex;align-items:center;border:1px solid var(--_edge);border-radius:var(--_radius)}.quantity button{inline-size:40px;min-block-size:42px}.quantity input{inline-size:3.2em;min-block-size:42px;margin:0;padding:0;border:0;background:none;text-align:center;font-variant-numeric:tabular-nums;appearance:textfield}.quantity input::-webkit-inner-spin-button{appearance:none}@container (max-width: 460px){.grid{grid-template-columns:repeat(2,minmax(0,1fr));gap:var(--_gap) 12px}.order{flex:1 1 100%}}.more{display:flex;margin:calc(var(--_gap) * 1.5) auto 0}.message{display:grid;justify-items:center;gap:6px;padding:40px 16px;text-align:center;text-wrap:balance}.message>.glyph{inline-size:36px;block-size:36px;margin-block-end:6px;stroke-width:1.3;opacity:.6}.message>button{margin-block-start:12px}.bar{border-radius:6px;background:var(--_plate);animation:breathe 1.6s ease-in-out infinite alternate}.bar.long,.bar.short{block-size:.9em;margin-block:4px;inline-size:80%}.bar.short{inline-size:40%}@keyframes breathe{to{opacity:.5}}.rows{display:grid}.rows .item{display:grid;grid-template-columns:88px minmax(0,1fr);gap:6px 16px;padding-block:16px;border-block-start:1px solid var(--_line)}.rows .picture{grid-row:1 / 3;align-self:start}.rows .picture .glyph.picture{inline-size:28px;block-size:28px}@container (min-width: 720px){.rows .item{grid-template-columns:88px minmax(0,1fr) auto;align-items:center}.rows .picture{grid-row:auto}}.notify{display:grid;gap:10px}.notify .inline{align-items:flex-start}.notify .inline>button{margin-block-start:calc(1.305em + 6px)}";var Xe=":host(wishbone-lists),:host(wishbone-share){display:inline-block;vertical-align:middle}:host(wishbone-lists) wishbone-list{display:block}.open{position:relative;inline-size:44px;padding:0;border-color:transparent;border-radius:50%}.open .heart{inline-size:24px;block-size:24px}.badge{position:absolute;inset-block-start:0;inset-inline-end:0;min-inline-size:20px;padding:2px 5px;border-radius:10px;background:var(--_accent);color:var(--_on-accent);font-size:12px;line-height:16px;font-variant-numeric:tabular-nums}.badge:empty{display:none}.lists>li{border-block-end:1px solid var(--_line)}.line{display:flex;flex-wrap:wrap;align-items:center}.line .options{stroke-width:3}.tools{display:flex;flex-wrap:wrap;flex:1 1 100%;padding-block-end:10px;padding-inline-start:62px}.line .show{flex:1;display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-content:center;gap:2px 14px;min-block-size:68px;padding-inline:8px;border:0;text-align:start;overflow-wrap:anywhere}.thumbnail{grid-row:1 / 3;position:relative;display:grid;place-items:center;inline-size:52px;aspect-ratio:1;border-radius:calc(var(--_radius) * .7);background:var(--_plate)}.thumbnail>.glyph{opacity:.35}.show>.strong{align-self:end}.show>.muted{grid-area:2 / 2;font-weight:400}.show>.forward{grid-area:1 / 3 / 3 / 3;align-self:center;opacity:.6}.rename,.confirm{padding-block:14px;padding-inline:8px}.confirm{display:grid;gap:10px;overflow-wrap:anywhere}.ruled>h3{flex:1 1 100%}.ruled{margin-block-start:8px;padding-block-start:20px}.stack.ruled{border-block-start:1px solid var(--_line)}a.button{display:inline-flex;align-items:center;min-block-size:44px;margin-block-start:12px;padding:8px 16px;border-radius:var(--_radius);background:var(--_accent);color:var(--_on-accent);font-weight:550;text-decoration:none}";var Ze=":host(wishbone-toasts){position:fixed;inset-inline:0;inset-block-end:0;z-index:2147483647;display:grid;justify-items:center;gap:8px;padding:16px;padding-block-end:max(16px,env(safe-area-inset-bottom));pointer-events:none;font-size:16px;color:var(--_ink);font-weight:400}:host(wishbone-toasts[inside]){position:sticky}:host(wishbone-toasts) [role]{display:grid;justify-items:center;gap:8px;max-inline-size:100%}:host(wishbone-toasts) [role]:empty{display:contents}.toast{display:flex;align-items:center;gap:4px;max-inline-size:min(100%,34em);padding:4px;padding-inline-start:18px;border-radius:calc(var(--_radius) + 4px);background:var(--wishbone-toast, #24292e);color:var(--wishbone-on-toast, #fff);box-shadow:0 8px 28px #0000003d;outline:1px solid rgb(255 255 255 / 14%);outline-offset:-1px;pointer-events:auto;animation:rise .2s ease-out}.toast p{flex:1;padding-block:8px;padding-inline-end:8px;overflow-wrap:anywhere}.toast button{border-color:transparent;color:inherit}.toast button:hover{background:#ffffff24}.toast .toast-action{text-decoration:underline;text-underline-offset:3px;white-space:nowrap}@keyframes rise{0%{opacity:0;translate:0 12px}}";var et=[Ke,Ue,Je,Ye,Xe,Ge,Ze].join(""),ie;function se(s){try{ie||(ie=new CSSStyleSheet,ie.replaceSync(et)),s.adoptedStyleSheets=[ie]}catch{let i=document.createElement("style");i.textContent=et,s.append(i)}}var nt=`close
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
list.error
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
saved.empty
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
alerts.error
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
shared.empty
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
lists.delete.confirm`,Ce={ja:`\u9589\u3058\u308B
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
\u30AA\u30D5\u30E9\u30A4\u30F3\u3067\u3059\u3002\u30AA\u30F3\u30E9\u30A4\u30F3\u306B\u623B\u308B\u3068\u5909\u66F4\u304C\u4FDD\u5B58\u3055\u308C\u307E\u3059\u3002
\u3059\u3079\u3066\u306E\u5909\u66F4\u3092\u4FDD\u5B58\u3057\u307E\u3057\u305F\u3002
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
\u30EA\u30B9\u30C8\u3092\u8AAD\u307F\u8FBC\u3081\u307E\u305B\u3093\u3067\u3057\u305F
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
\u3042\u3068\u3067\u8CB7\u3046\u5546\u54C1\u306F\u3042\u308A\u307E\u305B\u3093
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
\u901A\u77E5\u3092\u8AAD\u307F\u8FBC\u3081\u307E\u305B\u3093\u3067\u3057\u305F
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
\u4EFB\u610F\u3002\u30EA\u30B9\u30C8\u3068\u4E00\u7DD2\u306B\u8868\u793A\u3055\u308C\u307E\u3059\u3002
\u30E1\u30C3\u30BB\u30FC\u30B8
\u9001\u4FE1
{email} \u306B\u9001\u4FE1\u3057\u307E\u3057\u305F
\u30EA\u30B9\u30C8\u3092\u5171\u6709\u3059\u308B\u306B\u306F\u30ED\u30B0\u30A4\u30F3\u3057\u3066\u304F\u3060\u3055\u3044
\u30ED\u30B0\u30A4\u30F3
\u3053\u308C\u307E\u3067\u306B\u4FDD\u5B58\u3057\u305F\u5546\u54C1\u306E\u79FB\u52D5\u5148: {list}
\u5171\u6709\u30EA\u30B9\u30C8
\u3053\u306E\u30EA\u30B9\u30C8\u306F\u5171\u6709\u3055\u308C\u3066\u3044\u307E\u305B\u3093
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
You are offline. Your changes will be saved when you are back online.
All changes are saved.
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
Your list could not be loaded
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
Nothing saved for later
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
Your alerts could not be loaded
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
Optional. Friends see it with your list.
Message
Send
Sent to {email}
Log in to share your list
Log in
The items that you saved before are now in: {list}
Shared list
This list is not shared any more
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
Je bent offline. Je wijzigingen worden opgeslagen zodra je weer online bent.
Alle wijzigingen zijn opgeslagen.
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
Je lijst kon niet worden geladen
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
Niets bewaard voor later
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
Je meldingen konden niet worden geladen
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
Optioneel. Anderen zien hem bij je lijst.
Bericht
Versturen
Verstuurd naar {email}
Log in om je lijst te delen
Inloggen
Wat je eerder had opgeslagen, staat nu in: {list}
Gedeelde lijst
Deze lijst wordt niet meer gedeeld
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
Du bist offline. Deine \xC4nderungen werden gespeichert, sobald du wieder online bist.
Alle \xC4nderungen sind gespeichert.
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
Deine Liste konnte nicht geladen werden
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
Nichts f\xFCr sp\xE4ter gemerkt
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
Deine Benachrichtigungen konnten nicht geladen werden
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
Optional. Andere sehen ihn bei deiner Liste.
Nachricht
Senden
Gesendet an {email}
Melde dich an, um deine Liste zu teilen
Anmelden
Was du vorher gespeichert hast, ist jetzt in: {list}
Geteilte Liste
Diese Liste wird nicht mehr geteilt
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
Vous \xEAtes hors ligne. Vos modifications seront enregistr\xE9es d\xE8s que vous serez de nouveau en ligne.
Toutes les modifications sont enregistr\xE9es.
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
Votre liste n\u2019a pas pu \xEAtre charg\xE9e
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
Aucun article mis de c\xF4t\xE9
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
Vos alertes n\u2019ont pas pu \xEAtre charg\xE9es
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
Facultatif. Affich\xE9 avec votre liste.
Message
Envoyer
Envoy\xE9 \xE0 {email}
Connectez-vous pour partager votre liste
Se connecter
Vos articles d\xE9j\xE0 enregistr\xE9s sont maintenant dans : {list}
Liste partag\xE9e
Cette liste n\u2019est plus partag\xE9e
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
No tienes conexi\xF3n. Tus cambios se guardar\xE1n cuando vuelvas a estar en l\xEDnea.
Todos los cambios se han guardado.
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
No se ha podido cargar tu lista
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
No has guardado nada para m\xE1s tarde
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
No se pudieron cargar tus avisos
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
Opcional. Se muestra junto a tu lista.
Mensaje
Enviar
Enviado a {email}
Inicia sesi\xF3n para compartir tu lista
Iniciar sesi\xF3n
Lo que guardaste antes est\xE1 ahora en: {list}
Lista compartida
Esta lista ya no se comparte
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
Voc\xEA est\xE1 offline. Suas altera\xE7\xF5es ser\xE3o salvas quando voc\xEA voltar a ficar online.
Todas as altera\xE7\xF5es foram salvas.
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
N\xE3o foi poss\xEDvel carregar sua lista
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
Nada salvo para depois
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
N\xE3o foi poss\xEDvel carregar seus alertas
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
Opcional. Aparece com sua lista.
Mensagem
Enviar
Enviado para {email}
Entre na sua conta para compartilhar sua lista
Entrar
O que voc\xEA salvou antes est\xE1 agora em: {list}
Lista compartilhada
Esta lista n\xE3o \xE9 mais compartilhada
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
Sei offline. Le modifiche saranno salvate quando tornerai online.
Tutte le modifiche sono salvate.
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
Non \xE8 stato possibile caricare la lista
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
Niente salvato per dopo
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
Impossibile caricare i tuoi avvisi
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
Facoltativo. Appare con la tua lista.
Messaggio
Invia
Inviato a {email}
Accedi per condividere la tua lista
Accedi
Gli articoli salvati prima sono ora in: {list}
Lista condivisa
Questa lista non \xE8 pi\xF9 condivisa
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
Eliminare {list} con tutti i suoi articoli?`};var on=nt.split(`
`),it=s=>{let i=s.split(`
`);return Object.fromEntries(on.map((e,t)=>[e,i[t]||""]))},_=new Map(Object.entries(Ce).map(([s,i])=>[s,it(i)])),an=it(Ce.en||"");function Ae(s,i){let e=st(s).toLowerCase();_.set(e,{..._.get(e),...i})}function P(s){for(let i=s;i;i=Se(i)){let{lang:e}=i;if(e)return st(e)}return navigator.languages.find(i=>rt(i))||"en"}function st(s){return s.replace(/_/g,"-")}function Se(s){let i=s.parentNode;return s.assignedSlot||(i instanceof ShadowRoot?i.host:s.parentElement)}function N(s,i,e={}){let n=_.get(s.toLowerCase())?.[i]||rt(s)?.[i]||an[i]||"",[r="",a=r]=n.split("|");return("count"in e&&cn(s,Number(e.count))!=="one"?a:r).replace(/\{(\w+)\}/g,(d,c)=>c in e?dn(String(e[c])):d)}var ln=/[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;function dn(s){return ln.test(s)?`\u2068${s}\u2069`:s}function rt(s){let i=s.toLowerCase();return _.get(i)||_.get(i.split("-")[0]||"")}function cn(s,i){return Te(()=>new Intl.PluralRules(s).select(i),i===1?"one":"other")}function ot(s,i,e){let n=e?{style:"currency",currency:e}:{minimumFractionDigits:2,maximumFractionDigits:2};return Te(()=>new Intl.NumberFormat(s,n).format(i),String(i))}function at(s,i){return Te(()=>new Intl.NumberFormat(s,{notation:"compact"}).format(i),String(i))}function Te(s,i){try{return s()}catch{return i}}var un="button, input, select, textarea, summary, [role=button], a[class*=button i], a[class*=btn i]";function lt(s,i){return[...s.querySelectorAll("*")].flatMap(e=>{if(e===i)return[];let t=e.shadowRoot?lt(e.shadowRoot,i):[];return e.matches(un)?[e.getBoundingClientRect(),...t]:t})}function dt(s,i){let{left:e,right:t,top:n,bottom:r}=s,a=lt(document,i).filter(c=>c.width>1&&c.right>e&&c.left<t),l=[0,...a.map(c=>r-c.top+8)].filter(c=>c>=0&&c<n),d=c=>a.every(u=>u.bottom<=n-c||u.top>=r-c);return l.sort((c,u)=>c-u).find(d)||0}var pn={heart:"M12 20.3 4.6 13a4.9 4.9 0 0 1 0-7 4.9 4.9 0 0 1 7 0l.4.5.4-.5a4.9 4.9 0 0 1 7 0 4.9 4.9 0 0 1 0 7Z",close:"M6 6l12 12M18 6 6 18",edit:"M4 20h4L19 9a2.1 2.1 0 0 0-3-3L5 17ZM14 8l3 3",trash:"M5 7h14M10 7V5h4v2M7 7l.8 12h8.4L17 7",picture:"M4 5h16v14H4ZM4 16l4.5-4.5L12 15l3-3 5 5M15.5 9h.01",minus:"M6 12h12",plus:"M6 12h12M12 6v12",share:"M12 15V4M8 8l4-4 4 4M6 12v7h12v-7",mail:"M4 6h16v12H4ZM4 7l8 6 8-6",check:"M5 12.5l4.5 4.5L19 7.5",options:"M5 12h.01M12 12h.01M19 12h.01",list:"M8 7h12M8 12h12M8 17h12M4 7h.01M4 12h.01M4 17h.01",forward:"M9 6l6 6-6 6",offline:"M4 4l16 16M8.5 15.5a5 5 0 0 1 7 0M5 12a10 10 0 0 1 4-2.4M19 12a10 10 0 0 0-5-2.7M12 19h.01",warning:"M12 4 3 19h18ZM12 10v4M12 16.5h.01"};function m(s){return o("svg",{class:`glyph ${s}`,viewBox:"0 0 24 24","aria-hidden":"true"},o("path",{d:pn[s]}))}var hn=3,mn=8e3,ct=16,w,V=[],L=[],fn=0,ut,pt;function W(s,i={}){if(typeof document>"u")return()=>{};let e={...i,id:fn+=1,message:s};return L=[...L.filter(t=>t.message!==s),e].slice(-hn),Me(i.from),ze(),Ie(),()=>re(e)}function oe(){w||(w=document.createElement("wishbone-toasts")),w.isConnected||document.body?.append(w);for(let s of["scroll","resize"])addEventListener(s,gn,{passive:!0})}function gn(){clearTimeout(pt),L.length>0&&(pt=setTimeout(Pe,100))}function Pe(){if(!w)return;let s=L.length>0&&w.parentElement!==document.body;w.toggleAttribute("inside",s),w.style.translate="";let i=w instanceof j&&!s&&w.box();i&&(w.style.translate=`0 ${-dt(i,w)}px`)}function ht(s){V.push(s),Me()}function Me(s){oe();let i=bn(s),e=i||document.body;!w||w.parentNode===e||(e.append(w),Pe(),i?.addEventListener("close",()=>Me(),{once:!0}))}function bn(s){try{V=V.filter(e=>e.matches(":modal"));let i=V[V.length-1];if(i)return i;for(let e=s;e;e=e.parentNode||e.host)if(e instanceof HTMLDialogElement&&e.matches(":modal"))return e;return document.querySelector("dialog:modal")}catch{return null}}function Ie(){clearTimeout(ut),L.length>0&&(ut=setTimeout(vn,mn))}function vn(){if(w?.matches(":hover, :focus-within"))return Ie();re(L[0])}function qe(){L=L.filter(({from:s})=>!s),ze()}function re(s){let i=w?.matches(":focus-within");L=L.filter(t=>t!==s),ze(),Ie();let e=i&&s?.from?.shadowRoot;e&&(e.querySelector("dialog")||e).querySelector("button, a[href], input, select")?.focus()}function ze(){w instanceof j&&w.show(),Pe()}var yn=globalThis.HTMLElement||class{},j=class extends yn{constructor(){super();this.root=this.attachShadow({mode:"open"});se(this.root),this.show()}box(){let e=[...this.root.querySelectorAll(".toast")].map(({offsetWidth:d})=>d);if(e.length===0)return;let{left:t,top:n,width:r,height:a}=this.getBoundingClientRect(),l=Math.max(...e);return new DOMRect(t+(r-l)/2,n+ct,l,a-2*ct)}show(){let e=t=>L.filter(n=>(n.kind||"status")===t).map(n=>wn(n));p(()=>O(this.root,[o("div",{key:"status",role:"status","aria-live":"polite"},e("status")),o("div",{key:"alert",role:"alert"},e("error"))]))}};function wn(s){let{id:i,message:e,kind:t,action:n,from:r}=s,a=P(r||document.documentElement),l=()=>(re(s),n?.run());return o("div",{key:i,class:`toast ${t||"status"}`,part:"toast",lang:a},o("p",{dir:"auto"},e),n&&o("button",{key:"action",class:"toast-action",part:"toast-action",type:"button",onclick:l},n.label),o("button",{class:"icon",type:"button","aria-label":N(a,"close"),onclick:()=>re(s)},m("close")))}var kn=globalThis.HTMLElement||class{},M=new Set,Oe=new Set;function ft(){Oe.forEach(s=>s.connectedCallback())}function xn(s){for(let i=s;i;i=Se(i)){let e=i instanceof x&&i.getAttribute("store");if(e)return A.clients.find(({settings:t})=>t.store===e)}return A.clients[0]}var x=class extends kn{constructor(){super();this.root=this.shadowRoot||this.attachShadow({mode:"open"});this.stops=[];this.w=!1;this.k=!1;this.l="";se(this.root)}start(){}load(){}i(e){return!0}connectedCallback(){if(M.has(this))return this.root.querySelectorAll("dialog").forEach(En);let e=xn(this);Oe[e?"delete":"add"](this),e&&(this.client=e,M.add(this),this.update(),p(()=>this.start()))}disconnectedCallback(){queueMicrotask(()=>{if(!this.isConnected){M.delete(this),Oe.delete(this);for(let e of this.stops.splice(0))e()}})}attributeChangedCallback(e,t,n){var r;!M.has(this)||t===n||(this[r="k"]||(this[r]=this.i(e)),this.update())}update(){this.w||(this.w=!0,queueMicrotask(()=>{this.w=!1,M.has(this)&&(this.k&&p(()=>this.load()),this.k=!1,p(()=>O(this.root,this.view())),this.l&&this.root.querySelector(this.l)?.focus(),this.l="")}))}s(e){this.l=e,this.update()}e(e,t){this.stops.push(this.client.on("*",(n,r)=>e.test(r)&&p(()=>t(n,r))))}r(e,t,n){e.addEventListener(t,n),this.stops.push(()=>e.removeEventListener(t,n))}t(e,t){return N(P(this),e,t)}price(e){return ot(P(this),e,this.getAttribute("currency")||A.currency)}number(e){return at(P(this),e)}toast(e,t={}){return W(e,{...t,from:this})}async act(e,t=()=>{}){return this.C(()=>e().catch(n=>{t(),this.failed(n)}))}async C(e){let t=()=>{},n=new Promise(r=>{t=this.client.on("queued",()=>{this.toast(this.t("queued")),r(void 0)})});try{return await Promise.race([e(),n])}finally{t()}}failed(e){let{code:t}=e;t!=="identity-changed"&&this.toast(`${this.t("failed")} ${this.reason(e)}`,{kind:"error"})}reason(e){let{code:t="",httpStatus:n=0}=e,r=Object.keys(mt).find(a=>mt[a]?.test(`${t} ${n}`));return this.t(r||"error.other")}},mt={"error.network":/^(network|timeout) /,"error.busy":/ (429|503)$/,"error.login":/^(user-not-logged-in|bad-regid) /,"error.limit":/^(limit-reached|queue-full) /,"error.gone":/^(list-not-found|forbidden|not-granted) /};function En(s){s.removeAttribute("open"),p(()=>s.showModal())}var ae=class extends Error{constructor(e,t,n={}){super(t);this.code=e;this.name="WishboneError";this.httpStatus=0;this.requestId="";this.retryable=!1;this.retryAfter=0;Object.assign(this,n)}};var Ne=new Map;async function H(s){try{let i=sessionStorage.getItem(bt(s));if(i)return JSON.parse(i)}catch{}return vt(s)}function bt({settings:{base:s,store:i}}){return`wishbone.features ${s} ${i}`}function vt(s){let i=Ne.get(s);if(i)return i;let e=s.features().then(t=>Ln(s,t)).finally(()=>Ne.delete(s));return Ne.set(s,e),e}function Ln(s,i){try{sessionStorage.setItem(bt(s),JSON.stringify(i))}catch{}return i}async function $(s,i){if((await H(s)).includes(i)||(await vt(s)).includes(i))return;let e=`wishbone store set '${s.settings.store}' --enable ${i}`;throw new ae("feature-not-enabled",`The store does not have ${i}. Switch it on: ${e}`)}var gt=new Set;function S(s,i,e){let{code:t,message:n}=e;if(t==="identity-changed"||t==="network"&&!navigator.onLine)return;let r=`wishbone store set '${s.settings.store}' --allow-origin ${location.origin}`,a=t==="network"?` If the store does not allow this page's origin: ${r}`:"",l=`<${i.localName}>: ${n}${a}`;gt.has(l)||(gt.add(l),console.error(l))}function g(s,i,...e){return o("div",{key:i,class:"message",part:"message"},m(s),o("p",{class:"strong",dir:"auto"},i),e)}function k(s){return o("p",{class:"muted",dir:"auto"},s)}function T(s,i){return o("button",{type:"button",part:"button",onclick:i},s.t("retry"))}function le(s,i){let e=n=>o("div",{class:`bar ${n}`}),t=n=>o("li",{key:n,class:"item"},o("div",{class:"picture bar"}),o("div",{class:"texts"},e("long"),e("short")));return[o("p",{key:"loading",class:"hidden",role:"status"},s.t("loading")),o("ul",{key:"skeleton",class:`items ${i} skeleton`,"aria-hidden":"true"},[1,2,3,4].map(t))]}function yt(s,i,e){return o("button",{key:"more",class:"more",part:"button more",type:"button","aria-disabled":i&&"true",onclick:e},s.t(i?"loading":"more"))}function de(s,i,e,...t){return o("div",{class:"heading",part:"header"},o("div",{class:"name"},o("h2",{part:"title",tabindex:"-1"},f(i)),!!e&&o("p",{class:"muted small",part:"count"},f(s.t("count",{count:e})))),t)}function E(s,i){return i.dt||s.t("product")}function ce(s,i,{key:e,corner:t,details:n,actions:r}){let a=E(s,i),l=b(i.du);return o("li",{key:e||i.epi,class:"item",part:"item","data-epi":i.epi},o("div",{class:"picture",part:"picture"},l?o("a",{href:l,tabindex:"-1","aria-hidden":"true"},wt(i)):wt(i),t),o("div",{class:"texts"},o("h3",{part:"item-title"},l?o("a",{href:l},f(a)):f(a)),i.vi&&o("p",{key:"variant",class:"muted small",part:"variant"},f(i.vi)),i.pr!==null&&i.pr!==void 0&&Cn(s,i.pr,i.spr),i.avl&&i.avl!=="in"&&o("p",{key:"stock",class:"stock small",part:"stock"},s.t(`stock.${i.avl}`)),n,i.note?.trim()&&An(i.note)),o("div",{class:"actions",part:"actions"},r))}function Cn(s,i,e=i){let t=s.price(i),n=e===i?t:s.t("price.changed",{before:s.price(e),now:t});return o("p",{key:"price",class:`price ${e>i?"strong":""}`,part:"price"},f(n))}function An(s){let i=s.length>160||s.split(`
`).length>4,e=f(s);return o(i?"details":"p",{key:"note",class:"note",part:"note"},i?o("summary",null,e):e)}function wt({iu:s,epi:i}){let e=b(s),t=n=>n.target.toggleAttribute("hidden",!0);return[m("picture"),e&&o("img",{key:`${i} ${e}`,src:e,alt:"",loading:"lazy",decoding:"async",onerror:t})]}var kt=1e6;function ue(s,i,e){let t=(a,l,d)=>o("button",{key:l,class:"icon",type:"button","aria-label":a,"aria-disabled":d<1&&"true",onclick:()=>n(d)},m(l)),n=a=>{let l=a>=1&&a<=kt;return l&&e(Math.round(a)),l},r=({currentTarget:a})=>{let l=a;n(Number(l.value))||(l.value=String(i))};return o("div",{class:"quantity",part:"quantity",role:"group","aria-label":s.t("quantity")},t(s.t("quantity.less"),"minus",i-1),o("input",{type:"number",inputmode:"numeric",min:1,max:kt,"aria-label":s.t("quantity"),value:String(i),onchange:r}),t(s.t("quantity.more"),"plus",i+1))}function pe(){let s=document.querySelector("link[rel~=canonical][href]")?.href||"";return(b(s)||location.href).replace(/#.*/,"")}function he({label:s,problem:i,autocomplete:e="email",multiple:t}){return o("label",{key:"email"},s,o("input",{name:"email",type:"email",part:"input",required:!0,multiple:t,autocomplete:e,dir:"ltr","aria-invalid":i!==""&&"true","aria-describedby":i!==""&&"email-error"}),i&&o("span",{key:"error",id:"email-error",class:"field-error",part:"error"},m("warning"),i))}function xt(s){let i=s.elements.namedItem("email"),e=[...new Set(i.value.split(/[\s,;]+/).filter(Boolean))],t=Object.assign(document.createElement("input"),{type:"email"}),n=e.filter(r=>(t.value=r,!t.checkValidity()));return i.value=e.join(","),{emails:e,invalid:n}}function Et(s){let i=s.elements.namedItem("email");return i.value.trim()!==""&&i.checkValidity()}var We=["backinstock","comingsoon","pricedrop","lowstock"],je=1,$e=100,F=class extends x{constructor(){super(...arguments);this.state="form";this.waits=!1;this.email="";this.problem=""}start(){this.e(/^log/,()=>this.load()),this.e(/^subscribed$/,({subscriptions:e})=>this.state==="form"&&!this.sending&&this.follow(e)),this.e(/^unsubscribed$/,({subscriptions:e})=>e.some(this.isAbout,this)&&this.show("form")),this.e(/^(queued|synced)$/,(e,t)=>this.wait(t==="queued")),this.e(/^error$/,()=>this.update()),this.wait(this.A),this.r(document,"visibilitychange",()=>this.state==="confirm"&&!document.hidden&&this.find()),p(()=>this.load())}i(e){return/^(epi|topic)$/.test(e)}get subject(){return We.find(e=>e===this.getAttribute("topic"))||"backinstock"}isAbout({epi:e,topic:t}){return Number(e)===Number(this.getAttribute("epi"))&&t===this.subject}wait(e){this.waits=e,this.update()}get A(){return this.client.queued().filter(({name:t,args:n})=>/^subscriptions/.test(t)&&this.isAbout(n)).pop()?.name==="subscriptions.add"}follow(e){let t=e.find(n=>this.isAbout(n)&&n.status!==je);t&&(this.waits=!1,/@/.test(t.mediumvalue)&&(this.email=t.mediumvalue),this.show(t.unconfirmed?"confirm":"subscribed"))}show(e){this.state=e,this.update()}async load(){this.sending=void 0,this.show("form"),await $(this.client,"subscriptions").catch(t=>(S(this.client,this,t),t.code==="feature-not-enabled"))?this.show("off"):await this.find()}async find(){let{client:e,subject:t,state:n}=this;if(!e.shopper.current())return;let r=await e.subscriptions.fetch({topic:t,medium:"email",limit:$e}).catch(()=>{});!r||this.sending||this.state!==n||this.subject!==t||(this.show("form"),this.follow(r.subscriptions))}async subscribe(e){if(e.preventDefault(),this.sending)return;let t=e.currentTarget;if(this.email=String(new FormData(t).get("email")||"").trim(),!Et(t))return this.a(this.t("email.invalid"));this.problem="";let n=this.sending={};this.update();let r=()=>this.sending===n;try{let a=await this.C(()=>this.client.subscriptions.add(this.S()));if(!r())return;a&&(this.state=a.some(({unconfirmed:l})=>l)?"confirm":"subscribed"),this.s(".notice")}catch(a){let l=a.code==="invalid-parameter";r()&&this.a(l?this.t("email.invalid"):this.reason(a))}finally{r()&&(this.sending=void 0),this.update()}}S(){let e=this.getAttribute("targetprice");return{epi:this.getAttribute("epi")||"",empi:this.getAttribute("empi")||"",du:b(this.getAttribute("du"))||pe(),topic:this.subject,medium:"email",mediumvalue:this.email,...e&&{targetprice:e}}}a(e){this.problem=e,this.s("input")}async R(){if(!this.email)return this.show("form"),this.s("input");await this.act(()=>this.client.subscriptions.add(this.S()))&&this.toast(this.t("share.sent",{email:this.email}))}async D(){let e={epi:this.getAttribute("epi")||"",topic:this.subject,medium:"email"};this.state="form",await this.act(()=>this.client.subscriptions.remove(e),()=>this.state="subscribed"),this.s("input")}view(){if(this.state==="off")return[];if(this.waits&&!this.sending&&this.A)return[this.notice("offline","lists.pending",this.t("queued"))];if(this.state==="confirm"){let{email:e}=this,t=e?this.t("notify.confirm.hint",{email:e}):this.t("notify.confirm.open"),n=o("button",{key:"again",class:"quiet",part:"button",type:"button",onclick:()=>this.R()},this.t("notify.again"));return[this.notice("mail","notify.confirm",t,n)]}return this.state==="subscribed"?[this.notice("check","notify.done",this.t("notify.done.hint"))]:[o("form",{key:"form",class:"notify",part:"form","aria-labelledby":"title",novalidate:!0,onsubmit:e=>this.subscribe(e)},o("p",{id:"title",class:"strong",part:"title"},this.t(`notify.${this.subject}`)),o("div",{class:"inline"},he({label:this.t("email"),problem:this.problem}),o("button",{class:"primary",part:"button primary",type:"submit","aria-disabled":this.sending&&"true"},this.t("notify.submit"))))]}notice(e,t,n,r){return o("div",{key:e,class:"notice",part:"notice",role:"status",tabindex:"-1"},m(e),o("div",null,o("p",{class:"strong"},this.t(t)),o("p",{class:"muted"},n),r,o("button",{key:"stop",class:"quiet",part:"button",type:"button",onclick:()=>this.D()},this.t("notify.stop"))))}};F.observedAttributes=["epi","empi","topic","targetprice","lang"];var Q=class extends x{constructor(){super(...arguments);this.alerts=[];this.state="loading";this.loads=0}start(){this.e(/^(un)?subscribed$/,()=>this.load()),this.e(/^log/,()=>this.reset()),this.r(document,"visibilitychange",()=>!document.hidden&&this.alerts.some(({unconfirmed:e})=>e)&&this.load()),this.r(window,"online",()=>this.state==="error"&&this.reset()),p(()=>this.load())}i(){return!1}reset(){this.alerts=[],this.state="loading",this.update(),p(()=>this.load())}async load(){let e=this.loads+=1;try{await $(this.client,"subscriptions");let t=await this.fetch();if(e!==this.loads)return;this.alerts=t,this.state="ready"}catch(t){if(e!==this.loads)return;S(this.client,this,t);let{code:n}=t;if(n==="identity-changed")return;this.problem=t,this.state=n==="feature-not-enabled"?"off":"error"}this.update()}async fetch(){let{client:e}=this;return e.shopper.current()?(await Promise.all(We.map(r=>e.subscriptions.fetch({topic:r,limit:$e})))).flatMap(({subscriptions:r})=>r.filter(({status:a})=>a!==je)).sort((r,a)=>a.cts-r.cts):[]}async end(e){let{epi:t,topic:n}=e,r=this.alerts.indexOf(e);this.alerts=this.alerts.filter(l=>l!==e),this.s("[tabindex='-1']"),await this.act(()=>this.client.subscriptions.remove({epi:t,topic:n}),()=>{this.alerts.splice(r,0,e),this.update()})&&this.toast(this.t("item.removed",{product:E(this,e)}))}view(){let{state:e,alerts:t}=this;if(e==="off")return[];let n=this.t("alerts.title");return[o("section",{class:"collection",part:"section","aria-label":n,"aria-busy":String(e==="loading")},de(this,n,void 0,o("slot",{name:"actions"})),e==="loading"&&le(this,"rows"),e==="error"&&g("warning",this.t("alerts.error"),k(this.reason(this.problem)),T(this,()=>this.reset())),e==="ready"&&t.length===0&&g("mail",this.t("alerts.empty"),k(this.t("alerts.hint")),o("slot",{name:"empty"})),e==="ready"&&t.length>0&&o("ul",{key:"alerts",class:"items rows",part:"items"},t.map(r=>this.row(r))))]}row(e){let t={...e,note:""},{topic:n,targetprice:r}=e,a=r?this.t("alerts.target",{price:this.price(r)}):this.t(`alerts.${n}`),l=`${this.t("notify.stop")}: ${E(this,t)}`,d=[o("p",{key:"topic",class:"small",part:"topic"},f(a)),e.unconfirmed&&o("p",{key:"unconfirmed",class:"muted small",part:"unconfirmed"},this.t("notify.confirm.open"))],c=o("button",{key:"remove",class:"quiet remove",part:"button",type:"button","aria-label":l,onclick:()=>this.end(e)},this.t("notify.stop"));return ce(this,t,{key:`${n} ${e.epi}`,details:d,actions:c})}};Q.observedAttributes=["currency","lang"];var B=class extends x{constructor(){super(...arguments);this.c=!1}start(){this.e(/^log/,()=>this.load()),p(()=>this.load())}i(e){return/^(lid|epi)$/.test(e)}call(e,t,n=!0){let r={lid:this.getAttribute("lid"),epi:this.getAttribute("epi"),...t};return this.client.request({path:`lists/comments/${e}`,form:r,write:n})}async load(){this.comments=this.problem=void 0,this.update();try{this.comments=(await this.call("list",{limit:1e3},!1)).comments}catch(e){S(this.client,this,e),this.problem=e}this.update()}async add(e){e.preventDefault();let t=e.currentTarget,n=new FormData(t),r=String(n.get("text")).trim();if(!r||this.c)return;this.c=!0,this.update();let a=await this.act(()=>this.call("add",{text:r,fromname:String(n.get("from")).trim()}));this.c=!1,a&&(this.comments=[...this.comments||[],a.comment],t.elements.namedItem("text").value=""),this.update()}async delete({id:e}){await this.act(()=>this.call("delete",{id:e}))&&(this.comments=this.comments?.filter(n=>n.id!==e),this.s("[tabindex='-1']"))}view(){let{comments:e,problem:t}=this;return t?[g("warning",this.reason(t),T(this,()=>p(()=>this.load())))]:e?[o("div",{class:"stack"},o("h3",{tabindex:"-1"},`${this.t("comments")} (${this.number(e.length)})`),e.length>0&&o("ul",{key:"comments",class:"stack",part:"comments"},e.map(n=>this.row(n))),this.hasAttribute("can-add")&&this.form())]:[o("p",{class:"muted",role:"status"},this.t("loading"))]}row(e){let{id:t,text:n,fromname:r,cby:a,mine:l}=e,d=r||a,c=this.t("item.remove"),u=l||this.hasAttribute("can-delete");return o("li",{key:t,part:"comment"},d&&o("p",{key:"who",class:"small strong"},f(d)),o("p",{key:"text",class:"note",dir:"auto"},n),u&&o("button",{key:"remove",class:"quiet",part:"button",type:"button","aria-label":`${c}: ${n}`,onclick:()=>this.delete(e)},c))}form(){return o("form",{key:"add",class:"stack",onsubmit:e=>this.add(e)},o("label",{key:"text"},this.t("share.note"),o("textarea",{name:"text",required:!0,maxlength:1e3,dir:"auto"})),o("label",{key:"from"},this.t("share.from"),o("input",{name:"from",maxlength:100,autocomplete:"given-name",dir:"auto"})),o("button",{key:"send",class:"primary",part:"button primary",type:"submit","aria-disabled":this.c&&"true"},this.t("share.send")))}};B.observedAttributes=["lid","epi","can-add","can-delete","lang"];function I(s,{title:i,kind:e,before:t,onclose:n},...r){return o("dialog",{key:"dialog",class:e,part:"dialog","aria-labelledby":"dialog-title",ref:Sn,onclose:n,onclick:a=>a.target===a.currentTarget&&K(a)},o("div",{class:"panel"},o("div",{class:"top"},t,o("h2",{id:"dialog-title",part:"dialog-title",tabindex:"-1"},f(i)),o("button",{key:"close",class:"icon",type:"button","aria-label":s.t("close"),onclick:K},m("close"))),o("div",{class:"content"},r)))}function K(s){s.currentTarget.closest("dialog")?.close()}function Sn(s){queueMicrotask(()=>{s.isConnected&&(s.showModal(),ht(s))})}var G="new";function me(s,{item:i,lists:e,variants:t,onclose:n,onsave:r}){let l=t.some(({epi:u})=>Number(u)===i.epi)?t:[{epi:i.epi,vi:i.vi||"\u2013"},...t],d=u=>{u.preventDefault();let h=new FormData(u.currentTarget),y=C=>String(h.get(C)||"").trim(),v=y("list")===G?{lname:y("name")}:e.find(({lid:C})=>C===y("list"))||{lid:i.lid,lname:""},z=t.find(({epi:C})=>String(C)===y("variant")&&Number(C)!==i.epi);return K(u),r({note:y("note"),list:v,variant:z})},c=({currentTarget:u})=>{let h=u,y=h.form?.querySelector(".new-list");y?.toggleAttribute("hidden",h.value!==G),y?.querySelector("input")?.toggleAttribute("required",h.value===G)};return I(s,{title:E(s,i),onclose:n},o("form",{class:"stack",onsubmit:d},l.length>1&&o("label",{key:"variant"},s.t("item.variant"),o("select",{name:"variant",value:String(i.epi)},l.map(({epi:u,vi:h})=>o("option",{key:u,value:String(u)},h||String(u))))),o("label",{key:"note"},s.t("item.note"),o("textarea",{name:"note",maxlength:1e3,dir:"auto",value:(i.note||"").trim()})),o("label",{key:"list"},s.t("item.list"),o("select",{name:"list",value:i.lid,onchange:c},e.map(({lid:u,lname:h})=>o("option",{key:u,value:u},h)),o("option",{key:G,value:G},`${s.t("item.list.new")} \u2026`))),o("label",{key:"name",class:"new-list",hidden:!0},s.t("lists.name"),o("input",{name:"name",maxlength:100,dir:"auto"})),o("div",{class:"row end"},o("button",{key:"cancel",type:"button",onclick:K},s.t("cancel")),o("button",{key:"save",class:"primary",part:"button primary",type:"submit"},s.t("save")))))}function fe(s,i,e){let t,n={...e,respondWith:l=>t=[l]},r=new CustomEvent(i,{bubbles:!0,composed:!0,cancelable:!0,detail:n}),a=s.dispatchEvent(r);return t?{answer:t,isAllowed:a}:{isAllowed:a}}var Tn=5e3;async function ge(s,i){let{answer:e=[]}=fe(s,"wishbone:variants",{item:{...i}}),t=new Promise((r,a)=>setTimeout(a,Tn,new Error("wishbone:variants was answered too late."))),n=await Promise.race([e[0],t]);return Array.isArray(n)?n.filter(r=>Number(r?.epi)>0):[]}async function be({items:s},i,e){let{lid:t,epi:n,empi:r}=i,a={...i,...Re(e)},l=await s.add({...a,lid:t});return await s.remove({lid:t,epi:n,empi:r}),l.items[0]||a}function Re({epi:s,vi:i="",pr:e=null,sku:t="",...n}){return{...n,epi:Number(s),vi:i,pr:e===null?null:Number(e),sku:t}}async function ve({lists:s},{lid:i,lname:e}){return i?{lid:i,lname:e}:s.create({lname:e})}function ye({items:s},{lid:i,epi:e,empi:t},n){return s.move({fromlid:i,tolid:n.lid,items:{epi:e,empi:t}})}var we=new Map,Lt=new Map,Pn=/^items\.add$/,Mn=/\.(remove|movedToCart)$/,Ct=({settings:{store:s}},i,e)=>`${s} ${i} ${e}`;function At(s,i,e,t){let n=Ct(s,i,e),r={};return Lt.set(n,r),we.set(n,t),()=>{Lt.get(n)===r&&we.delete(n)}}function St(){we.clear()}var _e=(s,i,e)=>we.get(Ct(s,i,e));function Ve(s,i,e){return _e(s,i,e)??In(s,i,e)}function In(s,i,e){let t=He(s,void 0,n=>String(n.epi)===i,e);return t&&t.length>0}function He(s,i,e,t){let n=i;for(let{name:r,args:a}of qn(s)){let{items:l=a,lid:d=""}=a,c=Pn.test(r);if(!(t&&t!==d||!(c||(t?Mn:/^items\.remove$/).test(r))))for(let u of[l].flat()){let h=Number(u?.epi);if(!u||!(e(u)||n?.some(v=>v.epi===h)))continue;let y=(n||[]).filter(v=>v.epi!==h||d&&v.lid&&v.lid!==d);n=c?[...y,{epi:h,lid:d}]:y}}return n}var De=new Map;function qn(s){let i=De.get(s);return i||(De.set(s,i=s.queued()),queueMicrotask(()=>De.delete(s))),i}var zn=/^((saved-)?(added|removed)|moved|saved-moved-to-cart|lists?-|log|queued|synced)/,On="button, label, input, select, textarea",Fe=new Set,R=class extends x{constructor(){super(...arguments);this.total=0;this.pressed=!1;this.T=()=>{}}start(){this.n=void 0,this.e(zn,()=>this.load()),this.e(/^error$/,({replayed:e})=>e&&this.load()),this.e(/^log/,()=>this.n=void 0),this.r(window,"online",()=>p(()=>this.load())),p(()=>this.load())}i(e){return/^(epi|empi|lid)$/.test(e)&&(this.places=void 0),/^(epi|empi|lid|count)$/.test(e)}async load(){await Promise.all([this.ask().catch(()=>{}),this._()]),this.update()}async ask(){let{epi:e,empi:t,lid:n,key:r}=this.ids(),{items:a}=this.client,l=n?void 0:"wl",d=e||!t?(await a.contains({epis:e,lty:l})).map(c=>({epi:Number(e),lid:c})):await a.contains({empis:t,lty:l});this.ids().key===r&&(this.places=n?d.filter(c=>c.lid===n):d)}async _(){this.hasAttribute("count")&&(this.total=await this.client.counts.social(this.getAttribute("empi")||"").catch(()=>this.total))}ids(){let[e="",t="",n=""]=["epi","empi","lid"].map(a=>this.getAttribute(a)||""),r=e||`of ${t}`;return{epi:e,empi:t,lid:n,id:r,key:`${r} ${n}`}}get current(){let{epi:e,empi:t,lid:n}=this.ids(),r=a=>e?String(a.epi)===e:String(a.empi)===t;return He(this.client,this.places,r,n)}get P(){let{id:e,lid:t}=this.ids(),{current:n}=this;return _e(this.client,e,t)??(n&&n.length>0)}async press(){let{client:e}=this,{key:t}=this.ids(),n=`${e.settings.store} ${t}`;if(!Fe.has(n)){Fe.add(n);try{await this.ask().catch(r=>{if(!this.current)throw r}),this.P?this.u(this.current||[]):await this.add()}catch(r){this.failed(r)}finally{Fe.delete(n)}}}async add(){let{epi:e,lid:t}=this.ids(),n=this.product();this.T();let r=e?[]:await ge(this,n),[a={epi:e||n.empi}]=r,l={...n,...a,lid:t||void 0};p(async()=>{let c=(await this.change(!0,()=>this.client.items.add(l)))?.items[0];c&&!t&&await this.V(c,r)})}u(e){let{items:t}=this.client,n=[...new Set(e.map(({lid:a})=>a))],r=a=>t.remove({lid:a||void 0,items:e.filter(l=>l.lid===a)});p(async()=>{let l=(await this.change(!1,()=>Promise.all(n.map(r))))?.filter(u=>u.items.length>0);if(!l?.length)return;let d=()=>this.change(!0,()=>Promise.all(l.map(({lid:u,items:h})=>t.add({lid:u,items:h})))),c=this.getAttribute("dt")||this.t("product");this.T=this.toast(this.t("item.removed",{product:c}),{action:{label:this.t("undo"),run:d}})})}async change(e,t){let{id:n,lid:r}=this.ids(),a=At(this.client,n,r,e);this.pressed=e,Tt();let l=await this.act(t,()=>p(()=>this.load()));return await this.load(),a(),Tt(),l}async V(e,t){let n=await this.client.lists.fetch({lty:"wl"}),r=n.find(({lid:l})=>l===e.lid);if(!r||n.length<2&&t.length<2)return;let a=()=>{this.n={item:e,lists:n,variants:t},this.update()};this.toast(this.t("heart.saved",{list:r.lname}),{action:{label:this.t("change"),run:a}})}async save(e,{note:t,list:n,variant:r}){let{client:a}=this,l={...e,note:t||" "};await this.act(async()=>{let c=r?await be(a,l,r):l;return!r&&t!==(e.note||"").trim()&&await a.items.update(l),n.lid===e.lid||ye(a,{...c,lid:e.lid},await ve(a,n))})&&n.lid!==e.lid&&this.toast(this.t("item.moved",{list:n.lname}))}product(){let e=t=>this.getAttribute(t)||void 0;return{empi:e("empi")||"",du:b(e("du"))||pe(),dt:e("dt"),iu:b(e("iu"))||void 0,pr:e("pr"),vi:e("vi")}}view(){let e=this.getAttribute("dt"),t=this.getAttribute("variant")==="button",n=this.P,r=e?this.t("heart.product",{product:e}):this.t("heart.add"),a=(l,d)=>o("span",{class:!l&&"off"},d);return[o("button",{class:`heart-button${t?"":" icon"}${this.pressed?" pressed":""}`,part:n?"button pressed":"button",type:"button","aria-pressed":n!==void 0&&String(n),"aria-label":!t&&r,title:!t&&r,onclick:l=>(l.preventDefault(),this.press())},m("heart"),t&&o("span",{class:"both"},a(!n,this.t("heart.add")),a(!!n,this.t("heart.added")))),this.hasAttribute("count")&&this.H(),this.n&&this.dialog(this.n)]}dialog({item:e,lists:t,variants:n}){return o("div",{key:"place",class:"place",onclick:d=>d.target.closest(On)||d.preventDefault()},me(this,{item:e,lists:t,variants:n,onclose:()=>{this.n=void 0,this.update()},onsave:d=>this.save(e,d)}))}H(){let e=this.total;return o("span",{class:"social",part:"count"},e>0&&o("span",{"aria-hidden":"true"},this.number(e)),e>0&&o("span",{class:"hidden"},this.t("heart.count",{count:e})))}};R.observedAttributes=["epi","empi","dt","lid","variant","count","lang"];function Tt(){M.forEach(s=>s instanceof R&&s.update())}function Mt(s){let i=!1,e=(t,n)=>W(N(P(document.documentElement),t),n);s.on("queued",()=>{i||e("queued"),i=!0}),s.on("synced",()=>{i&&e("synced"),i=!1}),s.on("error",({replayed:t})=>t&&e("failed",{kind:"error"}))}function It(){addEventListener("storage",({key:s,newValue:i})=>{/^wishbone\.queue /.test(s||"")&&(i&&St(),Ot())})}var Pt=3;function qt(s){s.on("login",({lists:i=[],remote:e})=>{qe();let t=[...new Set(i.filter(({cnt:r})=>r>0).map(({lname:r})=>r))],n=t.slice(0,Pt).join(", ")+(t.length>Pt?" \u2026":"");n&&!e&&W(N(P(document.documentElement),"login.merged",{list:n}))}),s.on("logout",qe)}function zt(){new MutationObserver(Ot).observe(document.documentElement,{attributeFilter:["lang"]})}function Ot(){M.forEach(s=>s.update())}var Nt={toast:W,setTexts:Ae},Wt="wishbone-toasts";function jt(s){return function(e,{texts:t,currency:n}={}){for(let[a,l]of Object.entries(t||{}))Ae(a,l);A.currency=n||A.currency;let r=A.clients.length===0;if(typeof customElements>"u"||r&&customElements.get(Wt))return Nt;A.clients.includes(e)||(A.clients.push(e),Mt(e),qt(e));for(let[a,l]of Object.entries({[Wt]:j,...s}))customElements.get(a)||customElements.define(a,l);return ft(),r&&Nn(),Nt}}function Nn(){It(),zt(),document.body?p(oe):document.addEventListener("DOMContentLoaded",()=>p(oe))}async function $t(s,i,e=!1){let{answer:t,isAllowed:n}=fe(s,"wishbone:add-to-cart",{item:{...i},quantity:i.qty||1});if(t)return await t[0],!0;let r=b(i.du);if(n&&(e||!r))throw new Error("Nothing handles wishbone:add-to-cart, and the item has no address.");n&&location.assign(r)}var Rt=200,Wn=/^(list-not-found|forbidden|not-granted)$/,ke=class extends x{constructor(){super(...arguments);this.items=[];this.next=null;this.state="loading";this.p=!1;this.o=new Set;this.results=new Map;this.changes=new Map;this.loads=0;this.M=!1}start(){this.e(/^(saved-)?(added|removed|updated|moved)/,(e,t)=>this.follow(t,e)),this.e(/^lists?-/,({list:e})=>(!e||!this.list||e.lid===this.list.lid)&&this.load()),this.e(/^log/,()=>this.reset()),this.r(window,"online",()=>this.state!=="ready"&&this.reset()),p(()=>this.load())}i(e){return/^(lid|key|link-hosts)$/.test(e)&&this.reset(),!1}reset(){this.list=void 0,this.results.clear(),this.items=[],this.next=null,this.state="loading",this.update(),p(()=>this.load())}async load(){let e=this.loads+=1,t=this.items.length;try{let[n,r]=await Promise.all([this.fetch(null),H(this.client)]);this.M=r.includes("subscriptions");let a=n?this.current(n):[],l=n?.next??null;for(;l&&a.length<t;){let d=await this.fetch(l);a=[...a,...d?this.current(d):[]],l=d?.next??null}if(e!==this.loads)return;this.list=n?.list,this.items=a,this.next=l,this.state="ready"}catch(n){e===this.loads&&this.fail(n)}this.update()}fail(e){let{code:t}=e;t!=="identity-changed"&&(this.problem=e,S(this.client,this,e),Wn.test(String(t))?this.state="gone":t==="feature-not-enabled"?this.state="off":this.list||(this.state=navigator.onLine?"error":"offline"))}async more(){if(this.p||!this.next)return;let e=this.loads,t=/^\d+$/.test(this.next)?String(this.items.length):this.next;this.p=!0,this.update();try{let n=await this.fetch(t);if(n&&e===this.loads){let r=new Set(this.items.map(({epi:a})=>a));this.items=[...this.items,...this.current(n).filter(({epi:a})=>!r.has(a))],this.next=n.next}}catch(n){this.toast(this.reason(n),{kind:"error"})}this.p=!1,this.update()}current({list:e,items:t}){return t.filter(({epi:n})=>Ve(this.client,String(n),e.lid)!==!1)}follow(e,{lid:t,fromlid:n,tolid:r,epis:a,items:l,remote:d}){let c=e.replace("saved-","");if(!this.list)return void this.load();if(c==="moved")n===this.list.lid&&this.drop(a),r===this.list.lid&&this.load();else{if(t!==this.list.lid)return;c==="added"?this.put(l.filter(u=>!this.F(u)),0):c==="updated"?this.put(l.filter(({epi:u})=>!this.changes.get(u))):d&&!a.every(u=>this.items.some(h=>h.epi===u))?this.load():this.drop(a.filter(u=>!Ve(this.client,String(u),t)))}}F({cts:e}){let t=this.items[this.items.length-1];return this.next!==null&&t!==void 0&&e<t.cts}put(e,t){let n=new Map(e.map(r=>[r.epi,r]));this.items=this.items.map(r=>{let a=n.get(r.epi);return n.delete(r.epi),a||r}),t!==void 0&&this.items.splice(t,0,...n.values()),this.I(t===void 0?0:n.size)}drop(e){this.Q(e);let t=this.items.length;this.items=this.items.filter(({epi:n})=>!e.includes(n)),this.I(this.items.length-t),this.items.length===0&&this.next&&this.more()}I(e){this.list&&(this.list={...this.list,cnt:(this.list.cnt||0)+e}),this.update()}u(e){let{calls:t}=this,{lid:n,epi:r,empi:a}=e,l=this.items.indexOf(e),d=()=>this.put([e],l),c=()=>(d(),this.act(()=>t.add({...e,lid:n}),()=>this.drop([r])));this.drop([r]);let u=this.t("item.removed",{product:E(this,e)}),h=this.toast(u,{action:{label:this.t("undo"),run:c}}),y=()=>{d(),h()};p(()=>this.act(()=>t.remove({epi:r,empi:a,lid:n}),y))}async change(e,t){let{calls:n}=this,{epi:r}=e,a=c=>this.changes.set(r,(this.changes.get(r)||0)+c);this.put([{...e,...t}]),a(1);let l=()=>n.update({...e,...t}).finally(()=>a(-1)),d=await this.act(l,()=>this.put([e]));d&&!this.changes.get(r)&&this.put(d.items)}async h(e,t=!1){if(this.o.has(e.epi))return!1;let n=E(this,e),r=(a,l)=>t?this.results.set(e.epi,a):this.toast(a,l);this.o.add(e.epi),this.results.delete(e.epi),this.update();try{let a=await $t(this,e,t);return a&&r(this.t("cart.added",{product:n}),this.q()),a||!1}catch(a){return r(typeof a=="string"?a:this.t("cart.failed",{product:n}),{kind:"error"}),!1}finally{this.o.delete(e.epi),this.update()}}async B(){if(this.o.size>0)return;for(;this.next&&this.items.length<Rt;){let{length:l}=this.items;if(await this.more(),this.items.length===l)break}let e=this.items.slice(0,Rt),t=e.filter(({avl:l})=>l!=="out"),n=0;for(let l of t)n+=Number(await this.h(l,!0));let r=e.length-t.length+this.results.size-n,a=l=>({product:this.t("count",{count:l})});n>0&&this.toast(this.t("cart.added",a(n)),this.q()),r>0&&this.toast(this.t("cart.failed",a(r)),{kind:"error"})}q(){let e=b(this.getAttribute("cart-url"));return e?{action:{label:this.t("cart.view"),run:()=>location.assign(e)}}:{}}Q(e){let t=this.root.activeElement||this.querySelector(":focus"),n=t?.closest("[data-epi]");if(!n||!e.includes(Number(n.getAttribute("data-epi"))))return;((n.nextElementSibling||n.previousElementSibling)?.querySelector(`[class="${t?.className}"]`)||this.root.querySelector("[tabindex='-1']"))?.focus()}};function xe(s,i){if(Array.isArray(s))return s.map(a=>xe(a,i));if(typeof s!="object"||!s)return s;let{tag:e,props:t,children:n}=s,r=[e,t.part,...String(t.class).split(" ")].find(a=>i[String(a)]);return o(e,{...t,class:i[String(r)]},xe(n,i))}var q=class extends ke{constructor(){super(...arguments);this.x=[]}get count(){return this.list?.cnt}controls(){}z(){}get f(){}gone(){return g("warning",this.t("error.gone"))}view(){let{state:e,heading:t}=this;this.x=[];let n=e!=="off"&&[o("section",{class:"collection",part:"section","aria-label":t,"aria-busy":String(e==="loading")},de(this,t,e==="ready"?this.count:void 0,o("slot",{name:"actions",class:!this.list?.cnt&&"vacant"}),this.controls()),this.z(),this.body()),this.m&&this.K(this.m)];return this.classNames&&O(this,this.x),[n]}body(){let{state:e,items:t,next:n,layout:r}=this;return e==="loading"?le(this,r):e==="gone"?this.gone():e==="offline"?g("offline",this.t("list.offline"),k(this.t("list.offline.hint"))):e==="error"?g("warning",this.t("list.error"),k(this.reason(this.problem)),T(this,()=>this.reset())):t.length===0&&!n?this.empty():[this.G(o("ul",{key:"items",class:`items ${r}`,part:"items",slot:"items"},t.map(a=>this.item(a)))),n&&yt(this,this.p,()=>this.more())]}G(e){return this.classNames?(this.x=[xe(e,this.classNames)],o("slot",{key:"items",name:"items"})):e}item(e){let t=this.f&&this.O("comments",e,this.t("comments"),"comments");return ce(this,e,{corner:this.corner(e),actions:[this.actions(e),t]})}E(e,t,n){if(e.avl==="out")return this.M&&this.O("notify",e,this.t("notify.submit"),"return");let r=`${this.t(t)}: ${E(this,e)}`,a=this.o.has(e.epi)&&"true";return o("button",{key:"cart",...{class:"primary cart",part:"button primary",type:"button","aria-label":r,"aria-disabled":a},onclick:n},this.t(t))}O(e,t,n,r){let a=`${n}: ${E(this,t)}`;return o("button",{key:e,class:r==="return"?"cart":"quiet comments",part:"button",type:"button","aria-label":a,onclick:()=>{this.m={item:t,for:r},this.update()}},n)}K({item:e,for:t}){let n=()=>{this.m=void 0,this.update()},{lid:r,epi:a,empi:l,du:d}=e,c=E(this,e),u=t==="return"?o("wishbone-notify",{epi:a,empi:l,du:d}):o("wishbone-comments",{key:"comments",lid:r,epi:a,...this.f});return I(this,{title:c,onclose:n},u)}};var D={sortorder:"desc"},U=[["sort.newest",D],["sort.price.asc",{sortby:"price",sortorder:"asc"}],["sort.price.desc",{sortby:"price",sortorder:"desc"}],["sort.title",{sortby:"title",sortorder:"asc"}]],Dt=[["","filter.all"],["instock","filter.instock"],["outofstock","stock.out"]];function _t(s,i,e){let{filterby:t}=i,n=d=>d.sortby===i.sortby&&d.sortorder===i.sortorder,r=({currentTarget:d})=>{let[,c=D]=U[d.selectedIndex]||[];e(t?{...c,filterby:t}:c)},a=({currentTarget:d})=>{let c=Dt[d.selectedIndex]?.[0],{filterby:u,...h}=i,[,y=h]=U.find(([,v])=>n(v))||[];e(c?{...h,filterby:c}:y)},l=(d,c)=>o("option",{key:d,value:c},s.t(d));return o("div",{key:"order",class:"row order",part:"controls"},o("label",{key:"sort"},s.t("sort"),o("select",{value:(U.find(([,d])=>n(d))||U[0])?.[0],onchange:r},U.map(([d])=>l(d,d)))),o("label",{key:"filter"},s.t("filter"),o("select",{value:t||"",onchange:a},Dt.map(([d,c])=>l(c,d)))))}var J=class extends q{constructor(){super(...arguments);this.layout="grid";this.order=D;this.g=!1;this.lists=[]}get calls(){return this.client.items}start(){this.n=void 0,this.e(/^log/,({lists:e=[]})=>{let t=e.find(({lid:n})=>n===this.list?.lid);this.chosen=t&&(t.into||t.lid),this.lists=[]}),this.e(/^list-/,()=>this.lists.length>0&&this.load()),super.start()}i(e){return e==="lid"&&(this.chosen=void 0),super.i(e)}async fetch(e){let{client:t}=this;if(!t.shopper.current())return;let n=this.getAttribute("lid");n||(this.lists=await t.lists.fetch({lty:"wl"}));let r=n?this.chosen||n:(this.lists.find(({lid:a})=>a===this.chosen)||this.lists[0])?.lid;if(r){if(this.g=(await H(this.client)).includes("sort-filter")&&t.shopper.current()?.from!=="guest",this.g)try{return await t.lists.page({lid:r,next:e,...this.order})}catch(a){if(!/^(sort-filter-disabled|user-not-logged-in)$/.test(a.code))throw a;this.g=!1}return t.lists.page({lid:r,next:e})}}put(e,t){t===0&&this.order!==D?this.load():super.put(e,t)}get heading(){return this.list?.lname||this.t("list.title")}view(){return[...super.view(),this.n&&this.dialog(this.n)]}get f(){return this.hasAttribute("comments")?{"can-add":!0,"can-delete":!0}:void 0}controls(){let e=this.g&&(this.items.length>1||this.order!==D);return[this.lists.length>1&&!this.getAttribute("lid")&&this.U(),e&&_t(this,this.order,t=>p(()=>this.J(t))),this.items.some(({avl:t})=>t!=="out")&&this.items.length>1&&o("button",{key:"all",class:"all",part:"button",type:"button","aria-disabled":this.o.size>0&&"true",onclick:()=>this.B()},this.t("cart.all"))]}U(){let e=({currentTarget:r})=>{this.chosen=r.value,this.reset()},t=this.list?.lid||this.chosen,n=this.lists.map(({lid:r,lname:a})=>o("option",{key:r,value:r},a));return o("label",{key:"switcher",class:"switcher"},this.t("item.list"),o("select",{value:t,onchange:e},n))}async J(e){let t=this.order;this.order=e,this.problem=void 0,await this.load(),!(!this.problem||this.order!==e)&&(this.order=t,this.toast(`${this.t("list.error")} ${this.reason(this.problem)}`,{kind:"error"}),this.update())}get count(){return this.order.filterby?this.next?void 0:this.items.length:super.count}empty(){return this.order.filterby?g("list",this.t("filter.none")):g("heart",this.t("list.empty"),k(this.t("list.hint")),o("slot",{name:"empty"}))}corner(e){let t=(n,r,a,l)=>{let d=`${a}: ${E(this,e)}`;return o("button",{key:r,class:`icon ${r}`,part:"button",type:"button","aria-label":d,title:a,onclick:l},m(n))};return o("div",{class:"corner"},t("edit","edit",this.t("item.edit"),()=>this.edit(e)),t("close","remove",this.t("item.remove"),()=>this.u(e)))}actions(e){return[this.hasAttribute("quantity")&&ue(this,e.qty||1,t=>this.change(e,{qty:t})),this.E(e,"cart.add",()=>this.h(e)),this.results.has(e.epi)&&o("p",{key:"result",class:"small result",part:"result",dir:"auto"},this.results.get(e.epi))]}reset(){this.n=void 0,super.reset()}async edit(e){let[t,n]=await Promise.all([this.client.lists.fetch({lty:"wl"}).catch(()=>this.list?[this.list]:[]),ge(this,e).catch(()=>[])]);this.n={item:e,lists:t,variants:n},this.update()}dialog({item:e,...t}){return me(this,{item:e,...t,onclose:()=>{this.n=void 0,this.update()},onsave:r=>this.save(e,r)})}async save(e,{note:t,list:n,variant:r}){let a=t===(e.note||"").trim()?e:{...e,note:t||" "},l=a;r?l=await this.replace(a,r):a!==e&&await this.change(e,{note:t||" "}),l&&n.lid!==e.lid&&await this.move(l,n)}async replace(e,t){let n=this.items.findIndex(({epi:a})=>a===e.epi),r={...e,...Re(t)};return this.drop([e.epi,r.epi]),this.put([r],n),this.act(()=>be(this.client,e,t),()=>p(()=>this.load()))}async move(e,t){try{let n=await ve(this.client,t),r=this.items.findIndex(({epi:l})=>l===e.epi);this.drop([e.epi]),await this.act(()=>ye(this.client,e,n),()=>this.put([e],r))&&this.toast(this.t("item.moved",{list:n.lname}))}catch(n){this.failed(n)}}};J.observedAttributes=["lid","cart-url","currency","quantity","comments","lang"];function Vt(s,i){let e=s;for(let{name:t,args:n,key:r}of i){let{lid:a,lname:l,lty:d}=n;t==="lists.create"&&l&&(d||"wl")==="wl"&&(e=[...e,{lid:r,lname:l,isPending:!0}]),t==="lists.update"&&l&&(e=e.map(c=>c.lid===a?{...c,lname:l}:c)),t==="lists.delete"&&(e=e.filter(c=>c.lid!==a))}return e}var jn=150,$n=12,X=class extends x{constructor(){super(...arguments);this.lists=[];this.L=!1;this.isOpen=!1;this.pictures=new Map;this.shopper={}}start(){this.isOpen=!1,this.chosen=void 0,this.e(/^(added|removed|moved$|lists?-)/,()=>this.soon()),this.e(/^list-/,({list:e},t)=>{let{shopper:n}=this;setTimeout(()=>n===this.shopper&&this.follow(t,e))}),this.e(/^(queued|synced|error)$/,()=>this.update()),this.e(/^log/,()=>this.reset()),this.r(window,"online",()=>this.problem&&p(()=>this.load())),p(()=>this.load())}i(){return!1}reset(){this.shopper={},this.lists=[],this.L=!1,this.pictures.clear(),this.chosen=void 0,this.update(),p(()=>this.load())}soon(){clearTimeout(this.timer),this.timer=setTimeout(()=>p(()=>this.load()),jn)}async load(){try{this.lists=this.client.shopper.current()?await this.client.lists.fetch({lty:"wl"}):[],this.problem=void 0,this.L=!0}catch(e){S(this.client,this,e),e.code!=="identity-changed"&&(this.problem=e)}this.N(),this.update()}N(){if(!this.isOpen)return;let{pictures:e,shopper:t}=this;for(let{lid:n,version:r,cnt:a}of this.lists.slice(0,$n)){let l=e.get(n);if(l?.version===r||(e.set(n,{version:r,iu:a&&l?.iu||""}),!a))continue;let d=({items:[c]})=>{t===this.shopper&&e.set(n,{version:r,iu:c?.iu||""}),this.update()};this.client.lists.details({lid:n,limit:1}).then(d,()=>{})}}follow(e,t){let{lid:n,lname:r,lty:a}=t,l=this.lists.some(d=>d.lid===n);e==="list-deleted"?this.lists=this.lists.filter(d=>d.lid!==n):l?this.lists=this.lists.map(d=>d.lid===n?{...d,...t}:d):e==="list-created"&&r&&(a||"wl")==="wl"&&(this.lists=[...this.lists,t]),this.update()}choose(e,t){this.chosen=e,this.s(t)}async create(e){e.preventDefault();let t=e.currentTarget,n=Ht(t);n&&(t.reset(),await this.save(()=>this.client.lists.create({lname:n})))}async rename(e,{lid:t,lname:n}){e.preventDefault();let r=Ht(e.currentTarget);this.choose(void 0,Y(t)),r&&r!==n&&await this.save(()=>this.client.lists.update({lid:t,lname:r}))}async delete({lid:e,lname:t}){this.choose(void 0,"#dialog-title"),await this.save(()=>this.client.lists.delete({lid:e}))&&this.toast(this.t("item.removed",{product:t}))}save(e){let t=this.act(e,()=>this.update());return this.update(),t}view(){let e=this.lists.reduce((r,{cnt:a=0})=>r+a,0),t=[this.t("lists.title"),this.L&&this.t("count",{count:e})].filter(Boolean).join(", ");return[o("button",{key:"open",class:"open",part:"button",type:"button","aria-haspopup":"dialog","aria-label":t,onclick:()=>{this.isOpen=!0,this.N(),this.update()}},m("heart"),o("span",{class:"badge",part:"badge","aria-hidden":"true"},e>0&&this.number(e))),this.isOpen&&this.drawer()]}drawer(){let{chosen:e}=this,t=e?.for==="items"?e.lid:"",n=()=>{this.isOpen=!1,this.chosen=void 0,this.update()},r=()=>this.choose(void 0,Y(t)),a=t&&o("button",{key:"back",class:"icon back",type:"button","aria-label":this.t("lists.title"),onclick:r},m("forward"));return I(this,{title:this.t("lists.title"),kind:"drawer",before:a,onclose:n},t?this.items(t):[this.Y(),this.X()])}items(e){let t=(...n)=>Object.fromEntries(n.map(r=>[r,this.getAttribute(r)]));return o("wishbone-list",{key:e,lid:e,...t("currency","cart-url","comments"),exportparts:"button, item, title"},this.hasAttribute("page")&&o("wishbone-share",{slot:"actions",lid:e,...t("page","login-url")}))}Y(){let e=Vt(this.lists,this.client.queued()),t=e.length>0&&o("ul",{key:"lists",class:"lists"},e.map(r=>this.row(r)));return this.lists.length>0||!this.problem?t||g("heart",this.t("lists.empty"),k(this.t("list.hint"))):[g("warning",this.t("list.error"),k(this.reason(this.problem)),T(this,()=>this.load())),t]}row(e){let{lid:t,lname:n,cnt:r=0,isPending:a}=e;if(a)return o("li",{key:t,class:"line"},o("div",{class:"show"},this.label(e,this.t("lists.pending"))));let l=this.chosen?.lid===t?this.chosen.for:void 0,d=(v,z,C)=>o("button",{key:v,class:`quiet${C==="name"?"":" danger"}`,type:"button","aria-label":`${z}: ${n}`,onclick:()=>this.choose({lid:t,for:C},C==="name"?"form.rename input":".keep")},m(v),z),c=v=>{v.key!=="Escape"||!l||(v.preventDefault(),this.choose(void 0,Y(t)))};if(l==="name")return o("li",{key:t,onkeydown:c},this.Z(e));if(l==="deletion")return o("li",{key:t,onkeydown:c},this.ee(e));let u=l==="options",h=`${this.t("lists.options")}: ${n}`,y=()=>this.choose(u?void 0:{lid:t,for:"options"},"");return o("li",{key:t,class:"line",onkeydown:c},o("button",{key:"show",class:"show","data-lid":t,type:"button",onclick:()=>this.choose({lid:t,for:"items"},".back")},this.label(e,this.t("count",{count:r})),m("forward")),o("button",{key:"options",class:"icon",type:"button","aria-label":h,"aria-expanded":String(u),title:this.t("lists.options"),onclick:y},m("options")),u&&o("div",{key:"tools",class:"tools"},d("edit",this.t("lists.rename"),"name"),d("trash",this.t("lists.delete"),"deletion")))}label({lid:e,lname:t},n){let r=b(this.pictures.get(e)?.iu),a=l=>l.target.toggleAttribute("hidden",!0);return[o("span",{key:"picture",class:"thumbnail"},m("heart"),r&&o("img",{key:r,src:r,alt:"",decoding:"async",onerror:a})),o("span",{class:"strong"},f(t)),o("span",{key:"more",class:"muted small"},f(n))]}Z(e){let t=()=>this.choose(void 0,Y(e.lid));return o("form",{key:"rename",class:"rename inline",onsubmit:n=>this.rename(n,e)},o("label",null,this.t("lists.name"),o("input",{name:"name",required:!0,maxlength:100,dir:"auto",value:e.lname})),o("button",{key:"save",class:"primary",type:"submit"},this.t("save")),o("button",{key:"cancel",class:"quiet",type:"button",onclick:t},this.t("cancel")))}ee(e){return o("div",{key:"confirm",class:"confirm",role:"group","aria-labelledby":"confirm-text"},o("p",{id:"confirm-text"},this.t("lists.delete.confirm",{list:e.lname})),o("div",{class:"row"},o("button",{key:"delete",class:"danger",type:"button",onclick:()=>this.delete(e)},this.t("lists.delete")),o("button",{key:"keep",class:"quiet keep",type:"button","aria-describedby":"confirm-text",onclick:()=>this.choose(void 0,Y(e.lid))},this.t("cancel"))))}X(){return o("form",{key:"create",class:"inline ruled","aria-labelledby":"create",onsubmit:e=>this.create(e)},o("h3",{id:"create"},this.t("item.list.new")),o("label",null,this.t("lists.name"),o("input",{name:"name",required:!0,maxlength:100,dir:"auto"})),o("button",{class:"primary",part:"button primary",type:"submit"},this.t("lists.create")))}};X.observedAttributes=["currency","cart-url","comments","page","login-url","lang"];var Y=s=>`[data-lid="${CSS.escape(s)}"]`;function Ht(s){return String(new FormData(s).get("name")||"").trim()}var Z=class extends q{constructor(){super(...arguments);this.layout="rows"}get calls(){return this.client.saveForLater}get heading(){return this.t("saved.title")}async fetch(e){let{client:t}=this;if(await $(this.client,"save-for-later"),!t.shopper.current()||!(await t.lists.fetch()).some(({lty:d})=>/^(_saveForLater|sfl)$/.test(d||"")))return;let{list:r,items:a,pagination:l}=await t.saveForLater.fetch({next:e});return{list:{...r,cnt:l.totalcount},items:a,next:l.next}}empty(){return g("list",this.t("saved.empty"),k(this.t("saved.hint")),o("slot",{name:"empty"}))}corner(){}actions(e){let t=this.t("item.remove"),n=`${t}: ${E(this,e)}`;return[ue(this,e.qty||1,r=>this.change(e,{qty:r})),this.E(e,"cart.move",()=>this.te(e)),o("button",{key:"remove",class:"quiet remove",part:"button",type:"button","aria-label":n,onclick:()=>this.u(e)},t)]}async te(e){if(!await this.h(e))return;let{lid:t,epi:n,empi:r}=e,a=this.items.findIndex(l=>l.epi===n);this.drop([n]),await this.act(()=>this.client.saveForLater.movedToCart({lid:t,epi:n,empi:r}),()=>this.put([e],a))}};Z.observedAttributes=["cart-url","currency","lang"];var Ft=10,ee=class extends x{constructor(){super(...arguments);this.state="closed";this.list="";this.others=[];this.sender="";this.b=!1;this.v=!1;this.y=""}start(){this.close(),this.e(/^log/,()=>this.state==="login"?this.open():this.state!=="closed"&&this.close()),this.e(/^unshared$/,({lid:e})=>e===this.list&&this.state==="ready"&&this.load())}i(e){return e==="lid"&&this.state!=="closed"}close(){this.state="closed",this.link=void 0,this.y=this.sender="",this.update()}open(){this.state="loading",this.update(),p(()=>this.load())}async load(){try{let e=await this.find();this.state!=="closed"&&(this.state=e)}catch(e){this.problem=e;let t=e.code==="user-not-logged-in";this.state!=="closed"&&(this.state=t?"login":"error")}this.update()}async find(){let{client:e}=this,t=e.shopper.current();if(!t||t.from==="guest")return"login";let n=this.closest("wishbone-list")?.list;this.list=this.getAttribute("lid")||(n||await e.lists.ensure()).lid;let r=(await e.sharing.links({lid:this.list})).filter(({expired:a})=>!a);return this.link=r.filter(({scope:a,label:l})=>a==="view"&&!l).pop(),this.others=r.filter(a=>a!==this.link),"ready"}get address(){let e=this.getAttribute("page");return this.link?e?Rn(e,this.link.key):b(this.link.url):""}W(){return this.sender=this.root.querySelector("input[name=from]")?.value.trim()||"",this.sender}async create(){let{list:e}=this;if(this.b)return;this.b=!0,this.update();let t=await this.act(()=>this.client.sharing.createLink({lid:e,fromname:this.W()}));this.b=!1,this.update(),!(!t||e!==this.list)&&(this.link=t,this.s(".copy"))}async revoke(e){let{list:t}=this;if(!await this.act(()=>this.client.sharing.revokeLink({lid:t,key:e.key})))return;let r=e===this.link;r&&(this.link=void 0),this.others=this.others.filter(a=>a!==e),this.toast(this.t("share.revoked")),this.s(r?".create":"#dialog-title")}async copy(){let e=this.root.querySelector("input.address");try{await navigator.clipboard.writeText(this.address)}catch{if(e?.select(),!document.execCommand("copy"))return}this.toast(this.t("share.copied"))}async ne(){let{list:e}=this;await navigator.share({url:this.address}).then(()=>!0,()=>!1)&&await this.client.sharing.reportSocial({lid:e,medium:"native"}).catch(()=>{})}async mail(e){e.preventDefault();let t=e.currentTarget;if(this.v)return;let{emails:n,invalid:r}=xt(t);if(n.length===0||r.length>0)return this.a([...r,this.t("email.invalid")].join(`
`));let{list:a}=this,l=this.W(),d=String(new FormData(t).get("note")||"").trim();this.v=!0,this.y="",this.update();let c=n.slice(Ft),u=c.length>0?[this.t("error.limit")]:[],h=async v=>{try{await this.client.sharing.mail({lid:a,toemail:v,fromname:l,note:d})}catch(z){c.push(v),u.push(n.length>1?`${v}: ${this.reason(z)}`:this.reason(z))}};await Promise.all(n.slice(0,Ft).map(h)),this.v=!1,this.update();let y=n.filter(v=>!c.includes(v));y.length>0&&this.toast(this.t("share.sent",{email:y.join(", ")})),u.length===0?t.reset():t.elements.namedItem("email").value=c.join(","),u.length>0&&this.a(u.join(`
`)),await this.find().catch(()=>{}),this.update()}a(e){this.y=e,this.s("input[type=email]")}view(){return[o("button",{key:"open",part:"button",type:"button","aria-haspopup":"dialog",onclick:()=>this.open()},m("share"),this.t("share")),this.state!=="closed"&&I(this,{title:this.t("share.title"),onclose:()=>this.close()},o("div",{class:"stack"},this.content()))]}content(){return this.state==="loading"?o("p",{class:"muted",role:"status"},this.t("loading")):this.state==="error"?g("warning",this.t("list.error"),k(this.reason(this.problem)),T(this,()=>this.open())):this.state==="login"?this.login():[this.ie(),this.se(),o("ul",{key:"others"},this.others.map(e=>this.other(e)))]}login(){let e=b((this.getAttribute("login-url")||"").replace("{return}",encodeURIComponent(location.href))),t=n=>{let r=new CustomEvent("wishbone:login-request",{bubbles:!0,composed:!0,cancelable:!0});this.dispatchEvent(r)||n.preventDefault()};return g("share",this.t("share.login"),e&&o("a",{class:"button primary",href:e,onclick:t},this.t("login")))}j(){return[o("label",{key:"from"},this.t("share.from"),o("input",{name:"from",maxlength:100,autocomplete:"given-name",dir:"auto",value:this.sender,"aria-describedby":"from-hint"})),o("p",{key:"from-hint",id:"from-hint",class:"muted small"},this.t("share.from.hint"))]}other(e){let t=e.label||this.t("share.link"),n=this.t("share.revoke");return o("li",{key:e.key,class:"line"},o("span",{class:"show small"},f(t)),o("button",{class:"quiet danger",part:"button",type:"button","aria-label":`${n}: ${t}`,onclick:()=>this.revoke(e)},n))}ie(){let e=(n,r,a,l=!1)=>o("button",{key:n,class:n,part:"button",type:"button","aria-disabled":l&&"true",onclick:a},r),{link:t}=this;return t?o("div",{key:"link",class:"stack"},o("label",{key:"address"},this.t("share.link"),o("input",{class:"address",readonly:!0,dir:"ltr","aria-describedby":"link-hint",value:this.address,onfocus:n=>n.target.select()})),o("p",{id:"link-hint",class:"muted small"},this.t("share.hint")," ",t.fromname&&f(this.t("shared.by",{name:t.fromname}))),o("div",{class:"row"},e("primary copy",this.t("share.copy"),()=>this.copy()),"share"in navigator&&e("native",this.t("share.other"),()=>this.ne()),e("quiet danger",this.t("share.revoke"),()=>this.revoke(t)))):o("div",{key:"create",class:"stack"},k(this.t("share.hint")),this.j(),e("primary create",this.t("share.create"),()=>this.create(),this.b))}se(){return o("form",{key:"mail",class:"stack ruled",novalidate:!0,onsubmit:e=>this.mail(e)},o("h3",null,this.t("share.mail")),he({label:this.t("share.emails"),problem:this.y,autocomplete:"off",multiple:!0}),this.link&&this.j(),o("label",{key:"note"},this.t("share.note"),o("textarea",{name:"note",maxlength:1e3,dir:"auto"})),o("button",{key:"send",part:"button",type:"submit","aria-disabled":this.v&&"true"},this.t("share.send")))}};ee.observedAttributes=["lid","page","login-url","lang"];function Rn(s,i){let e=location.origin+location.pathname,t=b(s.replace("{key}",encodeURIComponent(i)))||e;if(s.includes("{key}"))return t;let n=new URL(t);return n.searchParams.set("wishlist",i),b(n)}var te=class extends q{constructor(){super(...arguments);this.layout="grid"}get calls(){return this.client.items}get heading(){return this.list?.lname||this.t("shared.title")}z(){let{fromname:e,lnote:t}=this.list||{};return[e&&o("p",{key:"owner",class:"owner muted",part:"owner"},f(this.t("shared.by",{name:e}))),t&&o("p",{key:"note",class:"owner",part:"list-note"},f(t))]}get f(){let{canEdit:e,itemcmnts:t}=this.list||{};return e||t?{"can-add":e}:void 0}connectedCallback(){super.connectedCallback(),!this.robots&&(this.robots=document.createElement("meta"),this.robots.name="robots",this.robots.content="noindex",document.head.append(this.robots))}disconnectedCallback(){super.disconnectedCallback(),!this.isConnected&&(this.robots?.remove(),this.robots=void 0)}async fetch(e){let t=this.$();if(!t)return;let n=await this.client.lists.page({lid:t,next:e,shared:!0});return{...n,items:n.items.map(r=>({...r,du:this.re(r.du)}))}}$(){return this.getAttribute("key")||new URLSearchParams(location.search).get("wishlist")}re(e){let t=a=>Ee(a,document.baseURI)?.host,n=(this.getAttribute("link-hosts")||"").split(/\s+/).map(a=>t(`//${a}`)),r=t(e);return r&&[location.host,...n].includes(r)?e:""}follow(){}gone(){let e=this.t("shared.gone.hint");return this.$()?g("warning",this.t("shared.gone"),k(e)):g("warning",e)}empty(){return this.list?g("list",this.t("shared.empty"),o("slot",{name:"empty"})):this.gone()}corner({epi:e,empi:t,du:n,dt:r,iu:a,vi:l,pr:d}){let c={epi:e,empi:t,du:n||location.origin,dt:r,iu:a,vi:l,pr:d};return o("div",{class:"corner"},o("wishbone-heart",{exportparts:"button: heart",...c}))}actions(e){return this.E(e,"cart.add",()=>this.h(e))}};te.observedAttributes=["key","link-hosts","cart-url","currency","lang"];var no=jt({"wishbone-heart":R,"wishbone-list":J,"wishbone-saved":Z,"wishbone-notify":F,"wishbone-alerts":Q,"wishbone-comments":B,"wishbone-share":ee,"wishbone-shared-list":te,"wishbone-lists":X});export{no as install};
