// What people do with the console, clicked through.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accessible, browser, open, visit } from "./browser.mjs";

const HOSTILE = "<script>document.title = 'broken'</script><img src=x onerror=\"document.title = 'broken'\">\u202egnirts";

after(() => browser.close());

test("find a user by e-mail, open a post of theirs, and see its comments", async () => {
  const { page, faults, close } = await open();
  await visit(page, "social/patterns/user_by_email/");
  await page.getByText("Fill in an example").click();
  await page.locator(".record header a").click();
  await page.getByRole("link", { name: "posts" }).click();
  await page.locator("ol.tree ol a").first().click();
  assert.match(await page.locator("h1").innerText(), /Post/);
  await page.locator("ul.rows").getByRole("link", { name: "comments", exact: true }).click();
  assert.match(await page.locator("h1").innerText(), /POST#/);
  assert.deepEqual(faults, []);
  await close();
});

test("a write is shown, done once, and refused the second time", async () => {
  const { page, faults, close } = await open();
  await visit(page, "social/patterns/create_user/");
  await page.getByLabel("username").fill("story");
  await page.getByLabel("email").fill("story@example.com");
  await page.getByLabel("displayName").fill("A story");
  await page.getByRole("button", { name: "Preview" }).click();
  assert.equal(await page.locator("#answer").innerText(), "What it would write");
  await page.getByRole("button", { name: "Write it" }).click();
  assert.equal(await page.locator("#answer").innerText(), "Written");
  await page.locator(".record header a").click();
  assert.match(await page.locator("main").innerText(), /USERNAME#story/);
  await visit(page, "social/patterns/create_user/?username=story&email=other%40example.com&displayName=Other");
  assert.match(await page.getByRole("alert").innerText(), /another User has this username/);
  assert.deepEqual(faults, []);
  await close();
});

// The page of a user that this story makes, without JavaScript: forms must do.
async function newUser(page, name) {
  await visit(page, "social/data/entity/User/new/");
  await page.getByLabel("username").fill(name);
  await page.getByLabel("email").fill(`${name}@example.com`);
  await page.getByLabel("displayName").fill("Before");
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  assert.equal(await page.getByRole("status").innerText(), "The item was created.");
  return page.url();
}

for (const javaScriptEnabled of [true, false]) {
  test(`change a field, see the derived key change ${javaScriptEnabled ? "with" : "without"} JavaScript`, async () => {
    const { page, faults, close } = await open({ javaScriptEnabled });
    const name = `follow${javaScriptEnabled}`;
    await newUser(page, name);
    await page.getByRole("link", { name: "Change", exact: true }).click();
    await page.getByLabel("username").fill(`${name}2`);
    await page.getByRole("button", { name: "Show the difference" }).click();
    if (javaScriptEnabled) await accessible(page);
    const follows = page.getByRole("group", { name: "Attributes that follow" });
    assert.match(await follows.innerText(), new RegExp(`${name}[^2][^]*${name}2`));
    await page.getByRole("button", { name: "Save" }).click();
    assert.match(await page.locator(".keys-of-item").innerText(), new RegExp(`${name}2`));
    await page.getByRole("link", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete the item" }).click();
    assert.equal(await page.getByRole("status").innerText(), "The item was deleted.");
    assert.deepEqual(faults, []);
    await close();
  });
}

test("two people change one item, and neither loses what they wrote", async () => {
  const [one, two] = [await open(), await open()];
  const item = await newUser(one.page, "shared");
  for (const [{ page }, label, text] of [[one, "displayName", "Mine"], [two, "bio", "Theirs"]]) {
    await visit(page, item);
    await page.getByRole("link", { name: "Change", exact: true }).click();
    await page.getByLabel(label).fill(text);
    await page.getByRole("button", { name: "Show the difference" }).click();
  }
  await two.page.getByRole("button", { name: "Save" }).click();
  await one.page.getByRole("button", { name: "Save" }).click();
  assert.match(await one.page.getByRole("alert").innerText(), /Somebody else has changed/);
  assert.match(await one.page.locator("main").innerText(), /Theirs/);
  await accessible(one.page);
  await one.page.getByRole("button", { name: "Make my changes" }).click();
  await one.page.getByRole("button", { name: "Save" }).click();
  const text = await one.page.locator("main").innerText();
  assert.ok(text.includes("Mine") && text.includes("Theirs"), text);
  for (const { faults, close } of [one, two]) {
    assert.deepEqual(faults, []);
    await close();
  }
});

// The first item of an entity of a design whose past is kept.
async function firstItem(page, entity) {
  await visit(page, `smart-cooking/data/entity/${entity}/`);
  const item = await page.locator("table.items tbody th a").first().getAttribute("href");
  await visit(page, item);
  return item;
}

test("go back in time, and restore one item", async () => {
  const { page, faults, close } = await open();
  const item = await firstItem(page, "User");
  // The form has seconds, so the change happens in a later second than the moment.
  const then = new Date().toISOString().slice(0, 19);
  await page.waitForFunction((then) => new Date().toISOString().slice(0, 19) > then, then);
  await page.getByRole("link", { name: "Change", exact: true }).click();
  const input = page.locator(".inputs input[type=text]").first();
  const before = await input.inputValue();
  await input.fill(`${before}x`);
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("status").waitFor();

  await visit(page, item);
  await page.getByLabel("Look back to").fill(then);
  await page.getByRole("button", { name: "Go" }).click();
  assert.match(page.url(), /smart-cooking%40|smart-cooking@/);
  assert.equal(await page.getByRole("link", { name: "Change", exact: true }).count(), 0);
  await accessible(page);
  await page.getByRole("link", { name: "Restore this item" }).click();
  await accessible(page);
  await page.getByRole("button", { name: "Restore the item" }).click();
  assert.equal(await page.getByRole("status").innerText(), "The item was restored.");
  await page.getByRole("link", { name: "Change", exact: true }).click();
  assert.equal(await page.locator(".inputs input[type=text]").first().inputValue(), before);
  assert.deepEqual(faults, []);
  await close();
});

test("changes come in while the page is open, with before and after", async () => {
  const [watcher, writer] = [await open(), await open()];
  await visit(watcher.page, "smart-cooking/changes/?entity=User");
  await watcher.page.locator(".live.on").waitFor();
  await firstItem(writer.page, "User");
  await writer.page.getByRole("link", { name: "Change", exact: true }).click();
  const input = writer.page.locator(".inputs input[type=text]").first();
  await input.fill(`${await input.inputValue()}y`);
  await writer.page.getByRole("button", { name: "Show the difference" }).click();
  await writer.page.getByRole("button", { name: "Save" }).click();
  await watcher.page.locator("#changes .fresh").first().waitFor({ timeout: 30_000 });
  assert.match(await watcher.page.locator(".live").innerText(), /Live: 1 new change/);
  await watcher.page.locator("#changes .fresh summary").click();
  assert.match(await watcher.page.locator("#changes .fresh").innerText(), /Before[^]*After/);
  await accessible(watcher.page);
  for (const { faults, close } of [watcher, writer]) {
    assert.deepEqual(faults, []);
    await close();
  }
});

test("what is copied has the characters that pages show as codes", async () => {
  const { page, faults, close } = await open();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await visit(page, `social/patterns/user_by_name/?username=${encodeURIComponent("a\u200db")}`);
  const snippet = page.locator("details.snippet").filter({ hasText: "Python" });
  await snippet.locator("summary").click();
  assert.match(await snippet.innerText(), /U\+200D/);
  await snippet.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate("navigator.clipboard.readText()");
  assert.ok(copied.includes("USERNAME#a\u200db") && !copied.includes("U+200D"), copied);
  assert.deepEqual(faults, []);
  await close();
});

test("hostile texts are shown as text on every page that has them", async () => {
  const { page, faults, close } = await open();
  await visit(page, "social/patterns/create_user/");
  await page.getByLabel("username").fill("hostile");
  await page.getByLabel("email").fill("hostile@example.com");
  await page.getByLabel("displayName").fill(HOSTILE.slice(0, 60));
  await page.getByLabel("bio").fill(HOSTILE);
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: "Write it" }).click();
  const item = await page.locator(".record header a").getAttribute("href");
  const pages = [
    item, "social/patterns/user_by_name/?username=hostile", "social/patterns/user_by_name/?username=hostile&.view=json",
    `social/patterns/user_by_name/?username=${encodeURIComponent(HOSTILE)}`, `-/search/?q=${encodeURIComponent(HOSTILE)}`,
  ];
  for (const address of pages) {
    await visit(page, address);
    assert.doesNotMatch(await page.title(), /broken/, address);
    assert.equal(await page.locator("main img, main script").count(), 0, address);
  }
  await visit(page, item);
  const text = await page.locator("main").innerText();
  assert.ok(text.includes("<script>document.title = 'broken'</script>"), text);
  assert.ok(text.includes("U+202E"), text);
  assert.deepEqual(faults, []);
  await close();
});

test("keys search, go and help", async () => {
  const { page, faults, close } = await open();
  await visit(page, "social/");
  await page.keyboard.press("/");
  await page.keyboard.type("home_f");
  await page.getByRole("option", { name: /home_feed/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/social\/patterns\/home_feed\//);
  await page.locator("main").click();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.waitForURL(/social\/data\//);
  await page.keyboard.press("?");
  assert.equal(await page.getByRole("dialog").isVisible(), true);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate("document.activeElement.matches(':focus-visible')"), true);
  assert.deepEqual(faults, []);
  await close();
});

test("a list is read forwards to its end and back", async () => {
  const { page, faults, close } = await open();
  await visit(page, "social/patterns/global_feed/?.limit=5");
  const first = await page.locator("table.items tbody tr").allInnerTexts();
  await page.getByRole("link", { name: "Next page" }).click();
  await page.getByRole("link", { name: "Previous page" }).click();
  assert.deepEqual(await page.locator("table.items tbody tr").allInnerTexts(), first);
  assert.deepEqual(faults, []);
  await close();
});
