import { isFullRun } from "@toolweave/test-support";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import { goTo } from "../support/page-driver.ts";
import { startStudioBrowser, type StudioBrowser } from "../support/studio-browser.ts";

/** The middle and the 95th of a hundred of some times, in milliseconds. */
function percentiles(times: readonly number[]): { readonly p50: number; readonly p95: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

describe.skipIf(!hasChromium || !isFullRun)(
  "with 10,000 tools and 50,000 spans (needs chromium)",
  () => {
    let studio: StudioBrowser;
    beforeAll(async () => {
      studio = await startStudioBrowser({ spans: 50_000 });
    });
    afterAll(() => studio?.close());

    test("a keystroke in the search leads to a new list within 50 ms in 95 of 100 cases", async () => {
      const page = await studio.open("/tools");
      await page.waitForSelector(".tool-row");
      const measure = () =>
        page.evaluate(async () => {
          const input = document.querySelector("[data-search]") as HTMLInputElement;
          const found: number[] = [];
          for (const query of [
            "delete invoice",
            "github search",
            "export",
            "nothing",
            "list the",
          ]) {
            for (let length = 1; length <= query.length; length++) {
              const start = performance.now();
              input.value = query.slice(0, length);
              input.dispatchEvent(new InputEvent("input", { bubbles: true }));
              await new Promise((resolve) => {
                requestAnimationFrame(() => setTimeout(resolve, 0));
              });
              found.push(performance.now() - start);
            }
          }
          return found;
        });
      // The best of some rounds is the one that other programs disturb least.
      const rounds = [await measure(), await measure(), await measure(), await measure()];
      expect(rounds.map(({ length }) => length)).toEqual([48, 48, 48, 48]);
      expect(Math.min(...rounds.map((times) => percentiles(times).p95))).toBeLessThan(50);
    });

    test("a run of 50,000 spans is in the document with the visible rows only, and scrolls", async () => {
      const page = await studio.open();
      await goTo(page, "/runs/run_2");
      await page.waitForSelector(".span-row");
      expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(1500);
      const times = await page.evaluate(async () => {
        const list = document.querySelector(".span-rows") as HTMLElement;
        const found: number[] = [];
        for (let step = 0; step < 60; step++) {
          const start = performance.now();
          list.scrollTop += 300;
          await new Promise((resolve) => {
            requestAnimationFrame(() => setTimeout(resolve, 0));
          });
          found.push(performance.now() - start);
        }
        return found;
      });
      expect(percentiles(times).p50).toBeLessThan(33);
    });

    test("60,000 events cause no task of more than 200 ms", async () => {
      const page = await studio.open("/runs");
      await page.evaluate(() => {
        const tasks: number[] = [];
        Object.assign(globalThis, { longTasks: tasks });
        new PerformanceObserver((list) => {
          tasks.push(...list.getEntries().map(({ duration }) => duration));
        }).observe({ type: "longtask" });
      });
      for (let batch = 0; batch < 60; batch++) {
        for (let index = 0; index < 1000; index++) {
          studio.server.emit({ type: "tool.updated", callId: `call_${index}`, runId: "run_0" });
        }
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
      const longest = await page.evaluate(() =>
        Math.max(0, ...(globalThis as unknown as { longTasks: number[] }).longTasks),
      );
      expect(longest).toBeLessThan(200);
    });
  },
);
