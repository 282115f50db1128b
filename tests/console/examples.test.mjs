// The example applications, clicked through by two users at once. tests/examples/run starts the demo that they need.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accessible, base, browser, fits, open } from "./browser.mjs";

const PHONE = { viewport: { width: 360, height: 740 } };
const WAIT = { timeout: 30_000 };

after(() => browser.close());

const address = (name) => new URL(`/examples/${name}/`, base).href;

// A window in which somebody is signed in: the user at this place of the list.
async function enter(name, place, options) {
  const opened = await open(options);
  const { page } = opened;
  await page.goto(address(name));
  const choice = page.locator("main button:has(.avatar)").nth(place);
  await choice.waitFor(WAIT);
  await choice.click();
  await page.locator("#tabs a").first().waitFor(WAIT);
  return opened;
}

test("a post, a like and a comment arrive at the other user without reloading", async () => {
  const author = await enter("social", 0);
  const reader = await enter("social", 1, PHONE);
  const caption = `Fresh from the oven ${Date.now()}`;
  await reader.page.getByRole("link", { name: "Explore" }).click();
  await reader.page.locator(".live.on").waitFor(WAIT);

  await author.page.getByRole("link", { name: "Post", exact: true }).click();
  await author.page.getByLabel("Caption").fill(caption);
  await author.page.getByRole("button", { name: "Post" }).click();
  await author.page.getByText(caption).waitFor(WAIT);

  const card = reader.page.locator("article", { hasText: caption });
  await card.waitFor(WAIT);
  await card.getByRole("button", { name: "Like" }).click();
  await author.page.getByText("1 like", { exact: true }).waitFor(WAIT);

  await card.getByRole("link", { name: /comment/ }).click();
  await reader.page.getByLabel("Your comment").fill("<b>Lovely</b> & crisp");
  await reader.page.getByRole("button", { name: "Comment" }).click();
  await author.page.getByText("<b>Lovely</b> & crisp").waitFor(WAIT);

  await author.page.getByRole("link", { name: "News" }).click();
  await author.page.getByText(/commented on your post/).first().waitFor(WAIT);
  for (const { faults, close } of [author, reader]) {
    assert.deepEqual(faults, []);
    await close();
  }
});

test("following somebody brings their posts into the home feed", async () => {
  const one = await enter("social", 2);
  const other = await enter("social", 3);
  const profile = await other.page.getByRole("link", { name: "You" }).getAttribute("href");
  await one.page.goto(address("social") + profile);
  const follow = one.page.locator("button[aria-pressed]").first();
  await follow.waitFor(WAIT);
  if ((await follow.innerText()) === "Follow") await follow.click();
  await one.page.getByRole("button", { name: "Following" }).waitFor(WAIT);
  await one.page.getByRole("link", { name: "Home" }).click();
  await one.page.locator(".live.on").waitFor(WAIT);

  const caption = `For those who follow ${Date.now()}`;
  await other.page.getByRole("link", { name: "Post", exact: true }).click();
  await other.page.getByLabel("Caption").fill(caption);
  await other.page.getByRole("button", { name: "Post" }).click();
  await one.page.locator("article", { hasText: caption }).waitFor(WAIT);
  for (const { faults, close } of [one, other]) {
    assert.deepEqual(faults, []);
    await close();
  }
});

test("an ingredient leads to recipes that use it", async () => {
  const { page, faults, close } = await enter("cooking", 0, PHONE);
  await page.getByLabel("Add an ingredient").fill("Rice noodles");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.locator("li.chip", { hasText: "Rice noodles" }).waitFor(WAIT);
  await page.locator("a.dish", { hasText: /of yours/ }).first().waitFor(WAIT);
  assert.deepEqual(faults, []);
  await close();
});

test("cooking and rating a recipe shows the rating with the mark of a cook", async () => {
  const { page, faults, close } = await enter("cooking", 2);
  await page.getByRole("link", { name: "Recipes" }).click();
  await page.locator("a.dish").first().click();
  await page.getByRole("button", { name: /^Cook it/ }).click();
  await page.getByRole("button", { name: "It is ready" }).click();
  await page.getByRole("button", { name: "Make it a favourite" }).click();
  await page.locator("input[value='4']").check({ force: true });
  await page.getByLabel("Comment").fill("Better the next day");
  await page.getByRole("button", { name: "Rate" }).click();
  await page.getByText("Better the next day").first().waitFor(WAIT);
  await page.getByText("has cooked it").first().waitFor(WAIT);
  await page.getByRole("link", { name: "Favourites" }).click();
  await page.locator("a.dish").first().waitFor(WAIT);
  assert.deepEqual(faults, []);
  await close();
});

for (const [name, pages] of Object.entries({
  social: ["#/", "#/explore", "#/notifications", "#/new"],
  cooking: ["#/", "#/recipes", "#/favorites", "#/friends"],
})) {
  test(`every page of ${name} is accessible and fits phones and large screens`, async () => {
    for (const options of [{ ...PHONE, colorScheme: "dark" }, { viewport: { width: 2560, height: 1200 } }]) {
      const { page, faults, close } = await enter(name, 0, options);
      for (const hash of pages) {
        await page.evaluate((hash) => { location.hash = hash; }, hash);
        await page.locator("main h1").first().waitFor(WAIT);
        await page.waitForLoadState("load");
        await accessible(page);
        await fits(page);
      }
      assert.deepEqual(faults, []);
      await close();
    }
  });
}
