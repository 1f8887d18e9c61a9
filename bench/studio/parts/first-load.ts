import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { median } from "../../lib/table.ts";
import { newPage, withBrowser } from "../browser.ts";
import type { Contender } from "../consoles/console.ts";
import { inspector } from "../consoles/inspector.ts";
import { pageFolder, studio } from "../consoles/studio.ts";
import { atMost, formatKb, formatMs, type Row } from "../report.ts";

const contexts = 5;

/** The files and requests of one context until the start page was complete. */
interface FirstLoad {
  readonly paintMs: number;
  /** After gzip, in bytes. */
  readonly script: number;
  readonly style: number;
  /** The scripts and styles as they came from the server, with headers, in bytes. */
  readonly transferred: number;
  /** Addresses of requests to other servers. */
  readonly foreign: readonly string[];
}

/** The files of the start page, its first paint and its requests to other servers. */
export async function measureFirstLoad(): Promise<readonly Row[]> {
  const loads = new Map<Contender, FirstLoad[]>([
    [inspector, []],
    [studio, []],
  ]);
  await withBrowser(async (browser) => {
    // The first context of a browser pays for the start of the browser.
    await load(browser, studio);
    for (let round = 0; round < contexts; round++) {
      for (const [contender, found] of loads) found.push(await load(browser, contender));
    }
  });
  const theirs = loads.get(inspector) ?? [];
  const ours = loads.get(studio) ?? [];
  const [theirFirst, ourFirst] = [theirs[0], ours[0]];
  if (theirFirst === undefined || ourFirst === undefined) throw new Error("nothing was loaded");
  const paints = [theirs, ours].map((found) => median(found.map(({ paintMs }) => paintMs)));
  const [theirPaint = 0, ourPaint = 0] = paints;
  const all = sumGzip(globSync("assets/*.{js,css}", { cwd: pageFolder }));
  return [
    {
      what: "JavaScript of the first load, gzip",
      inspector: formatKb(theirFirst.script),
      studio: formatKb(ourFirst.script),
      goal: atMost(ourFirst.script / 1000, 45, "KB"),
    },
    {
      what: "CSS of the first load, gzip",
      inspector: formatKb(theirFirst.style),
      studio: formatKb(ourFirst.style),
      goal: atMost(ourFirst.style / 1000, 8, "KB"),
    },
    {
      what: "JavaScript and CSS of the first load, as transferred",
      inspector: formatKb(theirFirst.transferred),
      studio: formatKb(ourFirst.transferred),
    },
    {
      what: "JavaScript and CSS of all screens, gzip",
      inspector: "",
      studio: formatKb(all),
      goal: atMost(all / 1000, 200, "KB"),
    },
    {
      what: `first contentful paint, median of ${contexts}`,
      inspector: formatMs(theirPaint),
      studio: `${formatMs(ourPaint)} (${(ourPaint / theirPaint).toFixed(2)} × Inspector)`,
      goal: { text: "≤ 0.4 × Inspector", isMet: ourPaint <= 0.4 * theirPaint },
    },
    {
      what: "requests to other servers",
      inspector: describeForeign(theirs),
      studio: describeForeign(ours),
      goal: atMost(countForeign(ours), 0, ""),
    },
  ];
}

async function load(browser: Browser, contender: Contender): Promise<FirstLoad> {
  const running = await contender.start({ tools: "one" });
  try {
    const page = await newPage(browser);
    const foreign: string[] = [];
    page.context().on("request", (request) => {
      const { origin } = new URL(request.url());
      const isLocal = origin === running.origin || origin === "null";
      if (!isLocal) foreign.push(origin);
    });
    const files = await collectFiles(page);
    await running.open(page);
    await page.waitForLoadState("load");
    await page.waitForTimeout(500);
    const found = await files.read();
    const paintMs = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    await page.context().close();
    return { paintMs, ...found, foreign };
  } finally {
    await running.close();
  }
}

/** Collects the scripts and styles that a page loads. */
async function collectFiles(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const types = new Map<string, string>();
  const transferred = new Map<string, number>();
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) =>
    transferred.set(requestId, encodedDataLength),
  );
  return {
    async read() {
      const sums = { script: 0, style: 0, transferred: 0 };
      for (const [requestId, bytes] of transferred) {
        const type = types.get(requestId);
        if (type !== "Script" && type !== "Stylesheet") continue;
        const { body, base64Encoded } = await session.send("Network.getResponseBody", {
          requestId,
        });
        const size = gzipSync(Buffer.from(body, base64Encoded ? "base64" : "utf8")).length;
        if (type === "Script") sums.script += size;
        else sums.style += size;
        sums.transferred += bytes;
      }
      if (sums.script === 0 || sums.style === 0)
        throw new Error("no script or no style was loaded");
      return sums;
    },
  };
}

function sumGzip(files: readonly string[]): number {
  return files
    .map((file) => gzipSync(readFileSync(join(pageFolder, file))).length)
    .reduce((sum, each) => sum + each, 0);
}

const countForeign = (loads: readonly FirstLoad[]): number =>
  loads.reduce((sum, { foreign }) => sum + foreign.length, 0);

function describeForeign(loads: readonly FirstLoad[]): string {
  const count = countForeign(loads);
  const hosts = new Set(loads.flatMap(({ foreign }) => foreign.map((each) => new URL(each).host)));
  return count === 0 ? "0" : `${count / loads.length} each time: ${[...hosts].join(", ")}`;
}
