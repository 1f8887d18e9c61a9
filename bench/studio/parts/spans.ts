import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { countElements, newPage, readHeap, withBrowser } from "../browser.ts";
import { studio } from "../consoles/studio.ts";
import { atMost, formatMb, formatMs, percentile, type Row } from "../report.ts";
import { recordRun } from "../servers/record.ts";

const spanCount = 50_000;
const scrollSteps = 120;
/** Pixels: about eleven rows. */
const stepHeight = 300;

/** A recorded run of 50,000 spans: opening and scrolling. MCP Inspector has no recordings. */
export async function measureSpans(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-bench-spans-"));
  const recording = join(folder, "events.ndjson");
  try {
    await recordRun(recording, spanCount);
    const running = await studio.start({ tools: "one", recording });
    try {
      return await withBrowser(async (browser) => {
        const page = await newPage(browser);
        page.setDefaultTimeout(60_000);
        await running.open(page);
        await running.showEvents(page);
        const link = `tr:has-text("${basename(recording)}") a`;
        await page.waitForSelector(link);
        const firstMs = await open(page, link);
        const spans = await page.evaluate(() =>
          Number(document.querySelector(".virtual-row")?.getAttribute("aria-setsize")),
        );
        if (spans !== spanCount) throw new Error(`${spans} spans are displayed`);
        const elements = await countElements(page);
        const heap = await readHeap(page);
        const steps = await scroll(page);
        await running.showEvents(page);
        await page.waitForSelector(link);
        const againMs = await open(page, link);
        return toRows({ firstMs, againMs, elements, heap, steps });
      });
    } finally {
      await running.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Follows the link of the run, and returns the time until the page has drawn its spans. */
async function open(page: Page, link: string): Promise<number> {
  await page.evaluate(() => {
    const state = globalThis as unknown as { drawn: Promise<number> };
    state.drawn = new Promise((resolve) => {
      const begin = ({ timeStamp }: Event): void => {
        const check = (): void => {
          if (document.querySelector(".span-row") === null) requestAnimationFrame(check);
          else setTimeout(() => resolve(performance.now() - timeStamp), 0);
        };
        requestAnimationFrame(check);
      };
      addEventListener("click", begin, { once: true, capture: true });
    });
  });
  await page.click(link);
  return page.evaluate(() => (globalThis as unknown as { drawn: Promise<number> }).drawn);
}

/** Scrolls step by step, and returns the time of each until it is drawn, in milliseconds. */
function scroll(page: Page): Promise<readonly number[]> {
  return page.evaluate(
    async ([steps, height]) => {
      const list = document.querySelector(".span-rows") as HTMLElement;
      const times: number[] = [];
      for (let step = 0; step < steps; step++) {
        const start = performance.now();
        list.scrollTop += height;
        await new Promise((resolve) => {
          requestAnimationFrame(() => setTimeout(resolve, 0));
        });
        times.push(performance.now() - start);
      }
      return times;
    },
    [scrollSteps, stepHeight] as const,
  );
}

function toRows(found: {
  readonly firstMs: number;
  readonly againMs: number;
  readonly elements: number;
  readonly heap: number;
  readonly steps: readonly number[];
}): readonly Row[] {
  const { firstMs, againMs, elements, heap, steps } = found;
  const p95 = percentile(steps, 0.95);
  return [
    {
      what: "50,000 recorded spans: opening the run",
      inspector: "",
      studio: formatMs(firstMs),
      goal: atMost(firstMs, 500, "ms"),
    },
    {
      what: "opening it again",
      inspector: "",
      studio: formatMs(againMs),
      goal: atMost(againMs, 500, "ms"),
    },
    {
      what: `a step of scrolling it, 95th percentile of ${steps.length}`,
      inspector: "",
      studio: `${formatMs(p95)} (median ${formatMs(percentile(steps, 0.5))})`,
      goal: atMost(p95, 33, "ms"),
    },
    {
      what: "elements in the document, and JavaScript heap with it",
      inspector: "",
      studio: `${elements.toLocaleString("en")}, ${formatMb(heap)}`,
    },
  ];
}
