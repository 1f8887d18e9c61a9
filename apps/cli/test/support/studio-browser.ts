import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchChromium } from "@toolweave/test-support/chromium";
import type { Browser, Page } from "playwright-core";
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
      watch(page, recorder.url, faults);
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

/** Collects what must not happen on a page. */
function watch(page: Page, url: string, faults: string[]): void {
  page.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning";
    if (isFault) faults.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.context().on("request", (request) => {
    const sent = request.url();
    if (!sent.startsWith(`${url}/`) && !sent.startsWith("blob:")) faults.push(`request: ${sent}`);
  });
  void page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`violates ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
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

/** Goes to a screen as a link does, and waits until it has loaded. */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate((target) => {
    history.pushState(null, "", target);
    dispatchEvent(new PopStateEvent("popstate"));
    return new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)));
    });
  }, path);
  await settle(page);
}

/** Waits until nothing on the page is loading. */
async function settle(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector("main h1, main .state-title") !== null &&
      ![...document.querySelectorAll("main .state")].some((state) =>
        (state.textContent ?? "").startsWith("Loading"),
      ),
  );
}
