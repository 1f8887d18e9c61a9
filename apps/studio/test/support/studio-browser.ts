import { source as axeSource } from "axe-core";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { readPageFiles } from "@toolweave/console";
import { launchChromium } from "@toolweave/test-support/chromium";
import { buildPage } from "../../src/page-files/index.ts";
import { goTo, reportFaults } from "./page-driver.ts";
import { startFakeServer, type FakeOptions, type FakeServer } from "./fake-server.ts";

/** The page built for production, in a browser, with a server that has made-up data. */
export interface StudioBrowser {
  readonly server: FakeServer;
  /** Opens the start link in a new context and goes to a screen. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Violations of the content security policy, errors of the console and requests to other servers, since the last call. */
  takeFaults(): readonly string[];
  close(): Promise<void>;
}

/** Builds the page and starts the browser. */
export async function startStudioBrowser(
  options: Omit<FakeOptions, "files"> = {},
): Promise<StudioBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-studio-"));
  await buildPage(folder);
  const files = await readPageFiles(folder);
  rmSync(folder, { recursive: true });
  const server = await startFakeServer({ files, ...options });
  const browser = await launchChromium();
  let faults: string[] = [];
  return {
    server,
    async open(path = "/", contextOptions = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...contextOptions,
      });
      const page = await context.newPage();
      await reportFaults(page, server.url, (fault) => faults.push(fault));
      await page.goto(server.startLink());
      await page.waitForSelector("main h1");
      if (path !== "/") await goTo(page, path);
      return page;
    },
    takeFaults() {
      const found = faults;
      faults = [];
      return found;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/**
 * The violations of WCAG 2.2 A and AA that axe finds on the page, each as one line.
 *
 * @param without rules of axe that do not apply.
 */
export async function axeViolations(
  page: Page,
  without: readonly string[] = [],
): Promise<readonly string[]> {
  // By the protocol of the debugger: the policy of the page forbids scripts of others.
  await page.evaluate(axeSource);
  return page.evaluate(async (disabled) => {
    interface AxeResult {
      readonly id: string;
      readonly nodes: readonly { readonly target: readonly string[]; readonly html: string }[];
    }
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ readonly violations: readonly AxeResult[] }> };
    };
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations } = await axe.run({
      runOnly: { type: "tag", values: tags },
      rules: Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }])),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${target.join(" ")} ${html.slice(0, 160)}`),
    );
  }, without);
}
