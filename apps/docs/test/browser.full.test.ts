import { source as axe } from "axe-core";
import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSite, serveSite } from "./built-site.ts";

/** One page of each kind. */
const pageKinds = [
  "/",
  "/overview.html",
  "/tutorial/1-your-function.html",
  "/recipes/",
  "/recipes/ask-before-a-payment.html",
  "/guides/openapi.html",
  "/concepts/lifecycle.html",
  "/reference/errors.html",
  "/packages/core.html",
  "/api/",
  "/api/@toolweave/core/stores.html",
  "/contributing/",
  "/404.html",
];

/** The browser of the system. Without it, these tests fail: they cannot show anything. */
function findChromium(): string {
  try {
    return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
  } catch {
    throw new Error(
      "The tests of the documentation site need a browser: install the package `chromium` of the system, for example with `apt-get install chromium`.",
    );
  }
}

let browser: Browser;
let site: Awaited<ReturnType<typeof serveSite>>;

beforeAll(async () => {
  const executablePath = findChromium();
  buildSite();
  site = await serveSite();
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  site?.close();
});

/** Opens a page of the site, and records the bytes of each response after gzip. */
async function open(
  path: string,
  colorScheme: "light" | "dark" = "light",
): Promise<{ readonly page: Page; readonly sizes: ReadonlyMap<string, number> }> {
  const page = await browser.newPage({ colorScheme });
  const sizes = new Map<string, number>();
  const bodies: Promise<void>[] = [];
  page.on("response", (response) => {
    bodies.push(
      response.body().then((body) => void sizes.set(response.url(), gzipSync(body).length)),
    );
  });
  await page.goto(site.url + path, { waitUntil: "networkidle" });
  await Promise.all(bodies);
  return { page, sizes };
}

describe.each(["light", "dark"] as const)("in %s mode", (colorScheme) => {
  test.each(pageKinds)("axe finds no violation on %s", async (path) => {
    const { page } = await open(path, colorScheme);
    expect(await page.evaluate(`document.documentElement.classList.contains("dark")`)).toBe(
      colorScheme === "dark",
    );
    await page.evaluate(axe);
    const violations = (await page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ target, failureSummary }) => target.join(" ") + ": " + failureSummary)]))`,
    )) as unknown[];
    await page.close();
    expect(violations).toEqual([]);
  });
});

test.each([
  "/",
  "/tutorial/1-your-function.html",
  "/guides/approvals.html",
  "/guides/openapi.html",
])("the first load of %s is at most 100 KiB after gzip, all of it from the site", async (path) => {
  const { page, sizes } = await open(path);
  await page.close();
  const others = Array.from(sizes.keys()).filter((url) => !url.startsWith(site.url));
  expect(others).toEqual([]);
  const total = Array.from(sizes.values()).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(10_000);
  expect(total).toBeLessThanOrEqual(100 * 1024);
});

test("a question in the search box leads to its page", async () => {
  const { page, sizes } = await open("/");
  await page.keyboard.press("Control+k");
  await page.fill("#localsearch-input", "how do I limit what an agent may call");
  await page.click(`a.result[href*="limit-what-an-agent-may-do"]`);
  await page.waitForURL("**/recipes/limit-what-an-agent-may-do.html*");
  await page.close();
  expect(Array.from(sizes.keys()).filter((url) => !url.startsWith(site.url))).toEqual([]);
});
