// Comments on items in a real browser, against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { faults, SCREENS, tooWide } from "./support/axe.mjs";
import { focused, openElements, record } from "./support/elements.mjs";

let shop;

before(async () => {
  shop = await openElements();
});

after(() => shop?.close());

const HOSTILE = "<img src=x onerror=alert(1)>";

/** A sharer with the key of a link to edit. */
async function newEditable() {
  const { shopper, lid, key } = await shop.newSharer([1, 2]);
  const { link } = await shop.call(shopper, "lists/share-links/create", { lid, scope: "edit" });
  return { shopper, lid, view: key, edit: link.key };
}

const button = (page, title) => page.getByRole("button", { name: `Comments: ${title}` });

test("a friend who may edit and the owner discuss an item", async () => {
  const { shopper, lid, edit } = await newEditable();
  const friend = await shop.open(`<wishbone-shared-list key="${edit}"></wishbone-shared-list>`);
  await button(friend, "Linen shirt").click();
  const dialog = friend.getByRole("dialog", { name: "Linen shirt" });
  await dialog.getByRole("heading", { name: "Comments (0)" }).waitFor();
  await dialog.getByLabel("Message").fill(HOSTILE);
  await dialog.getByLabel("Your name").fill("Ben");
  await dialog.getByRole("button", { name: "Send" }).click();
  await dialog.getByText(HOSTILE).waitFor();
  assert.equal(await dialog.getByLabel("Message").inputValue(), "");
  await dialog.getByLabel("Message").fill("In blue?");
  await dialog.getByRole("button", { name: "Send" }).press("Enter");
  await dialog.getByRole("heading", { name: "Comments (2)" }).waitFor();

  const owner = await shop.open(`<wishbone-list lid="${lid}" comments></wishbone-list>`, { shopper });
  await button(owner, "Linen shirt").click();
  const own = owner.getByRole("dialog", { name: "Linen shirt" });
  await own.getByRole("listitem").nth(1).waitFor();
  assert.deepEqual(await own.getByRole("listitem").getByText("Ben").count(), 2);
  await own.getByRole("button", { name: `Remove: ${HOSTILE}` }).click();
  await own.getByRole("heading", { name: "Comments (1)" }).waitFor();
  assert.equal(await focused(owner), "Comments (1)");
  await own.getByLabel("Message").fill("Blue it is");
  await own.getByRole("button", { name: "Send" }).click();
  await own.getByText("Blue it is").waitFor();
  await owner.keyboard.press("Escape");
  await own.waitFor({ state: "detached" });
  assert.equal(await focused(owner), "Comments: Linen shirt");
  // The friend sees the owner's, and can remove only what is their own.
  await friend.keyboard.press("Escape");
  await button(friend, "Linen shirt").click();
  await dialog.getByText("Blue it is").waitFor();
  assert.equal(await dialog.getByRole("button", { name: /^Remove/ }).count(), 1);
  const { comments } = await shop.call(shopper, "lists/comments/list", { lid });
  assert.deepEqual(comments.map(({ text, byowner }) => [text, byowner]), [["In blue?", false], ["Blue it is", true]]);
  assert.deepEqual([...friend.uncaught, ...owner.uncaught], []);
});

test("who may only look reads comments, and without any there is no button", async () => {
  const { shopper, lid, view } = await newEditable();
  const quiet = await shop.open(`<wishbone-shared-list key="${view}"></wishbone-shared-list>`);
  await quiet.getByText("2 items").waitFor();
  assert.equal(await quiet.getByRole("button", { name: /^Comments/ }).count(), 0);
  await shop.call(shopper, "lists/comments/add", { lid, epi: 1, text: "In blue!" });
  const page = await shop.open(`<wishbone-shared-list key="${view}"></wishbone-shared-list>`);
  await button(page, "Linen shirt").click();
  const dialog = page.getByRole("dialog", { name: "Linen shirt" });
  await dialog.getByText("In blue!").waitFor();
  assert.equal(await dialog.getByRole("textbox").count() + await dialog.getByRole("button", { name: /^Remove/ }).count(), 0);
});

test("items of a guest, who cannot share, have no comments, unless there are some to read", async () => {
  const guest = await shop.guest();
  const lid = await shop.fill({ ...guest, list: "Mine" }, [1]);
  const html = `<wishbone-list lid="${lid}" comments></wishbone-list>`;
  const page = await shop.open(html, { shopper: guest });
  await page.getByText("1 item").waitFor();
  // The shop's page says who it is: whether that is a guest is not known.
  await button(page, "Linen shirt").waitFor();
  const own = await shop.open("<wishbone-list comments></wishbone-list>");
  await own.evaluate((item) => wishbone.items.add(item), { ...record(1) });
  await own.getByText("1 item").waitFor();
  assert.equal(await button(own, "Linen shirt").count(), 0);
  await own.evaluate(async () => {
    const [{ lid }] = await wishbone.lists.fetch();
    await wishbone.request({ path: "lists/comments/add", form: { lid, epi: 1, text: "Mine" }, write: true });
  });
  await own.reload();
  await button(own, "Linen shirt").click();
  await own.getByRole("dialog").getByText("Mine", { exact: true }).waitFor();
});

test("a comment that could not be sent stays in the field; comments that could not be loaded are asked for again", async () => {
  const { edit } = await newEditable();
  const page = await shop.open(`<wishbone-shared-list key="${edit}"></wishbone-shared-list>`);
  await page.getByText("2 items").waitFor();
  const fail = () => [500, JSON.stringify({ status: "error", "error-code": "internal", "error-msg": "no" })];
  shop.proxy.fault = fail;
  await button(page, "Linen shirt").click();
  const dialog = page.getByRole("dialog", { name: "Linen shirt" });
  await dialog.getByText("Something went wrong").waitFor();
  shop.proxy.fault = () => undefined;
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByLabel("Message").fill("Kept");
  shop.proxy.fault = fail;
  await dialog.getByRole("button", { name: "Send" }).click();
  await page.getByText("Your change was not saved.").waitFor();
  assert.equal(await dialog.getByLabel("Message").inputValue(), "Kept");
});

test("the dialog of comments and that of sharing are accessible and fit, on every screen", async () => {
  const { shopper, lid, edit } = await newEditable();
  await shop.call(shopper, "lists/comments/add", { lid: edit, epi: 1, text: "In blue? ".repeat(40), fromname: "Ben" });
  await shop.call(shopper, "lists/emailList", { lid, toemail: "bob@example.com", fromname: "Ann" });
  for (const screen of SCREENS) {
    const context = await shop.browser.newContext({ ...screen, reducedMotion: "reduce" });
    const head = "<style>:root { color-scheme: light dark; font-family: sans-serif }</style>";
    const html = `<wishbone-list lid="${lid}" comments><wishbone-share slot="actions" lid="${lid}"></wishbone-share></wishbone-list>`;
    const page = await shop.open(html, { shopper, context, head });
    const open = { comments: () => button(page, "Linen shirt"), share: () => page.getByRole("button", { name: "Share" }) };
    for (const [name, opener] of Object.entries(open)) {
      await opener().click();
      await page.getByRole("dialog").getByText(name === "share" ? "b…@example.com" : "In blue?").waitFor();
      assert.deepEqual(await tooWide(page), []);
      // The shop's page has no language, no title of its own and no landmarks.
      assert.deepEqual(await faults(page, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa"], rules: { "html-has-lang": { enabled: false } } }), [], name);
      const pictures = process.env.WISHBONE_TEST_PICTURES;
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${screen.viewport.width}-${screen.colorScheme}.png` });
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    await context.close();
  }
});
