import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import {
  ConsoleSessions,
  listenConsole,
  readPageFiles,
  type ConsoleListener,
} from "@toolweave/console";
import { ToolExecutor, type ToolEvent, type ToolRegistry } from "@toolweave/core";
import { sqliteStore } from "@toolweave/stores";

import type { Person } from "./person.ts";
import type { Terminal } from "./terminal.ts";

/** The parts that the step needs. */
export interface StudioStage {
  readonly terminal: Terminal;
  readonly registry: ToolRegistry;
  /** The events of the tour. */
  readonly events: readonly ToolEvent[];
  readonly person: Person;
  readonly signal: AbortSignal;
}

/** The page, which `start` builds before the tour. */
const page = fileURLToPath(
  new URL("dist/page", import.meta.resolve("@toolweave/studio/package.json")),
);
const maxWaitMs = 300_000;
const graceMs = 2_000;

/**
 * Asks the person at the terminal whether to open Studio with the tools and the calls of the tour, and serves its page
 * until Enter. Without a terminal, after Ctrl-D and after five minutes without an answer, nothing is started.
 *
 * @throws the reason of `signal` when that fires
 */
export async function offerStudio(stage: StudioStage): Promise<void> {
  const { terminal, person, signal } = stage;
  if (!person.isThere) return;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
  terminal.line();
  const answer = await person.ask("Open these tools and calls in your browser?   y/N > ", limit);
  signal.throwIfAborted();
  if (!/^\s*y(?:es)?\s*$/i.test(answer ?? "")) return;
  if (!existsSync(page)) {
    const { buildPage } = await import("@toolweave/studio");
    await buildPage(page);
  }
  const store = sqliteStore(":memory:");
  let listener: ConsoleListener | undefined;
  try {
    const sessions = new ConsoleSessions({ caller: { id: "visitor" } });
    listener = await listen(stage, store, sessions);
    terminal.line();
    terminal.line(`  ${listener.url}/#code=${sessions.createCode()}`);
    terminal.line();
    await person.ask("Open this link: it works once. Enter ends Studio. > ", signal);
    signal.throwIfAborted();
  } finally {
    await listener?.close(graceMs);
    store.close();
  }
}

/** Serves the tools of the tour; the calls of the page have stores of their own. */
async function listen(
  { registry, events }: StudioStage,
  store: ReturnType<typeof sqliteStore>,
  sessions: ConsoleSessions,
): Promise<ConsoleListener> {
  const { pendingCalls, grants, tasks, artifacts } = store;
  const executor = new ToolExecutor({
    registry,
    key: randomBytes(32),
    pendingCalls,
    grants,
    tasks,
    artifacts,
    eventPayloads: true,
  });
  return listenConsole({
    executor,
    stores: { pendingCalls },
    sessions,
    files: await readPageFiles(page),
    runs: {
      live: true,
      recordings: [{ name: "the tour", read: (options) => replay(events, options) }],
    },
  });
}

/** The events after a position, or those of a run. */
async function* replay(
  events: readonly ToolEvent[],
  { after, runId }: { readonly after?: { readonly seq: number }; readonly runId?: string },
): AsyncGenerator<ToolEvent> {
  for (const event of events) {
    if (after !== undefined && event.seq <= after.seq) continue;
    if (runId !== undefined && (!("runId" in event) || event.runId !== runId)) continue;
    yield event;
  }
}
