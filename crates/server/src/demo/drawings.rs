//! SVG shapes of the demo pictures: flat drawings on a 400 by 400 canvas with their baseline at y = 340.
//!
//! `$base`, `$light`, `$dark` and `$deep` are tones of the variant's colour; the other `$` names are materials of fixed
//! colour. `pictures.rs` replaces them by hex values. A shape without `fill` is an outline.

pub(super) struct Drawing {
    pub(super) name: &'static str,
    /// Half the width of the shadow on the ground.
    pub(super) shadow: u32,
    pub(super) shapes: &'static str,
}

const fn drawing(name: &'static str, shadow: u32, shapes: &'static str) -> Drawing {
    Drawing { name, shadow, shapes }
}

pub(super) const DRAWINGS: &[Drawing] = &[
    drawing("rain-jacket", 88, RAIN_JACKET),
    drawing("sweater", 88, SWEATER),
    drawing("sun-hat", 150, SUN_HAT),
    drawing("beanie", 112, BEANIE),
    drawing("socks", 112, SOCKS),
    drawing("boots", 140, BOOTS),
    drawing("backpack", 104, BACKPACK),
    drawing("duffel", 142, DUFFEL),
    drawing("tent", 160, TENT),
    drawing("sleeping-bag", 84, SLEEPING_BAG),
    drawing("camp-chair", 118, CAMP_CHAIR),
    drawing("stove", 96, STOVE),
    drawing("lantern", 84, LANTERN),
    drawing("headlamp", 116, HEADLAMP),
    drawing("pocket-knife", 112, POCKET_KNIFE),
    drawing("bottle", 66, BOTTLE),
    drawing("mug", 98, MUG),
    drawing("teapot", 124, TEAPOT),
    drawing("bowls", 116, BOWLS),
    drawing("apple-crate", 150, APPLE_CRATE),
    drawing("baking-mould", 140, BAKING_MOULD),
    drawing("map", 148, MAP),
    drawing("compass", 104, COMPASS),
    drawing("notebook", 104, NOTEBOOK),
    drawing("blanket", 142, BLANKET),
    drawing("candle", 84, CANDLE),
    drawing("table-lamp", 84, TABLE_LAMP),
    drawing("cushion", 124, CUSHION),
];

const RAIN_JACKET: &str = r#"<path fill="$dark" d="M146 130C140 66 164 48 200 48s60 18 54 82l-54 30z"/>
<path fill="$deep" d="M164 128c-4-42 10-58 36-58s40 16 36 58l-36 34z"/>
<path fill="$dark" d="M142 120c-34 8-46 40-58 140-1 12 6 18 16 20l18 2c10 1 16-4 18-14l22-98z"/>
<path fill="$dark" d="M258 120c34 8 46 40 58 140 1 12-6 18-16 20l-18 2c-10 1-16-4-18-14l-22-98z"/>
<path fill="$base" d="M146 117l54 43 54-43c14 4 20 16 21 32l9 162c1 12-6 19-18 19H134c-12 0-19-7-18-19l9-162c1-16 7-28 21-32z"/>
<path fill="$dark" d="M200 160l54-43c14 4 20 16 21 32l9 162c1 12-6 19-18 19h-66z" opacity=".38"/>
<path fill="$light" d="M146 117l54 43-7 20-56-58z"/><path fill="$light" d="M254 117l-54 43 7 20 56-58z"/>
<path stroke="$cream" stroke-width="5" d="M200 166v164"/><rect x="194" y="176" width="12" height="22" rx="5" fill="$cream"/>
<path stroke="$deep" stroke-width="6" d="M142 240l26 34M258 240l-26 34M87 256l48 8M313 256l-48 8"/>"#;

const SWEATER: &str = r#"<path fill="$dark" d="M146 96c-38 8-50 50-64 164l46 10 32-104z"/><path fill="$dark" d="M254 96c38 8 50 50 64 164l-46 10-32-104z"/>
<path fill="$base" d="M158 90h84c22 4 32 16 32 40l6 172H120l6-172c0-24 10-36 32-40z"/>
<path fill="$deep" d="M160 88c10 34 70 34 80 0z"/><path stroke="$light" stroke-width="14" d="M160 88c8 40 72 40 80 0"/>
<path fill="$light" d="M124 176h152l1 62H123z"/>
<path stroke="$dark" stroke-width="7" d="M128 222l18-28 18 28 18-28 18 28 18-28 18 28 18-28 18 28"/>
<path stroke="$cream" stroke-width="7" stroke-dasharray="0 18.2" d="M127 162h150M127 252h150"/>
<rect x="116" y="296" width="168" height="34" rx="12" fill="$dark"/>
<path stroke="$base" stroke-width="5" d="M138 304v18m21-18v18m21-18v18m20-18v18m20-18v18m21-18v18m21-18v18"/>
<path stroke="$light" stroke-width="20" d="M90 262l32 7M310 262l-32 7"/>"#;

const SUN_HAT: &str = r#"<ellipse cx="200" cy="270" rx="156" ry="58" fill="$dark"/><ellipse cx="200" cy="258" rx="156" ry="56" fill="$base"/>
<ellipse cx="200" cy="252" rx="112" ry="34" fill="$dark" opacity=".55"/>
<path fill="$base" d="M104 250c2-86 26-142 62-142 14 0 20 10 34 10s20-10 34-10c36 0 60 56 62 142-20 38-172 38-192 0z"/>
<path fill="$dark" d="M234 108c36 0 60 56 62 142-8 16-34 26-66 29 26-44 30-120 4-171z" opacity=".5"/>
<path fill="$deep" d="M107 214c40 30 146 30 186 0l3 36c-20 38-172 38-192 0z"/>
<path stroke="$light" stroke-width="7" d="M140 156c6-16 12-26 22-29"/>
<path fill="$cream" d="M262 244c-14-40-4-70 28-92 10 38 2 68-20 92z"/><path stroke="$wood" stroke-width="4" d="M264 262c4-34 10-62 22-94"/>"#;

const BEANIE: &str = r#"<circle cx="200" cy="86" r="40" fill="$light"/><path stroke="$light" stroke-width="17" stroke-dasharray="0 21" d="M166 104a38 38 0 1 1 68 0"/>
<path stroke="$base" stroke-width="5" d="M196 62l-8 8M214 70l8 8M178 84l-6 10M200 86l8 6M222 98l-8 8M188 104l8 4"/>
<path fill="$base" d="M94 262c0-96 44-146 106-146s106 50 106 146z"/>
<path fill="$dark" d="M228 119c48 12 78 60 78 143h-58c4-60-2-110-20-143z" opacity=".55"/>
<path stroke="$dark" stroke-width="6" d="M132 262c0-68 18-112 50-142M176 262c0-60 6-106 20-142M224 262c0-60-6-106-20-142M268 262c0-68-18-112-50-142"/>
<path stroke="$light" stroke-width="9" stroke-dasharray="0 22.5" d="M100 228c60-12 140-12 200 0"/>
<rect x="82" y="254" width="236" height="76" rx="26" fill="$light"/><rect x="82" y="254" width="236" height="76" rx="26" fill="$dark" opacity=".15"/>
<path stroke="$dark" stroke-width="5" d="M110 272v40m26-40v40m26-40v40m25-40v40m26-40v40m25-40v40m26-40v40m26-40v40"/>
<rect x="222" y="276" width="44" height="32" rx="6" fill="$cream"/><path stroke="$dark" stroke-width="4" d="M230 300l10-14 7 8 4-5 7 11"/>"#;

const SOCKS: &str = r#"<g transform="translate(64 -6)"><path fill="$dark" d="M142 66h78v150c0 18 8 26 24 36 26 16 36 30 32 52-4 24-24 32-48 24-60-20-86-40-86-80z"/>
<rect x="134" y="58" width="94" height="42" rx="12" fill="$deep"/><path fill="$deep" d="M264 268c12 12 14 24 12 36-4 24-24 32-48 24 0-24 12-48 36-60z"/></g>
<path fill="$base" d="M92 76h84v152c0 20 8 28 26 40 26 16 36 30 32 50-4 22-26 28-50 20-62-20-92-42-92-86z"/>
<path fill="$light" d="M92 228c26 0 50 22 52 86-34-18-52-36-52-62z"/><path fill="$light" d="M216 278c16 13 20 26 18 40-4 22-26 28-50 20 0-26 10-48 32-60z"/>
<path fill="$light" d="M92 128h84v18H92zM92 164h84v18H92z"/><path fill="$cream" d="M92 146h84v18H92z"/>
<rect x="84" y="68" width="100" height="44" rx="12" fill="$dark"/>
<path stroke="$base" stroke-width="5" d="M102 80v20m16-20v20m16-20v20m16-20v20m16-20v20"/>"#;

const BOOTS: &str = r#"<g transform="translate(70 -10)"><path fill="$dark" d="M84 126h96l2 84c22 20 70 16 84 50 6 16 7 36 3 54H76c-8-60 8-128 8-188z"/>
<rect x="76" y="100" width="110" height="34" rx="13" fill="$deep"/><path fill="$deep" d="M208 232c30 4 50 10 58 28 6 16 7 36 3 54h-54c-14-28-18-54-7-82z"/>
<path fill="$ink" d="M70 306h202c4 0 6 2 6 6v12c0 10-6 16-15 16H84c-9 0-16-5-16-14v-14c0-4 0-6 2-6z"/></g>
<path fill="$base" d="M76 126h96l2 84c22 20 70 16 84 50 6 16 7 36 3 54H68c-8-60 8-128 8-188z"/>
<path fill="$dark" d="M68 314c-3-22-3-44-1-66 38-8 58 20 60 66zM206 234c28 4 45 10 52 26 6 16 7 36 3 54h-50c-14-28-16-54-5-80z"/>
<path fill="$light" d="M116 126h56l2 84c9 8 20 12 32 15-26 24-66 14-80-14-12-24-10-54-10-85z"/>
<path stroke="$cream" stroke-width="7" d="M126 152l40 5M127 178l41 5M134 205l38-1M158 228l20-13"/>
<rect x="68" y="100" width="112" height="34" rx="13" fill="$deep"/><path fill="$cream" d="M66 304h197v16H66z"/>
<path fill="$ink" d="M62 316h202c4 0 6 2 6 5v4c0 10-6 16-15 16h-24l-4-9h-14l-4 9h-30l-4-9h-14l-4 9h-27l-4-9h-16l-4 9H76c-9 0-16-5-16-14v-6c0-3 0-5 2-5z"/>"#;

const BACKPACK: &str = r#"<path stroke="$deep" stroke-width="13" d="M172 92c0-44 56-44 56 0"/>
<path fill="$deep" d="M104 190c-20 10-26 50-22 100 1 14 8 20 24 20zM296 190c20 10 26 50 22 100-1 14-8 20-24 20z"/>
<rect x="100" y="84" width="200" height="254" rx="52" fill="$base"/>
<path fill="$dark" d="M248 84c29 0 52 23 52 52v150c0 29-23 52-52 52h-14c30-70 34-180 14-254z" opacity=".45"/>
<path fill="$light" d="M94 150c0-54 34-78 106-78s106 24 106 78c0 26-10 40-30 40H124c-20 0-30-14-30-40z"/>
<path stroke="$base" stroke-width="5" d="M116 146c4-30 30-46 84-46s80 16 84 46"/>
<rect x="124" y="226" width="152" height="96" rx="24" fill="$dark"/><path stroke="$light" stroke-width="5" d="M144 250h112"/>
<rect x="250" y="246" width="9" height="26" rx="4.5" fill="$cream"/>
<path fill="$wood" d="M142 160h18v66h-18zM240 160h18v66h-18z"/><path stroke="$cream" stroke-width="5" d="M139 196h24v18h-24zM237 196h24v18h-24z"/>
<path fill="$cream" d="M178 292l18-26 10 13 6-7 14 20z"/>"#;

const DUFFEL: &str = r#"<path stroke="$deep" stroke-width="14" d="M138 190c0-112 124-112 124 0"/>
<rect x="52" y="166" width="296" height="172" rx="62" fill="$base"/>
<path fill="$dark" d="M286 166c34 0 62 28 62 62v48c0 34-28 62-62 62-14-50-14-122 0-172zM114 166c-34 0-62 28-62 62v48c0 34 28 62 62 62 14-50 14-122 0-172z"/>
<path fill="$dark" d="M122 300h156c0 14-1 26-4 38H126c-3-12-4-24-4-38z" opacity=".5"/>
<path stroke="$light" stroke-width="6" d="M126 188h148"/><rect x="256" y="183" width="26" height="10" rx="5" fill="$cream"/>
<path fill="$wood" d="M136 168h20v170h-20zM244 168h20v170h-20z"/><path stroke="$wood" stroke-width="15" d="M146 200c0-116 108-116 108 0"/>
<path stroke="$bark" stroke-width="20" stroke-linecap="butt" d="M178 118c14-6 30-6 44 0"/>
<rect x="170" y="222" width="60" height="60" rx="12" fill="$light"/><path fill="$dark" d="M180 270l15-30 10 16 6-8 10 22z"/>"#;

const TENT: &str = r#"<circle cx="306" cy="104" r="26" fill="$glow"/><path fill="$paper" d="M62 132c-20 0-20-28 2-28 4-26 44-26 50-4 26-4 30 32 6 32z"/>
<path stroke="$bark" stroke-width="4" d="M200 92L34 338M200 92l166 246"/>
<path fill="$dark" d="M200 92c30 20 70 100 134 246H200z"/><path fill="$base" d="M200 92c-30 20-70 100-134 246h134z"/>
<path fill="$deep" d="M200 138c-12 60-28 130-56 200h112c-28-70-44-140-56-200z"/>
<path fill="$glow" d="M200 214c-8 44-16 86-30 124h60c-14-38-22-80-30-124z" opacity=".75"/>
<path fill="$light" d="M200 138c-12 60-28 130-56 200h-26c44-66 62-130 82-200zM200 138c12 60 28 130 56 200h26c-44-66-62-130-82-200z"/>
<path stroke="$bark" stroke-width="7" d="M200 102V66"/><path fill="$light" d="M203 62l38 10-38 14z"/>
<path fill="$fern" d="M40 340c2-18-6-26-12-32 14 2 18 10 20 18 2-10 8-18 18-22-6 12-6 24-4 36zM332 340c2-14-4-20-8-26 10 2 14 8 16 14 2-8 8-16 16-18-6 10-6 20-4 30z"/>"#;

const SLEEPING_BAG: &str = r#"<path fill="$base" d="M200 46c62 0 88 44 88 104 0 64-28 120-34 160-2 18-18 28-54 28s-52-10-54-28c-6-40-34-96-34-160 0-60 26-104 88-104z"/>
<path fill="$dark" d="M232 50c40 14 56 52 56 100 0 64-28 120-34 160-2 16-16 26-44 28 44-70 62-190 22-288z" opacity=".45"/>
<path fill="$deep" d="M200 66c40 0 58 24 58 62 0 34-26 52-58 52s-58-18-58-52c0-38 18-62 58-62z"/>
<path fill="$cream" d="M152 146c8-24 88-24 96 0 4 22-18 34-48 34s-52-12-48-34z"/><path stroke="$sand" stroke-width="5" d="M168 158c14 8 50 8 64 0"/>
<path stroke="$dark" stroke-width="6" d="M118 196c40 26 124 26 164 0M130 238c36 22 104 22 140 0M142 280c28 16 88 16 116 0"/>
<path stroke="$light" stroke-width="6" d="M140 74c-10 14-15 34-16 56"/>
<path stroke="$cream" stroke-width="5" d="M200 184v112"/><rect x="194" y="288" width="12" height="22" rx="6" fill="$cream"/>"#;

const CAMP_CHAIR: &str = r#"<path stroke="$bark" stroke-width="13" d="M122 334l140-118M278 334L138 216"/>
<path stroke="$wood" stroke-width="14" d="M104 334L124 84M296 334L276 84M104 334h36M296 334h-36"/>
<path stroke="$bark" stroke-width="10" d="M110 292h180"/>
<path fill="$base" d="M112 86c0-8 5-12 12-12 50 8 102 8 152 0 7 0 12 4 12 12l-5 64c-1 8-6 12-13 12-46 8-94 8-140 0-7 0-12-4-13-12z"/>
<path fill="$light" d="M114 104c58 10 114 10 172 0l-1 18c-56 10-114 10-170 0z"/><path fill="$light" d="M117 132c56 10 110 10 166 0v5c-56 10-110 10-166 0z"/>
<path fill="$dark" d="M100 222c60 44 140 44 200 0l6 22c-60 50-152 50-212 0z"/><path fill="$base" d="M98 212h204l4 14c-60 44-152 44-212 0z"/>
<path stroke="$wood" stroke-width="18" d="M84 206h44M316 206h-44"/>"#;

const STOVE: &str = r#"<path fill="$base" d="M128 262c0-18 14-28 30-28h84c16 0 30 10 30 28v52c0 16-10 26-26 26h-92c-16 0-26-10-26-26z"/>
<path fill="$dark" d="M240 234c18 0 32 10 32 28v52c0 16-10 26-26 26h-22c16-30 22-70 16-106z" opacity=".5"/>
<path fill="$cream" d="M128 270h144v38H128z"/><path fill="$dark" d="M178 302l18-26 10 14 6-8 14 20z"/>
<path stroke="$iron" stroke-width="9" d="M200 234v-28M200 216h62"/><rect x="254" y="204" width="34" height="24" rx="10" fill="$poppy"/>
<path stroke="$iron" stroke-width="8" d="M164 208l-26-32M236 208l26-32"/><path fill="$iron" d="M162 202h76c0 12-10 18-22 18h-32c-12 0-22-6-22-18z"/>
<path fill="$glow" d="M162 200c-6-14 6-20 6-30 10 6 12 14 12 20 4-8 10-16 20-26 10 10 16 18 20 26 0-6 2-14 12-20 0 10 12 16 6 30z"/>
<path fill="$steel" d="M118 80h164v70c0 18-10 26-26 26H144c-16 0-26-8-26-26z"/><path fill="$iron" d="M232 80h50v70c0 18-10 26-26 26h-30c8-30 10-62 6-96z" opacity=".45"/>
<rect x="106" y="68" width="188" height="18" rx="9" fill="$iron"/><path stroke="$ink" stroke-width="13" d="M290 106h56"/>
<path stroke="$paper" stroke-width="7" d="M138 104v34"/><circle cx="200" cy="60" r="11" fill="$ink"/>"#;

const LANTERN: &str = r#"<circle cx="200" cy="206" r="128" fill="$glow" opacity=".25"/><path stroke="$iron" stroke-width="8" d="M128 220C96 20 304 20 272 220"/>
<path fill="$paper" d="M156 146h88c26 34 26 88 0 122h-88c-26-34-26-88 0-122z" opacity=".8"/><circle cx="200" cy="222" r="44" fill="$glow" opacity=".45"/>
<path fill="$glow" d="M200 170c26 34 30 48 30 60a30 30 0 0 1-60 0c0-12 4-26 30-60z"/>
<path fill="$poppy" d="M200 212c12 16 14 22 14 30a14 14 0 0 1-28 0c0-8 2-14 14-30z" opacity=".7"/>
<path stroke="$dark" stroke-width="7" d="M140 150c-18 36-18 82 0 118M260 150c18 36 18 82 0 118M130 208h140"/>
<path fill="$base" d="M148 124h104l14 28H134z"/><path fill="$dark" d="M166 96h68l10 30h-88z"/><rect x="178" y="78" width="44" height="22" rx="9" fill="$base"/>
<path fill="$dark" d="M134 262h132l10 20H124z"/><path fill="$base" d="M114 282h172l12 42c2 10-4 16-14 16H116c-10 0-16-6-14-16z"/>
<path fill="$dark" d="M250 282h36l12 42c2 10-4 16-14 16h-38c8-18 8-40 4-58z" opacity=".5"/><path stroke="$light" stroke-width="7" d="M134 300l-6 20"/>
<circle cx="298" cy="290" r="12" fill="$iron"/>"#;

const HEADLAMP: &str = r#"<path stroke="$deep" stroke-width="42" d="M72 160a128 62 0 0 1 256 0"/><path stroke="$dark" stroke-width="6" d="M72 160a128 62 0 0 1 256 0"/>
<path fill="$glow" d="M158 262L92 340h216l-66-78z" opacity=".45"/>
<path stroke="$base" stroke-width="42" d="M72 160a128 78 0 0 0 256 0"/><path stroke="$light" stroke-width="7" stroke-dasharray="15 15" d="M72 160a128 78 0 0 0 256 0"/>
<rect x="130" y="190" width="140" height="102" rx="38" fill="$ink"/><rect x="136" y="180" width="128" height="104" rx="38" fill="$dark"/>
<circle cx="200" cy="234" r="46" fill="$light"/><circle cx="200" cy="234" r="37" fill="$paper"/><circle cx="200" cy="234" r="27" fill="$glow"/>
<path stroke="$paper" stroke-width="6" d="M185 230c1-7 6-11 12-12"/><rect x="180" y="168" width="40" height="18" rx="9" fill="$poppy"/>"#;

const POCKET_KNIFE: &str = r#"<g transform="rotate(-32 200 200)"><path fill="$steel" d="M206 174h158c10 0 14 4 12 10-14 32-46 42-86 42h-84z"/>
<path fill="$iron" d="M206 208h88c36 0 60-10 76-33l5 2c2 2 2 4 1 7-14 32-46 42-86 42h-84z" opacity=".55"/><path stroke="$iron" stroke-width="6" d="M240 188h44"/>
<rect x="30" y="166" width="194" height="66" rx="33" fill="$base"/><path fill="$dark" d="M30 199h194a33 33 0 0 1-33 33H63a33 33 0 0 1-33-33z" opacity=".5"/>
<path fill="$iron" d="M182 166h9a33 33 0 0 1 0 66h-9z"/><circle cx="200" cy="199" r="9" fill="$cream"/><circle cx="64" cy="199" r="8" fill="$cream"/>
<path stroke="$light" stroke-width="7" d="M66 180h70"/><path fill="$cream" d="M106 212l18-26 10 14 6-8 14 20z"/>
<circle cx="20" cy="199" r="15" stroke="$iron" stroke-width="6"/></g>"#;

const BOTTLE: &str = r#"<path stroke="$ink" stroke-width="12" d="M176 84c-6-52 54-52 48 0"/><rect x="162" y="72" width="76" height="46" rx="12" fill="$ink"/>
<path stroke="$iron" stroke-width="5" d="M180 84v22m13-22v22m14-22v22m13-22v22"/><rect x="168" y="114" width="64" height="18" fill="$steel"/>
<path fill="$base" d="M168 130h64c24 10 34 28 34 50v134c0 16-10 26-26 26h-80c-16 0-26-10-26-26V180c0-22 10-40 34-50z"/>
<path fill="$dark" d="M134 262l40-46 22 24 28-36 42 52v58c0 16-10 26-26 26h-80c-16 0-26-10-26-26z"/>
<path fill="$cream" d="M224 204l18 22-10 2-8-6-8 8-8-6zM174 216l14 15-8 1-6-4-7 6-7-2z"/>
<path fill="$deep" d="M134 296c40-22 90-20 132 0v18c0 16-10 26-26 26h-80c-16 0-26-10-26-26z"/>
<circle cx="176" cy="180" r="14" fill="$glow"/><path stroke="$light" stroke-width="8" d="M148 196c0-20 4-32 14-42"/>"#;

const MUG: &str = r#"<path stroke="$paper" stroke-width="10" d="M164 118c-18-20 16-30 0-54M206 112c-18-20 16-30 0-54M248 118c-18-20 16-30 0-54" opacity=".9"/>
<path stroke="$dark" stroke-width="24" d="M268 190c62-12 70 92-6 92"/>
<path fill="$base" d="M104 158h184l-8 152c-1 18-12 30-30 30H142c-18 0-29-12-30-30z"/>
<path fill="$dark" d="M240 158h48l-8 152c-1 18-12 30-30 30h-32c20-50 26-120 22-182z" opacity=".45"/>
<ellipse cx="196" cy="158" rx="98" ry="24" fill="$deep"/><ellipse cx="196" cy="162" rx="84" ry="16" fill="$coffee"/>
<path stroke="$cream" stroke-width="9" d="M98 158c0 32 196 32 196 0"/>
<path stroke="$cream" stroke-width="7" stroke-dasharray="0 33" d="M124 216h160M138 246h140M126 276h150M142 306h124" opacity=".85"/>"#;

const TEAPOT: &str = r#"<path stroke="$wood" stroke-width="15" d="M112 196C112 40 288 40 288 196"/><path stroke="$bark" stroke-width="21" stroke-linecap="butt" d="M160 92c26-14 54-14 80 0"/>
<path fill="$dark" d="M278 286c34-8 40-50 58-82 5-8 1-14-8-14-28 0-56 14-70 40z"/>
<path fill="$base" d="M86 248c0-58 50-88 110-88s110 30 110 88c0 62-44 92-110 92S86 310 86 248z"/>
<path fill="$dark" d="M250 170c36 14 56 42 56 78 0 62-44 92-110 92-14 0-24-1-34-4 76-8 112-88 88-166z" opacity=".45"/>
<path fill="$light" d="M140 170c10-24 102-24 112 0 4 14-116 14-112 0z"/><circle cx="196" cy="142" r="15" fill="$wood"/>
<path stroke="$light" stroke-width="9" d="M112 252c-2-24 8-42 26-54"/>
<path stroke="$cream" stroke-width="5" d="M166 296c6-34 22-56 50-70"/>
<path fill="$cream" d="M172 268c-20-2-30-12-32-28 20 0 32 10 32 28zM186 246c-12-14-12-28-2-42 14 12 14 28 2 42zM194 258c12-14 26-18 42-10-8 18-24 22-42 10z"/>"#;

const BOWLS: &str = r#"<path fill="$light" d="M70 124a130 26 0 0 0 260 0c0 64-40 98-92 100h-76c-52-2-92-36-92-100z"/>
<ellipse cx="200" cy="124" rx="130" ry="26" fill="$base"/><path fill="$dark" d="M84 132c40-26 192-26 232 0-36 22-196 22-232 0z" opacity=".45"/>
<ellipse cx="200" cy="124" rx="130" ry="26" stroke="$cream" stroke-width="7"/>
<path fill="$base" d="M70 172a130 26 0 0 0 260 0c0 64-40 98-92 100h-76c-52-2-92-36-92-100z"/><path stroke="$light" stroke-width="7" d="M70 172a130 26 0 0 0 260 0"/>
<path fill="$deep" d="M152 310h96l4 22c1 5-2 8-7 8h-90c-5 0-8-3-7-8z"/>
<path fill="$dark" d="M70 222a130 26 0 0 0 260 0c0 64-40 98-92 100h-76c-52-2-92-36-92-100z"/><path stroke="$base" stroke-width="7" d="M70 222a130 26 0 0 0 260 0"/>
<path stroke="$cream" stroke-width="5" d="M102 276l18-10 20 20 20-15 20 18 20-16 20 16 20-18 20 15 20-20 18 10"/>"#;

const APPLE_CRATE: &str = r#"<circle cx="112" cy="170" r="42" fill="$dark"/><circle cx="200" cy="146" r="46" fill="$dark"/><circle cx="290" cy="170" r="42" fill="$dark"/>
<path fill="$base" d="M156 150c22-12 50 2 50 36 0 28-20 48-50 42-30 6-50-14-50-42 0-34 28-48 50-36z"/><path fill="$base" d="M246 150c22-12 50 2 50 36 0 28-20 48-50 42-30 6-50-14-50-42 0-34 28-48 50-36z"/>
<path stroke="$light" stroke-width="9" d="M120 186c0-12 5-20 14-23M210 186c0-12 5-20 14-23M172 132c4-8 10-13 18-15"/>
<path stroke="$bark" stroke-width="6" d="M156 154c0-14 4-22 12-28M246 154c0-14-2-20-8-26M200 104c0-10 2-16 6-22"/>
<path fill="$fern" d="M170 130c10-18 24-22 42-16-8 18-24 24-42 16zM206 84c12-14 26-16 42-6-12 14-28 18-42 6z"/>
<path fill="$bark" d="M56 204h288v130H56z"/><path fill="$wood" d="M48 202h304v40H48zM48 250h304v40H48zM48 298h304v42H48z"/>
<path fill="$bark" d="M48 232h304v10H48zM48 280h304v10H48zM48 330h304v10H48z" opacity=".5"/><path fill="$bark" d="M66 196h28v144H66zM306 196h28v144h-28z"/>
<path stroke="$cream" stroke-width="7" d="M80 222h.1M80 270h.1M80 319h.1M320 222h.1M320 270h.1M320 319h.1"/><rect x="168" y="254" width="64" height="32" rx="16" fill="$ink" opacity=".6"/>"#;

const BAKING_MOULD: &str = r#"<path fill="$deep" d="M60 98c0-14 8-22 22-22h236c14 0 22 8 22 22v214c0 14-8 22-22 22H82c-14 0-22-8-22-22z"/>
<path fill="$base" d="M60 90c0-14 8-22 22-22h236c14 0 22 8 22 22v210c0 14-8 22-22 22H82c-14 0-22-8-22-22z"/><path stroke="$light" stroke-width="5" d="M76 296V96c0-8 4-12 12-12h224c8 0 12 4 12 12v200c0 8-4 12-12 12H88c-8 0-12-4-12-12z"/>
<path stroke="$dark" stroke-width="38" d="M116 118h168M116 169h168M116 220h168M116 271h168"/><path stroke="$deep" stroke-width="26" d="M116 116h168M116 218h168" opacity=".6"/>
<path stroke="$wood" stroke-width="36" d="M118 168h164M118 270h164"/><path stroke="$coffee" stroke-width="20" d="M118 163h164M118 265h164"/>
<path stroke="$cream" stroke-width="5" d="M124 166l14-8 14 8 14-8 14 8 14-8 14 8 14-8 14 8 14-8 14 8 14-8"/>
<path stroke="$glow" stroke-width="6" stroke-dasharray="0 19" d="M126 264h152"/>"#;

const MAP: &str = r#"<path fill="$deep" d="M52 118l74-26 74 26 74-26 74 26v206l-74-26-74 26-74-26-74 26z" opacity=".25"/>
<path fill="$paper" d="M52 104l74-26v206l-74 26zM200 104l74-26v206l-74 26z"/><path fill="$cream" d="M126 78l74 26v206l-74-26zM274 78l74 26v206l-74-26z"/>
<path fill="$light" d="M52 250c40-50 70-10 74-8v42l-74 26zM126 242c30 10 40-30 74-22v90l-74-26z"/><path fill="$base" d="M274 78l74 26v76c-40 10-80-40-74-102zM200 104l74-26c-4 50-30 74-74 60z" opacity=".85"/>
<path stroke="$light" stroke-width="5" d="M72 128c20-22 44-12 40 10s-40 28-40-10zM84 134c8-10 18-6 16 4s-18 12-16-4z"/>
<path stroke="$sky" stroke-width="9" d="M56 206c40-30 60 10 100-10s60-20 90 20 70 6 100 40"/>
<path stroke="$poppy" stroke-width="6" stroke-dasharray="2 14" d="M96 262c30-40 60 0 84-50s50 10 64-40"/>
<path fill="$dark" d="M126 78l74 26v206l-74-26zM274 78l74 26v206l-74-26z" opacity=".1"/><ellipse cx="248" cy="186" rx="16" ry="6" fill="$ink" opacity=".25"/>
<path fill="$poppy" d="M248 184c-26-34-34-46-34-62a34 34 0 0 1 68 0c0 16-8 28-34 62z"/><circle cx="248" cy="120" r="13" fill="$paper"/>"#;

const COMPASS: &str = r#"<circle cx="200" cy="62" r="20" stroke="$iron" stroke-width="9"/><rect x="182" y="76" width="36" height="26" rx="8" fill="$dark"/>
<circle cx="200" cy="216" r="122" fill="$dark"/><circle cx="200" cy="210" r="122" fill="$base"/><circle cx="200" cy="210" r="98" fill="$deep"/><circle cx="200" cy="213" r="94" fill="$paper"/>
<circle cx="200" cy="213" r="78" stroke="$sand" stroke-width="8" stroke-dasharray="0 20.42"/>
<path stroke="$ink" stroke-width="8" d="M200 132v14M200 280v14M119 213h14M267 213h14"/>
<path fill="$sand" d="M200 163l10 40 40 10-40 10-10 40-10-40-40-10 40-10z"/>
<g transform="rotate(32 200 213)"><path fill="$poppy" d="M200 137l17 76h-34z"/><path fill="$iron" d="M200 289l17-76h-34z"/><path fill="$ink" d="M200 137l17 76h-17zM200 289l17-76h-17z" opacity=".18"/></g>
<circle cx="200" cy="213" r="11" fill="$glow"/><path stroke="$light" stroke-width="8" d="M92 196c6-44 34-78 74-90"/>"#;

const NOTEBOOK: &str = r#"<path fill="$deep" d="M96 76h184c14 0 22 8 22 22v218c0 14-8 22-22 22H96z"/><path fill="$paper" d="M104 84h186v240H104z"/>
<path stroke="$sand" stroke-width="3" d="M292 92v226M297 92v226"/>
<path fill="$base" d="M92 66h176c14 0 22 8 22 22v222c0 14-8 22-22 22H92z"/><path fill="$dark" d="M92 66h36v266H92c-10 0-16-6-16-16V82c0-10 6-16 16-16z"/>
<path stroke="$light" stroke-width="4" stroke-dasharray="9 11" d="M140 80v240"/><path fill="$deep" d="M248 66h14v266h-14z"/>
<rect x="156" y="112" width="76" height="58" rx="10" fill="$cream"/><path fill="$dark" d="M166 158l18-30 12 17 7-9 18 22z"/><circle cx="214" cy="128" r="6" fill="$glow"/>
<path fill="$poppy" d="M166 332h18v34l-9-9-9 9z"/>
<g transform="rotate(14 326 220)"><rect x="316" y="110" width="22" height="170" rx="4" fill="$glow"/><path fill="$wood" d="M316 278h22l-11 34z"/><path fill="$ink" d="M323 299h8l-4 13z"/><rect x="316" y="100" width="22" height="20" rx="7" fill="$poppy"/></g>"#;

const BLANKET: &str = r#"<rect x="60" y="262" width="280" height="76" rx="36" fill="$dark"/><path stroke="$base" stroke-width="5" d="M92 300h22M286 300h22"/>
<rect x="66" y="186" width="270" height="80" rx="38" fill="$light"/><path stroke="$base" stroke-width="5" d="M92 226h22M286 226h22"/>
<path fill="$base" d="M102 112h196c24 0 40 16 40 38s-16 40-40 40H102c-24 0-40-18-40-40s16-38 40-38z"/>
<path fill="$base" d="M126 112h148v186H126z"/><path fill="$cream" d="M146 112h16v186h-16zM238 112h16v186h-16z"/><path fill="$dark" d="M176 112h48v186h-48z"/>
<path stroke="$light" stroke-width="6" d="M200 136l12 16-12 16-12-16zM200 186l12 16-12 16-12-16zM200 236l12 16-12 16-12-16z"/>
<path fill="$deep" d="M126 182h148v10H126zM126 258h148v8H126z" opacity=".2"/>
<path stroke="$cream" stroke-width="6" d="M132 300v18m17-18v18m17-18v18m17-18v18m17-18v18m17-18v18m17-18v18m17-18v18m17-18v18"/>
<path stroke="$light" stroke-width="7" d="M84 150c0-12 7-19 18-20"/>"#;

const CANDLE: &str = r#"<circle cx="200" cy="122" r="86" fill="$glow" opacity=".3"/><circle cx="200" cy="122" r="52" fill="$glow" opacity=".35"/>
<path fill="$glow" d="M200 62c30 40 36 54 36 68a36 36 0 0 1-72 0c0-14 6-28 36-68z"/><path fill="$paper" d="M200 106c14 18 17 26 17 34a17 17 0 0 1-34 0c0-8 3-16 17-34z"/>
<path stroke="$ink" stroke-width="6" d="M200 146v34"/>
<path fill="$base" d="M110 176h180v134c0 20-10 30-30 30H140c-20 0-30-10-30-30z"/><ellipse cx="200" cy="178" rx="90" ry="20" fill="$light"/><ellipse cx="200" cy="182" rx="74" ry="13" fill="$cream"/>
<path stroke="$ink" stroke-width="6" d="M200 150v30"/><path fill="$dark" d="M246 193c18-3 34-7 44-13v130c0 20-10 30-30 30h-36c18-40 24-98 22-147z" opacity=".45"/>
<rect x="144" y="226" width="112" height="78" rx="10" fill="$cream"/><path stroke="$dark" stroke-width="5" d="M200 292v-46"/>
<path fill="$dark" d="M200 256c-10-8-10-16 0-24 10 8 10 16 0 24zM198 270c-16 2-26-4-30-16 14-2 26 4 30 16zM202 270c16 2 26-4 30-16-14-2-26 4-30 16zM198 288c-14 2-22-2-26-12 12-2 22 2 26 12zM202 288c14 2 22-2 26-12-12-2-22 2-26 12z"/>
<path stroke="$light" stroke-width="8" d="M126 216v70"/>"#;

const TABLE_LAMP: &str = r#"<path fill="$glow" d="M104 182h192l44 158H60z" opacity=".32"/><ellipse cx="200" cy="184" rx="112" ry="24" fill="$deep"/><circle cx="200" cy="186" r="30" fill="$glow"/>
<path fill="$steel" d="M192 190h16v112h-16z"/><path fill="$iron" d="M202 190h6v112h-6z"/>
<path fill="$base" d="M84 176C84 96 136 58 200 58s116 38 116 118c0 12-4 16-12 14-66-18-142-18-208 0-8 2-12-2-12-14z"/>
<path fill="$dark" d="M244 66c44 16 72 52 72 110 0 12-4 16-12 14-16-4-32-8-48-10 12-40 8-82-12-114z" opacity=".45"/>
<path stroke="$light" stroke-width="9" d="M110 146c8-26 24-44 46-54"/><rect x="186" y="42" width="28" height="20" rx="9" fill="$wood"/>
<path fill="$dark" d="M128 318c0-18 28-28 72-28s72 10 72 28v12c0 6-4 10-10 10H138c-6 0-10-4-10-10z"/><ellipse cx="200" cy="312" rx="72" ry="19" fill="$base"/><ellipse cx="200" cy="305" rx="20" ry="6" fill="$dark"/>
<path stroke="$iron" stroke-width="4" d="M248 196v40"/><circle cx="248" cy="242" r="7" fill="$wood"/>"#;

const CUSHION: &str = r#"<path fill="$dark" d="M68 92c4-22 16-26 34-20 64 16 132 16 196 0 18-6 30-2 34 20 6 14 4 24 0 36-14 56-14 112 0 156 8 34-6 54-36 46-64-14-128-14-192 0-30 8-44-12-36-46 14-44 14-100 0-156-4-12-6-22 0-36z"/>
<path fill="$base" d="M70 84c4-20 16-24 34-18 64 16 128 16 192 0 18-6 30-2 34 18 4 14 2 22-2 34-14 56-14 108 0 152 8 32-4 50-32 42-64-14-128-14-192 0-28 8-40-10-32-42 14-44 14-96 0-152-4-12-6-20-2-34z"/>
<path fill="$light" d="M200 96l94 96-94 96-94-96z"/><path fill="$dark" d="M200 126l64 66-64 66-64-66z"/><path fill="$cream" d="M200 154l37 38-37 38-37-38z"/><path fill="$base" d="M200 174l18 18-18 18-18-18z"/>
<path stroke="$cream" stroke-width="7" stroke-dasharray="0 18" d="M104 100l46 0M104 100v46M296 100h-46M296 100v46M104 284h46M104 284v-46M296 284h-46M296 284v-46"/>
<path stroke="$deep" stroke-width="4" d="M84 84l14 12M316 84l-14 12M88 302l14-12M312 302l-14-12"/>"#;
