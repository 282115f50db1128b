// The pictures of the README and of docs/console.md, in both themes.
//   tests/console/run pictures
import { join } from "node:path";
import { browser, linkAt, open, visit } from "./browser.mjs";

const folder = process.env.PICTURES;

// The partition of the first post: the post with its comments and likes.
async function partition(page) {
  await visit(page, "social/data/entity/Post/");
  await visit(page, await linkAt(page, "main table a[href*='/item/'], main a[href*='/data/item/']"));
  return linkAt(page, "main a[href*='/data/collection/']");
}

const pages = { overview: async () => "./", partition, diagram: async () => "social/diagram/" };

for (const colorScheme of ["light", "dark"]) {
  for (const [name, find] of Object.entries(pages)) {
    const { page, close } = await open({ colorScheme, viewport: { width: 1280, height: 800 } });
    await visit(page, await find(page));
    await page.screenshot({ path: join(folder, `console-${name}-${colorScheme}.png`) });
    await close();
  }
}
await browser.close();
