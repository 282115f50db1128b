// A browser for the tests, and what every page must keep to.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

// The address of the console: http://127.0.0.1:PORT/console/
export const base = new URL(process.env.CONSOLE);
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});

// Opens a page that notes errors and requests to other addresses.
export async function open(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`${page.url()}: ${error.message}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== base.origin) faults.push(`${page.url()} asks for ${request.url()}`);
  });
  return { page, faults, close: () => context.close() };
}

// Goes to a page, which must be there.
export async function visit(page, address) {
  const url = new URL(address, base);
  const answer = await page.goto(url.href);
  assert.equal(answer.status(), 200, url.href);
  return answer;
}

// The address of the first link that a selector finds; undefined if there is none.
export async function linkAt(page, selector) {
  const link = page.locator(selector).first();
  return (await link.count()) > 0 ? link.getAttribute("href") : undefined;
}

// Fails if axe finds anything on the page; with rules, only those are asked.
export async function accessible(page, rules) {
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate(
    (only) => axe.run(document, { resultTypes: ["violations"], ...(only && { runOnly: only }) }), rules,
  );
  const found = violations.map((one) => [one.id, one.help, ...one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]);
  assert.deepEqual(found, [], page.url());
}

// Fails if the page is wider than the window.
export async function fits(page) {
  const excess = await page.evaluate("document.documentElement.scrollWidth - window.innerWidth");
  assert.ok(excess <= 0, `${page.url()} is ${excess} pixels too wide for ${page.viewportSize().width}`);
}

// The pages of a design, by what is on them.
export async function pagesOf(page, design) {
  const found = [`${design}/`, `${design}/diagram/`, `${design}/file/`, `${design}/patterns/`, `${design}/data/`,
    `${design}/changes/`, `${design}/derived/`, `${design}/recovery/`,
    `${design}/statement/`];
  await visit(page, `${design}/patterns/`);
  const named = (rows) => page.locator(`table.patterns ${rows} .name`).evaluateAll((links) => links.map((link) => link.href));
  const [patterns, reads] = [await named("tr"), await named("tr:not(:has(.writes))")];
  const writes = patterns.filter((pattern) => !reads.includes(pattern));
  for (const pattern of [reads[0], reads.at(-1), writes[0]]) {
    await visit(page, pattern);
    found.push(pattern, await linkAt(page, ".example a.button"));
  }
  await visit(page, reads[1] ?? reads[0]);
  const list = await linkAt(page, ".example a.button");
  if (list) found.push(`${list}&.view=cards`, `${list}&.view=json`);
  await visit(page, `${design}/data/`);
  const entity = await linkAt(page, "main tbody th a");
  found.push(entity, await linkAt(page, "ul.rows a"));
  await visit(page, entity);
  const item = await linkAt(page, "table.items tbody th a");
  found.push(item);
  await visit(page, entity);
  found.push(await linkAt(page, ".heading .actions a"));
  await visit(page, item);
  const ago = await linkAt(page, ".moment .ago a");
  if (ago) found.push(ago);
  for (const form of await page.locator(".heading .actions a").all()) found.push(await form.getAttribute("href"));
  found.push(await linkAt(page, ".keys-of-item a"));
  return found.filter(Boolean);
}
