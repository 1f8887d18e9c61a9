import type { Page } from "playwright-core";
import { countElements, newPage, readHeap, withBrowser } from "../browser.ts";
import type { Contender, CountingPage } from "../consoles/console.ts";
import { inspector } from "../consoles/inspector.ts";
import { studio } from "../consoles/studio.ts";
import { atMost, formatMb, formatMs, percentile, type Row } from "../report.ts";
import { toolCount, toToolName } from "../servers/tool-names.ts";

/** Each is typed and removed character by character; each keystroke changes the list. */
const queries = ["4271", "0815", "9630", "1234", "5768", "2049", "7391", "8406"];
/** The keystrokes of a console that takes longer end with the first that is not within this time. */
const maxTypingMs = 150_000;

interface ManyTools {
  /** From the start of the MCP server to the visible list. */
  readonly connectMs: number;
  /** From the start of the command to the visible list. */
  readonly commandMs: number;
  readonly elements: number;
  readonly heap: number;
  readonly keystrokes: readonly number[];
}

/** 10,000 tools of one server: connecting, the document, the heap and the search. */
export async function measureManyTools(): Promise<readonly Row[]> {
  const theirs = await measure(inspector);
  const ours = await measure(studio);
  const p95 = [theirs, ours].map(({ keystrokes }) => percentile(keystrokes, 0.95));
  const describeTyping = ({ keystrokes }: ManyTools): string =>
    `${formatMs(percentile(keystrokes, 0.95))} (median ${formatMs(percentile(keystrokes, 0.5))}, ${keystrokes.length} keystrokes)`;
  return [
    {
      what: "10,000 tools: from the start of their server to the visible list",
      inspector: formatMs(theirs.connectMs),
      studio: formatMs(ours.connectMs),
      goal: atMost(ours.connectMs, 1000, "ms"),
    },
    {
      what: "10,000 tools: from the start of the command to the visible list",
      inspector: formatMs(theirs.commandMs),
      studio: formatMs(ours.commandMs),
    },
    {
      what: "elements in the document with them",
      inspector: theirs.elements.toLocaleString("en"),
      studio: ours.elements.toLocaleString("en"),
      goal: atMost(ours.elements, 1500, ""),
    },
    {
      what: "JavaScript heap with them",
      inspector: formatMb(theirs.heap),
      studio: formatMb(ours.heap),
      goal: atMost(ours.heap / 1e6, 40, "MB"),
    },
    {
      what: "keystroke in the search to the new list, 95th percentile",
      inspector: describeTyping(theirs),
      studio: describeTyping(ours),
      goal: atMost(p95[1] ?? Number.NaN, 50, "ms"),
    },
  ];
}

function measure(contender: Contender): Promise<ManyTools> {
  return withBrowser(async (browser) => {
    const page = await newPage(browser);
    page.setDefaultTimeout(60_000);
    const running = await contender.start({ tools: "all" });
    try {
      await running.open(page);
      await running.showTools(page, toolCount);
      const visibleAt = Date.now();
      const elements = await countElements(page);
      const heap = await readHeap(page);
      return {
        connectMs: visibleAt - running.readServerStart().time,
        commandMs: visibleAt - running.startedAt,
        elements,
        heap,
        keystrokes: await type(page, contender),
      };
    } finally {
      await running.close();
    }
  });
}

const names = Array.from({ length: toolCount }, (_, index) => toToolName(index));

/** Types all queries, and returns the time of each keystroke, in milliseconds. */
async function type(page: Page, { searchField }: Contender): Promise<number[]> {
  const times: number[] = [];
  const deadline = performance.now() + maxTypingMs;
  await page.locator(searchField).first().click();
  for (const query of queries) {
    for (const [key, text] of toKeystrokes(query)) {
      const count = names.filter((name) => name.includes(text)).length;
      times.push(await press(page, key, count));
      if (performance.now() > deadline) return times;
    }
  }
  return times;
}

/** The keys that type and remove a query, each with the text in the field after it. */
function toKeystrokes(query: string): readonly (readonly [key: string, text: string])[] {
  const characters = Array.from(query);
  const typed = characters.map((key, index) => [key, query.slice(0, index + 1)] as const);
  const removed = characters.map((_, index) => ["Backspace", query.slice(0, -1 - index)] as const);
  return [...typed, ...removed];
}

/** Presses a key, and returns the time until the page has drawn a list of `count` tools. */
async function press(page: Page, key: string, count: number): Promise<number> {
  await page.evaluate((expected) => {
    const state = globalThis as unknown as CountingPage & { drawn: Promise<number> };
    state.drawn = new Promise((resolve) => {
      const begin = ({ timeStamp }: Event): void => {
        const check = (): void => {
          if (state.countTools() !== expected) requestAnimationFrame(check);
          else setTimeout(() => resolve(performance.now() - timeStamp), 0);
        };
        requestAnimationFrame(check);
      };
      addEventListener("keydown", begin, { once: true, capture: true });
    });
  }, count);
  await page.keyboard.press(key);
  return page.evaluate(() => (globalThis as unknown as { drawn: Promise<number> }).drawn);
}
