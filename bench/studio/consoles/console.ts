import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** A console that was started with one MCP server. */
export interface RunningConsole {
  readonly origin: string;
  /** The process of the server. */
  readonly pid: number;
  /** The time when the command was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The token of a program. */
  readonly token: string;
  /** Opens the start page. */
  open(page: Page): Promise<void>;
  /** Goes from the start page to the list of tools, and waits until it is visible. */
  showTools(page: Page, count: number): Promise<void>;
  /** Goes from the start page to the screen that changes with each event. */
  showEvents(page: Page): Promise<void>;
  /** The time and the process id of the last start of the MCP server. */
  readServerStart(): { readonly time: number; readonly pid: number };
  close(): Promise<void>;
}

/** One of the consoles that are compared. */
export interface Contender {
  readonly name: string;
  /** A selector of the field that searches the tools. */
  readonly searchField: string;
  /** Starts it with the server `servers/tools.ts`. */
  start(options: StartOptions): Promise<RunningConsole>;
}

export interface StartOptions {
  readonly tools: "one" | "all";
  /** Recorded events, for a console that reads them. */
  readonly recording?: string;
}

/** A folder of a console: its configuration and its state. */
export interface WorkFolder {
  readonly path: string;
  /** The command line of the MCP server, after the program. */
  readonly serverArgs: readonly string[];
  readServerStart(): { readonly time: number; readonly pid: number };
  remove(): void;
}

export function makeWorkFolder({ tools }: StartOptions): WorkFolder {
  const path = mkdtempSync(join(tmpdir(), "toolweave-bench-studio-"));
  const starts = join(path, "starts.txt");
  const server = join(import.meta.dirname, "../servers/tools.ts");
  const remove = (): void => {
    process.off("exit", remove);
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
  // A benchmark that is stopped leaves nothing behind either.
  process.on("exit", remove);
  return {
    path,
    serverArgs: tools === "one" ? [server, starts, "one"] : [server, starts],
    readServerStart() {
      const lines = readFileSync(starts, "utf8").trim().split("\n");
      const [time = 0, pid = 0] = (lines.at(-1) ?? "").split(" ").map(Number);
      return { time, pid };
    },
    remove,
  };
}

/** The page with `countTools`, which was defined before its scripts have run. */
export interface CountingPage {
  countTools(): number;
}

/** Defines `countTools` in each document of a page: its policy may forbid to evaluate an expression later. */
export function defineCountTools(page: Page, expression: string): Promise<unknown> {
  return page.addInitScript({ content: `globalThis.countTools = () => ${expression};` });
}

/** Waits until the page has a number of tools in its list, and has drawn them. */
export async function waitForTools(page: Page, count: number): Promise<void> {
  await page.waitForFunction(
    (expected) => (globalThis as unknown as CountingPage).countTools() === expected,
    count,
    { timeout: 180_000 },
  );
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))),
  );
}
