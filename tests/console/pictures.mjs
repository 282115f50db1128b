// The pictures of the README and of docs/console.md, in both themes.
//   tests/console/run pictures
import { join } from "node:path";
import { browser, linkAt, open, visit } from "./browser.mjs";

const folder = process.env.PICTURES;

// The partition of the first post: the post with its comments and likes.
async function partition(page) {
  await visit(page, "social/data/entity/Post/");
  await visit(page, await linkAt(page, "main table a[href*='/item/'], main a[href*='/data/item/']"));
  return linkAt(page, "main .keys-of-item a");
}

// What a change of a user would write.
async function change(page) {
  await visit(page, "social/data/entity/User/");
  await visit(page, await linkAt(page, "table.items tbody th a"));
  await page.getByRole("link", { name: "Change", exact: true }).click();
  await page.getByLabel("username").fill("mai_nguyen");
  await page.getByLabel("bio").fill("Noodles, mountains, and code");
  await page.getByRole("button", { name: "Show the difference" }).click();
}

// A user as it was a moment ago, with a change since.
async function past(page) {
  await visit(page, "social/data/entity/User/");
  const item = await linkAt(page, "table.items tbody th a");
  const then = await page.evaluate("new Date().toISOString().slice(0, 19)");
  await page.waitForTimeout(1_100);
  await visit(page, item);
  await page.getByRole("link", { name: "Change", exact: true }).click();
  await page.getByLabel("displayName").fill(`A new name ${Date.now() % 1000}`);
  await page.getByRole("button", { name: "Show the difference" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Look back to").fill(then);
  await page.getByRole("button", { name: "Go" }).click();
}

// Each picture: an address, or a way to the page.
const pages = {
  overview: "./",
  diagram: "social/diagram/",
  entities: "social/",
  review: "social/file/",
  patterns: "social/patterns/",
  data: "social/data/",
  partition: async (page) => visit(page, await partition(page)),
  change,
  past,
  changes: async (page) => {
    await visit(page, "social/changes/?entity=User");
    await page.locator("#changes summary").first().click();
  },
  derived: "social/derived/",
  recovery: "social/recovery/",
  statement: `social/statement/?text=${encodeURIComponent("SELECT * FROM SocialMediaApp WHERE postType = 'x'")}`,
};

for (const colorScheme of ["light", "dark"]) {
  for (const [name, find] of Object.entries(pages)) {
    const { page, close } = await open({ colorScheme, viewport: { width: 1280, height: 800 } });
    if (typeof find === "string") await visit(page, find);
    else await find(page);
    await page.waitForLoadState("load");
    await page.screenshot({ path: join(folder, `console-${name}-${colorScheme}.png`) });
    await close();
  }
}
await browser.close();
