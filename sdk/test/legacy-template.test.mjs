// The Mustache renderer of themes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { source } from "./support/source.mjs";

const { render } = await source("legacy/template");

const CASES = [
  ["values", "{{a}} {{ b }} {{missing}}{{none}}{{zero}}", { a: "x", b: 2, none: null, zero: 0 }, "x 2 0"],
  ["escaped values", "<b title='{{a}}'>{{a}}</b>", { a: `<i>&"'\`` }, "<b title='&#60;i&#62;&#38;&#34;&#39;&#96;'>&#60;i&#62;&#38;&#34;&#39;&#96;</b>"],
  ["an attribute without quotes", "<b title={{a}}>", { a: "x onclick=alert(1)" }, "<b title=x onclick&#61;alert(1)>"],
  ["raw values", "{{{a}}} {{& a}} {{{ b.c }}}", { a: "<i>", b: { c: "&" } }, "<i> <i> &"],
  ["dotted names", "{{a.b.c}}{{a.x.y}}{{b.c}}", { a: { b: { c: 1 } }, b: null }, "1"],
  ["an array", "{{#l}}[{{n}}]{{/l}}", { l: [{ n: 1 }, { n: 2 }] }, "[1][2]"],
  ["an array of values", "{{#l}}{{.}},{{/l}}", { l: ["a", "<"] }, "a,&#60;,"],
  ["an empty array", "{{#l}}x{{/l}}{{^l}}none{{/l}}", { l: [] }, "none"],
  ["an object as a section", "{{#o}}{{n}}{{outer}}{{/o}}", { o: { n: 1 }, outer: 2 }, "12"],
  ["a condition", "{{#yes}}y{{/yes}}{{#no}}n{{/no}}{{^no}}not{{/no}}{{^yes}}never{{/yes}}", { yes: true, no: "" }, "ynot"],
  ["nested sections of the same name", "{{#a}}({{#a}}{{n}}{{/a}}){{/a}}", { a: { a: { n: 1 } } }, "(1)"],
  ["the inner value hides the outer one", "{{#l}}{{n}}{{/l}}", { n: "outer", l: [{ n: "inner" }, {}] }, "innerouter"],
  ["functions", "{{#o}}{{f}}{{/o}}", { o: { n: 3, f() { return this.n; } } }, "3"],
  ["comments", "a{{! all of\nthis }}b{{!}}c", {}, "abc"],
  ["tags on lines of their own", "<ul>\n  {{#l}}\n  <li>{{.}}</li>\n  {{/l}}\n</ul>\n", { l: [1, 2] }, "<ul>\n  <li>1</li>\n  <li>2</li>\n</ul>\n"],
  ["what is no tag", "{ {a}} {{a {{}} }}", { a: 1 }, "{ {a}}  }}"],
  ["names that every object has", "{{constructor}}{{toString}}{{__proto__.x}}{{#constructor}}x{{/constructor}}", {}, ""],
  ["sections that do not match", "{{/x}}a{{#l}}{{.}}", { l: [1, 2] }, "a12"],
  ["data that is not an object", "{{a}}{{#a}}x{{/a}}.", null, "."],
  ["values are not templates", "{{a}}{{{a}}}", { a: "{{b}}", b: "secret" }, "{{b}}{{b}}"],
];

for (const [name, template, data, expected] of CASES) {
  test(name, () => assert.equal(render(template, data), expected));
}

test("no template at all", () => assert.equal(render(undefined, {}), ""));
