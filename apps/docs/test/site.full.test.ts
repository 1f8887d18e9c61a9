import { source as axe } from "axe-core";
import MiniSearch from "minisearch";
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium, type Browser, type Page, type Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publicNames } from "../../../scripts/lib/public-surface.ts";
import { referenceEntries } from "../src/api-reference.ts";
import { deadLinks } from "../src/dead-links.ts";
import { processTerm, searchOptions } from "../src/search.ts";
import { buildSite, root, serveSite, siteFolder } from "./built-site.ts";
import { questions } from "./questions.ts";

beforeAll(buildSite);

test("no link of the site is dead, in its pages and in llms.txt", () => {
  expect(deadLinks(siteFolder)).toEqual([]);
  const files = new Set(globSync("**/*", { cwd: siteFolder }));
  const links = Array.from(
    readFileSync(join(siteFolder, "llms.txt"), "utf8").matchAll(/\]\(\/([^)]*)\)/g),
    ([, link = ""]) => link.replace(/^(api\/.*)\.md$/, "$1.html"),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !files.has(link))).toEqual([]);
});

test("llms.txt has the form of llmstxt.org, and llms-full.txt the text of the pages", () => {
  const list = readFileSync(join(siteFolder, "llms.txt"), "utf8");
  expect(list).toMatch(/^# Toolweave\n\n> .+\n\n## Start\n\n- \[.+\]\(\/.+\): .+\n/);
  expect(list.match(/^## .*$/gm)?.at(-1)).toBe("## Optional");
  const full = readFileSync(join(siteFolder, "llms-full.txt"), "utf8");
  for (const heading of ["# 1. Your function", "# Policy", "# Errors", "# @toolweave/core"]) {
    expect(full).toContain(`\n${heading}\n`);
  }
});

test("every public name of every published package has a heading in the API reference", () => {
  const temp = mkdtempSync(join(tmpdir(), "toolweave-docs-"));
  try {
    const entries = referenceEntries(realpathSync(root));
    const names = publicNames(
      entries.map(({ declarations }) => declarations),
      realpathSync(root),
      temp,
    );
    expect([...names.values()].flat().length).toBeGreaterThan(500);
    const missing = entries.flatMap(({ name, path, declarations }) => {
      const html = readFileSync(join(siteFolder, path.replace(/md$/, "html")), "utf8");
      const headings = new Set(
        Array.from(html.matchAll(/<h3 id="[^"]*"[^>]*>(.*?) <a /g), ([, text = ""]) =>
          text.replaceAll(/<[^>]*>|\(\)$/g, ""),
        ),
      );
      const known = names.get(declarations) ?? [];
      return known
        .filter((each) => !headings.has(each.name))
        .map((each) => `${name}: ${each.name}`);
    });
    expect(missing).toEqual([]);
  } finally {
    rmSync(temp, { recursive: true });
  }
});

describe("the search finds the page of a question in its first three results", () => {
  let index: MiniSearch;
  beforeAll(async () => {
    const [file = ""] = globSync("assets/chunks/*localSearchIndex*.js", { cwd: siteFolder });
    const chunk = (await import(pathToFileURL(join(siteFolder, file)).href)) as {
      default: string;
    };
    const fields = ["title", "titles", "text"];
    index = MiniSearch.loadJSON(chunk.default, { fields, processTerm, searchOptions });
  });

  test.each(questions)("%s", (question, ...pages) => {
    const found = index
      .search(question)
      .slice(0, 3)
      .map(({ id }) => String(id).replace(/^\/(.*)\.html.*$/, "$1"));
    expect(found.filter((page) => pages.includes(page))).not.toEqual([]);
  });
});

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
  site = await serveSite();
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
});

afterAll(async () => {
  await browser?.close();
  site?.close();
});

/** A page that has loaded, and what it loads. */
interface OpenedPage {
  readonly page: Page;

  /** The bytes of each response of the first load, after gzip, by URL. */
  readonly sizes: ReadonlyMap<string, number>;

  /** The URLs that the page has requested until now, later ones included. */
  readonly requested: ReadonlySet<string>;
}

/** Opens a page of the site, and records what its first load transfers. */
async function open(path: string, colorScheme: "light" | "dark" = "light"): Promise<OpenedPage> {
  const page = await browser.newPage({ colorScheme });
  const requested = new Set<string>();
  const sizes = new Map<string, number>();
  const bodies: Promise<void>[] = [];
  const recordSize = (response: Response) => {
    bodies.push(
      response.body().then((body) => void sizes.set(response.url(), gzipSync(body).length)),
    );
  };
  page.on("request", (request) => requested.add(request.url()));
  page.on("response", recordSize);
  await page.goto(site.url + path, { waitUntil: "networkidle" });
  // The body of a response that comes later cannot be read once the page is closed.
  page.off("response", recordSize);
  await Promise.all(bodies);
  return { page, sizes, requested };
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
  const { page, sizes, requested } = await open(path);
  await page.close();
  const others = Array.from(requested).filter((url) => !url.startsWith(site.url));
  expect(others).toEqual([]);
  const total = Array.from(sizes.values()).reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(10_000);
  expect(total).toBeLessThanOrEqual(100 * 1024);
});

test("a question in the search box leads to its page", async () => {
  const { page, requested } = await open("/");
  await page.keyboard.press("Control+k");
  await page.fill("#localsearch-input", "how do I limit what an agent may call");
  await page.click(`a.result[href*="limit-what-an-agent-may-do"]`);
  await page.waitForURL("**/recipes/limit-what-an-agent-may-do.html*");
  await page.close();
  expect(Array.from(requested).filter((url) => !url.startsWith(site.url))).toEqual([]);
});
