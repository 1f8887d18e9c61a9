import { once } from "node:events";
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readability } from "@mozilla/readability";
import { webTools } from "@toolweave/builtin";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { JSDOM } from "jsdom";
import { chromium } from "playwright-core";
import TurndownService from "turndown";
import { installedVersion, median, printTable } from "../lib/table.ts";

// How much of the text that a reader sees is in the Markdown of a page (README.md):
//
// node bench/web/pages.ts [--save]
const modules = join(import.meta.dirname, "node_modules");

/** Pages of packages: a file, or the first files of a folder in the order of their names. */
const sources: readonly (readonly [path: string, count: number])[] = [
  ["bignumber.js/doc/API.html", 1],
  ["codemirror/doc", 6],
  ["codemirror-3/demo", 5],
  ["decimal.js/doc/API.html", 1],
  ["dygraphs/_site", 5],
  ["lunr/index.html", 1],
  ["npm-pages/docs/output/configuring-npm", 6],
  ["npm-pages/docs/output/using-npm", 4],
  ["selectize/examples", 3],
  ["tether/docs/welcome/index.html", 1],
  ["underscore/index.html", 1],
];
const pages = sources.flatMap(([path, count]) =>
  path.endsWith(".html")
    ? [path]
    : readdirSync(join(modules, path))
        .filter((name) => name.endsWith(".html"))
        .toSorted()
        .slice(0, count)
        .map((name) => `${path}/${name}`),
);

const server = createServer((request, response) => {
  const path = decodeURIComponent(request.url ?? "").slice(1);
  // Styles decide on what is visible.
  const isStyle = path.endsWith(".css");
  if (!pages.includes(path) && !isStyle) return void response.writeHead(404).end();
  response.setHeader("content-type", isStyle ? "text/css" : "text/html; charset=utf-8");
  createReadStream(join(modules, path))
    .on("error", () => response.destroy())
    .pipe(response);
}).listen(0, "127.0.0.1");
await once(server, "listening");
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

const registry = new ToolRegistry([webTools({ allowPrivate: [host] })]);
const executor = new ToolExecutor({ registry });

/** A page as a model reads it, part by part. */
async function fetched(path: string, whole: boolean): Promise<string> {
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const args = { url: `http://${host}/${path}`, whole, offset, max_chars: 100_000 };
    const outcome = await executor.execute({ id: "1", name: "web_fetch", arguments: args });
    if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
    const { content, value } = outcome.result;
    // Without the address and the lines of the frame.
    for (const block of content.slice(2, -1)) if (block.type === "text") text += block.text;
    offset = (value as { readonly nextOffset?: number }).nextOffset;
  }
  return text;
}

const turndown = new TurndownService();

const contenders: Readonly<Record<string, (path: string, html: string) => Promise<string>>> = {
  "toolweave, whole page": (path) => fetched(path, true),
  "toolweave, main content": (path) => fetched(path, false),
  turndown: async (_, html) => turndown.turndown(html),
  readability: async (path, html) => {
    const { document } = new JSDOM(html, { url: `http://${host}/${path}` }).window;
    return new Readability(document).parse()?.textContent ?? "";
  },
};

/** The words of a text, and how often each occurs. Marks and escapes of Markdown are between words. */
function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function computeRecall(seen: ReadonlyMap<string, number>, text: string): number {
  const found = countWords(text);
  let [all, there] = [0, 0];
  for (const [word, count] of seen) {
    all += count;
    there += Math.min(count, found.get(word) ?? 0);
  }
  return all === 0 ? 1 : there / all;
}

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  chromiumSandbox: false,
});
// A converter runs no scripts either.
const context = await browser.newContext({ javaScriptEnabled: false });
const recalls = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]));
for (const path of pages) {
  const tab = await context.newPage();
  await tab.goto(`http://${host}/${path}`);
  const seen = countWords(await tab.innerText("body"));
  await tab.close();
  const html = readFileSync(join(modules, path), "utf8");
  for (const [name, convert] of Object.entries(contenders)) {
    recalls.get(name)?.push(computeRecall(seen, await convert(path, html)));
  }
}
await browser.close();
server.close();
server.closeAllConnections();
await registry.close();

const format = (value: number): string => value.toFixed(3);
printTable("web-pages", {
  title: "The text of pages",
  page: "bench/web/README.md",
  meaning: `The part of the words that Chromium displays which is in the text that a model reads, over ${pages.length} pages of documentation: higher is better. A tool for the main content leaves out navigation on purpose.`,
  versions: {
    turndown: installedVersion("web", "turndown"),
    "@mozilla/readability": installedVersion("web", "@mozilla/readability"),
  },
  columns: ["contender", "lowest", "median", "pages with 0.95 or more"],
  rows: [...recalls].map(([name, values]) => [
    name,
    format(Math.min(...values)),
    format(median(values)),
    `${values.filter((value) => value >= 0.95).length} of ${values.length}`,
  ]),
});
