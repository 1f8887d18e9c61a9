import type { Page } from "playwright-core";
import { newPage, readHeap, withBrowser } from "../browser.ts";
import type { Contender, RunningConsole } from "../consoles/console.ts";
import { inspector } from "../consoles/inspector.ts";
import { studio } from "../consoles/studio.ts";
import { atMost, formatMb, type Row } from "../report.ts";
import { callAtRate } from "../servers/call-at-rate.ts";

const seconds = 60;
const warmUpSeconds = 5;
const eventsPerSecond = 1000;
/** A page that has not come to rest by then is measured as it is. */
const restMs = 3_000;
/** A page that has not answered by then is reported as such. */
const answerMs = 45_000;
/** Growth of the heap in bytes that is the noise of a page which keeps nothing. */
const maxGrowth = 5_000_000;

interface Live {
  readonly eventsPerSecond: number;
  /** The longest task in milliseconds. Tasks of less than 50 ms are not reported by the browser. */
  readonly maxTask: number;
  readonly longTasks: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
}

/** 1,000 events a second for a minute: real calls for Studio, log messages of the server for MCP Inspector. */
export async function measureLive(): Promise<readonly Row[]> {
  const ours = await measure(studio, warmUpSeconds, (running, duration) =>
    callAtRate(running, { eventsPerSecond, seconds: duration }),
  );
  const theirs = await measure(inspector, 0, sendMessages);
  const growth = ours.heapAfter - ours.heapBefore;
  return [
    {
      what: `events a second for ${seconds} s`,
      inspector: Math.round(theirs.eventsPerSecond).toLocaleString("en"),
      studio: Math.round(ours.eventsPerSecond).toLocaleString("en"),
      goal: {
        text: `≥ ${(0.95 * eventsPerSecond).toLocaleString("en")}`,
        isMet: ours.eventsPerSecond >= 0.95 * eventsPerSecond,
      },
    },
    {
      what: "longest task of the page meanwhile",
      inspector: describeTasks(theirs),
      studio: describeTasks(ours),
      goal: atMost(ours.maxTask, 200, "ms"),
    },
    {
      what: "JavaScript heap before and after",
      inspector: describeHeap(theirs),
      studio: describeHeap(ours),
      goal: { text: `+ ${formatMb(maxGrowth)} or less`, isMet: growth <= maxGrowth },
    },
  ];
}

async function measure(
  contender: Contender,
  warmUp: number,
  produce: (running: RunningConsole, seconds: number) => Promise<number>,
): Promise<Live> {
  return withBrowser(async (browser) => {
    const page = await newPage(browser);
    page.setDefaultTimeout(60_000);
    const running = await contender.start({ tools: "one" });
    try {
      await running.open(page);
      await running.showEvents(page);
      if (warmUp > 0) await produce(running, warmUp);
      await page.waitForTimeout(restMs);
      const heapBefore = await readHeap(page);
      await observeTasks(page);
      const rate = (await produce(running, seconds)) / seconds;
      const after = await within(answerMs, readAfter(page));
      return { eventsPerSecond: rate, heapBefore, ...(after ?? noAnswer) };
    } finally {
      await running.close();
    }
  });
}

/** A page whose main thread is busy for longer than the time that it has. */
const noAnswer = { maxTask: Infinity, longTasks: Infinity, heapAfter: Infinity };

async function readAfter(page: Page) {
  await page.waitForTimeout(restMs);
  const tasks = await page.evaluate(
    () => (globalThis as unknown as { longTasks: number[] }).longTasks,
  );
  const heapAfter = await readHeap(page);
  return { maxTask: Math.max(0, ...tasks), longTasks: tasks.length, heapAfter };
}

/** The value of a promise; `undefined`: it has not settled in time, or was rejected. */
function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  return Promise.race([promise.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}

function observeTasks(page: Page): Promise<void> {
  return page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(globalThis, { longTasks: tasks });
    new PerformanceObserver((list) => {
      tasks.push(...list.getEntries().map(({ duration }) => duration));
    }).observe({ type: "longtask" });
  });
}

/** Lets the MCP server send its log messages. */
async function sendMessages(running: RunningConsole, duration: number): Promise<number> {
  process.kill(running.readServerStart().pid, "SIGUSR2");
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, duration * 1000);
  await promise;
  return duration * eventsPerSecond;
}

function describeTasks({ maxTask, longTasks }: Live): string {
  if (longTasks === Infinity) return `no answer within ${answerMs / 1000} s after them`;
  if (longTasks === 0) return "below 50 ms";
  return `${Math.round(maxTask).toLocaleString("en")} ms (${longTasks.toLocaleString("en")} of 50 ms or more)`;
}

const describeHeap = ({ heapBefore, heapAfter }: Live): string =>
  `${formatMb(heapBefore)}, ${heapAfter === Infinity ? "no answer" : formatMb(heapAfter)}`;
