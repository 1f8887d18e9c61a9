import { inFullRun } from "@toolweave/test-support";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasChromium } from "@toolweave/test-support/chromium";
import { makeTools } from "../support/fake-data.ts";
import { goTo } from "../support/page-driver.ts";
import {
  axeViolations,
  startStudioBrowser,
  type StudioBrowser,
} from "../support/studio-browser.ts";

const tools = makeTools(10_000);
const tool = tools.find(({ name }) => name.includes("delete"))?.name ?? "";

/** Every screen, with the tabs of those that have some. */
const screens = [
  "/",
  "/tools",
  "/tools?find=model&q=invoice",
  "/tools?q=nothing-has-this",
  ...["", "?tab=schema", "?tab=model", "?tab=policy", "?tab=lock", "?tab=history"].map(
    (query) => `/tools/${tool}${query}`,
  ),
  "/sources",
  "/problems",
  "/approvals",
  "/approvals/apr_0",
  "/approvals/apr_1",
  "/approvals/apr_2",
  "/approvals/unknown",
  "/grants",
  "/runs",
  "/runs/run_1",
  "/runs/run_1?tab=table",
  "/runs/run_1?tab=raw",
  "/tasks",
  "/tasks/task_1",
  "/artifacts/art_1",
  "/memory",
  "/memory?q=day",
  "/memory?q=nothing-has-this",
  "/memory/mem_1",
  "/policy",
  `/policy?tab=explain&tool=${tool}`,
  "/policy?tab=try",
  "/audit",
  "/lock",
  "/help",
  "/no-such-screen",
];

describe.skipIf(!hasChromium)("every screen (needs chromium)", () => {
  let studio: StudioBrowser;
  beforeAll(async () => {
    studio = await startStudioBrowser({ tools });
  });
  afterAll(() => studio?.close());

  const light = ["in light colours", { colorScheme: "light" }] as const;
  const dark = ["in dark colours", { colorScheme: "dark" }] as const;
  const narrow = ["320 px wide", { viewport: { width: 320, height: 640 } }] as const;
  const forced = ["in forced colours", { forcedColors: "active" }] as const;

  test.each(
    inFullRun<readonly (readonly [string, BrowserContextOptions])[]>(
      [light, dark, narrow, forced],
      [light],
    ),
  )("has no violation of WCAG 2.2 AA and of the policy: %s", async (_, options) => {
    const page = await studio.open("/", options);
    // Forced colours are those of the system, which decides about their contrast.
    const without = "forcedColors" in options ? ["color-contrast"] : [];
    expect(await walk(page, () => axeViolations(page, without))).toEqual([]);
  });

  test.each([narrow, forced])("needs no horizontal scrolling: %s", async (_, options) => {
    const page = await studio.open("/", options);
    const faults = await walk(page, async () => {
      const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      return width > 0 ? [`${width} px wider than the window`] : [];
    });
    expect(faults).toEqual([]);
  });

  /** Visits each screen, and collects what a check finds there, with violations of the policy and errors. */
  async function walk(page: Page, check: () => Promise<readonly string[]>): Promise<string[]> {
    const found: string[] = [];
    for (const path of screens) {
      await goTo(page, path);
      const problems = await check();
      // A status of 404 of the approval that does not exist is an error of the console.
      const faults = studio
        .takeFaults()
        .filter((fault) => !(path === "/approvals/unknown" && fault.includes("404")));
      found.push(...[...problems, ...faults].map((problem) => `${path}: ${problem}`));
    }
    await page.context().close();
    return found;
  }
});
