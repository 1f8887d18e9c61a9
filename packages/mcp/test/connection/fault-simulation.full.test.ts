import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject } from "@toolweave/core";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mcpSource, type McpServer } from "../../src/index.ts";
import { httpLibrary, type HttpLibrary } from "../support/http-library.ts";
import { libraryServer } from "../support/library-options.ts";

/** The next step: a call, or an event of the server. */
type Step = CallStep | Fault;

interface CallStep {
  readonly name: string;
  readonly cancelAfterMs: number | undefined;
  /** The next step waits for its end. */
  readonly awaits: boolean;
}

type Fault = "outage" | "refusals" | "amnesia";

const folder = mkdtempSync(join(tmpdir(), "toolweave-life-"));
const closed = join(folder, "closed");
const file = join(folder, "written");

const callArguments: Readonly<Record<string, JsonObject>> = {
  get_book: { id: 1 },
  bind_book: { id: 1 },
  "add-book": { title: "Emma", file },
  lend_book: { file },
};

function lives(...more: readonly string[]): fc.Arbitrary<readonly Step[]> {
  const names = [...Object.keys(callArguments), "read_book", "reorganise", "no_such_tool", ...more];
  const awaits = fc.boolean();
  const quick = fc.record({
    name: fc.constantFrom(...names),
    cancelAfterMs: fc.option(fc.nat(20), { nil: undefined }),
    awaits,
  });
  const slow = fc.record({
    name: fc.constant("take_inventory"),
    cancelAfterMs: fc.nat(40),
    awaits,
  });
  const fault = fc.constantFrom<Fault>("outage", "refusals", "amnesia");
  return fc.array(
    fc.oneof({ weight: 4, arbitrary: quick }, { weight: 1, arbitrary: slow }, fault),
    { minLength: 3, maxLength: 25 },
  );
}

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
let served: HttpLibrary;
let isAway = false;
beforeAll(async () => {
  process.on("unhandledRejection", note);
  served = await httpLibrary();
});
afterAll(async () => {
  process.off("unhandledRejection", note);
  await allIsWell();
  await served.close();
  rmSync(folder, { recursive: true });
});

const ends: ReadonlySet<string> = new Set(["tool.completed", "tool.failed", "tool.suspended"]);

/**
 * Plays a plan; returns how often each call has begun and ended, if that differs, and unhandled
 * errors.
 */
async function played(
  server: McpServer,
  steps: readonly Step[],
  happen: (fault: Fault) => Promise<void>,
): Promise<readonly string[]> {
  await allIsWell();
  unhandled.length = 0;
  const registry = new ToolRegistry([mcpSource(server)]);
  await registry.ready;
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const open = new Map<string, number>();
  const count = (id: string, by: number): void => void open.set(id, (open.get(id) ?? 0) + by);
  executor.on((event) => {
    if (!("callId" in event)) return;
    if (event.type === "tool.started") count(event.callId, 1);
    if (ends.has(event.type)) count(event.callId, -1);
  });
  const calls: Promise<unknown>[] = [];
  for (const [at, step] of steps.entries()) {
    if (typeof step === "string") {
      await happen(step);
      continue;
    }
    const { name, cancelAfterMs, awaits } = step;
    const cancel = new AbortController();
    if (cancelAfterMs !== undefined) setTimeout(() => cancel.abort(), cancelAfterMs);
    const call = executor.execute(
      { id: `${at} ${name}`, name: `library__${name}`, arguments: callArguments[name] ?? {} },
      { signal: cancel.signal },
    );
    calls.push(call);
    if (awaits) await call;
  }
  await Promise.all(calls);
  await registry.close();
  const wrong = [...open].filter(([, left]) => left !== 0).map(([id, left]) => `${id}: ${left}`);
  return [...wrong, ...unhandled.map((error) => `unhandled: ${String(error)}`)];
}

/**
 * The server stops or returns, starts or stops answering with errors only, or loses its sessions.
 */
async function happenOverHttp(fault: Fault): Promise<void> {
  if (fault === "outage") {
    isAway = !isAway;
    await (isAway ? served.pause() : served.resume());
  } else if (fault === "refusals") {
    served.refuseWith = served.refuseWith === undefined ? 503 : undefined;
  } else served.sessions.forget();
}

async function allIsWell(): Promise<void> {
  rmSync(closed, { force: true });
  served.refuseWith = undefined;
  if (isAway) await happenOverHttp("outage");
}

/** The process exits and cannot start, or can again. */
async function happenToProcess(): Promise<void> {
  if (existsSync(closed)) rmSync(closed);
  else writeFileSync(closed, "");
}

test.each(["/life", "/sessions"])(
  "whatever happens to a server over HTTP, each started call ends once: %s",
  { timeout: 120_000 },
  async (path) => {
    const property = fc.asyncProperty(lives(), async (steps) => {
      const server = { name: "library", url: `${served.url}${path}` };
      expect(await played(server, steps, happenOverHttp)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 30, seed: 7 });
  },
);

test(
  "whatever happens to a server's process, each started call ends once",
  { timeout: 120_000 },
  async () => {
    const env = { ...libraryServer.env, LIBRARY_CLOSED: closed };
    const property = fc.asyncProperty(lives("leave"), async (steps) => {
      expect(await played({ ...libraryServer, env }, steps, happenToProcess)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 6, seed: 7 });
  },
);
