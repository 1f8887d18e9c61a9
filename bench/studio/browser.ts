import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../packages/test-support/src/chromium.ts";

/** Requests to other machines fail at once, so that no page waits for the network. */
const noNetwork = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1";

/** Opens a page in a new context, without a cache. */
export async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  return context.newPage();
}

/** Uses a new browser, which is closed in the end. */
export async function withBrowser<Value>(
  use: (browser: Browser) => Promise<Value>,
): Promise<Value> {
  const browser = await launchChromium([noNetwork]);
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** The bytes of the JavaScript heap after a garbage collection. */
export async function readHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return usedSize;
}

export function countElements(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll("*").length);
}
