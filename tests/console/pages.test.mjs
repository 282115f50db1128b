// Each page of each design: it loads without an error, axe finds nothing, it fits every screen, and it needs no script.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accessible, browser, fits, open, pagesOf, visit } from "./browser.mjs";

const DESIGNS = ["social", "shop", "smart-cooking", "nishiki", "sensors"];
// Colours are all that differs in the dark.
const SCHEMES = { light: undefined, dark: ["color-contrast"] };

after(() => browser.close());

const shared = ["", "-/search/?q=user", "-/search/?q=nothing-like-it"];
for (const design of [null, ...DESIGNS]) {
  test(`the pages of ${design ?? "all designs"} load, are accessible and fit`, async () => {
    const { page, faults, close } = await open();
    const pages = design ? await pagesOf(page, design) : shared;
    for (const address of pages) {
      for (const [colorScheme, rules] of Object.entries(SCHEMES)) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width: 1280, height: 900 });
        await visit(page, address);
        await accessible(page, rules);
      }
      for (const width of [360, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        await fits(page);
      }
      assert.equal(await page.locator("h1").count(), 1, address);
    }
    assert.deepEqual(faults, []);
    await close();
  });
}

test("pages are whole without JavaScript", async () => {
  const { page, faults, close } = await open({ javaScriptEnabled: false });
  for (const address of ["", "social/", "social/diagram/", "social/file/", "social/patterns/", "social/data/"]) {
    await visit(page, address);
    assert.ok((await page.locator("main").innerText()).length > 200, address);
    assert.equal(await page.locator("nav.side a").first().isVisible(), true, address);
    assert.equal(await page.locator(".scripted").filter({ visible: true }).count(), 0, address);
  }
  await visit(page, "social/patterns/user_posts/");
  await page.getByText("Fill in an example").click();
  await page.locator("table.items tbody tr").first().waitFor();
  await page.getByLabel("Items on a page").fill("1");
  await page.getByRole("button", { name: "Run" }).click();
  assert.equal(await page.locator("table.items tbody tr").count(), 1);
  await page.locator("#search").fill("home_feed");
  await page.locator("#search").press("Enter");
  await page.getByRole("link", { name: "home_feed" }).click();
  assert.match(page.url(), /social\/patterns\/home_feed\/$/);
  assert.deepEqual(faults, []);
  await close();
});

test("the first page is small and quick", async (context) => {
  const { page, close } = await open();
  const sizes = [];
  page.on("response", (response) => {
    if (response.headers()["content-type"] !== "text/event-stream") sizes.push(response.body().then((body) => body.length));
  });
  // The first page loads the style sheet and the scripts, which the others find in the browser.
  for (const address of ["", "social/", "social/patterns/", "social/data/entity/Post/", "social/changes/", "social/derived/"]) {
    sizes.length = 0;
    await visit(page, address);
    const timing = JSON.parse(await page.evaluate("JSON.stringify(performance.getEntriesByType('navigation')[0])"));
    const server = timing.responseStart - timing.requestStart;
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    context.diagnostic(`/console/${address}: ${bytes} bytes, ${server.toFixed(1)} ms`);
    if (address !== "") continue;
    assert.ok(server < 50, `${server} ms`);
    assert.ok(bytes < 100_000, `${bytes} bytes`);
  }
  await close();
});

test("nothing moves after a page is shown", async () => {
  const { page, close } = await open();
  for (const address of ["", "social/", "social/data/entity/Post/", "social/patterns/", "social/changes/"]) {
    await visit(page, address);
    const shift = await page.evaluate(() => new Promise((resolve) => {
      let sum = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => { sum += entry.value; }))
        .observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(sum), 300);
    }));
    assert.ok(shift < 0.01, `${address} moves by ${shift}`);
  }
  await close();
});
