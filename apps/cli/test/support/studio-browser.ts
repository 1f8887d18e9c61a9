import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium } from "@toolweave/test-support/chromium";
import type { Browser, Page } from "playwright-core";
import { reportFaults } from "../../../studio/test/support/page-driver.ts";
import { startStudioProcess, stopStudio, type RunningStudio } from "./studio.ts";

/** A process of Studio whose responses are recorded, and a browser. */
export interface BrowsedStudio {
  readonly browser: Browser;
  /** The address that the browser uses. */
  readonly url: string;
  readonly store: string;
  readonly studio: RunningStudio;
  /** Opens the link in a new context. It works once. */
  openLink(): Promise<Page>;
  /** Violations of the content security policy, errors of the console, dialogs and requests to other origins. */
  readonly faults: readonly string[];
  /** All bytes that were sent to clients. */
  served(): string;
  /** Lets another server answer at the address of Studio: the next connections lead to it. */
  connectTo(url: string): void;
  close(): Promise<void>;
}

/** Starts `toolweave studio` and a browser for all tests of a file. */
export async function startBrowsedStudio(
  args: readonly string[],
  {
    env = {},
    browserArgs = [],
  }: { readonly env?: Record<string, string>; readonly browserArgs?: readonly string[] } = {},
): Promise<BrowsedStudio> {
  const folder = mkdtempSync(join(tmpdir(), "toolweave-cli-"));
  const store = join(folder, "state", "approvals.sqlite");
  const recorder = await startRecorder();
  const studio = await startStudioProcess([...args, "--public-url", recorder.url], {
    env: { ...env, TOOLWEAVE_STORE: store },
  });
  recorder.connectTo(studio.url);
  const browser = await launchChromium(browserArgs);
  const faults: string[] = [];
  return {
    browser,
    url: recorder.url,
    store,
    studio,
    faults,
    served: recorder.served,
    connectTo: recorder.connectTo,
    async openLink() {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
      const page = await context.newPage();
      await reportFaults(page, recorder.url, (fault) => faults.push(fault));
      await page.goto(studio.link);
      await page.waitForSelector("main h1");
      return page;
    },
    async close() {
      await browser.close();
      await stopStudio(studio);
      recorder.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** A proxy for TCP that records what the server sends. */
async function startRecorder(): Promise<{
  readonly url: string;
  connectTo(url: string): void;
  served(): string;
  close(): void;
}> {
  const chunks: Buffer[] = [];
  let port = 0;
  const server: Server = createServer((client) => {
    const upstream = createConnection(port, "127.0.0.1");
    upstream.on("data", (chunk: Buffer) => chunks.push(chunk));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) {
      socket.on("error", () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connectTo: (url) => {
      port = Number(new URL(url).port);
    },
    served: () => Buffer.concat(chunks).toString("latin1"),
    close: () => void server.close(),
  };
}
