import { readFileSync } from "node:fs";
import { FakeClock } from "@toolweave/test-support/fake-clock";
import { expect, test } from "vitest";
import { suspend, ToolError, type QueuedEvent, type ToolEvent } from "@toolweave/core";
import { call, executorFor, foreignTool, guarded, tool } from "../support/executor-for.ts";
import { memoryLedger } from "@toolweave/core/stores";
import { key } from "../support/pending-call-stores.ts";
import { getInterruption } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

type Envelope =
  | "type"
  | "seq"
  | "time"
  | "runId"
  | "turnId"
  | "callId"
  | "parentCallId"
  | "caller"
  | "tool";
type FieldsOf<Type> = Record<Exclude<keyof Extract<QueuedEvent, { type: Type }>, Envelope>, true>;

const at = { attempt: true, durationMs: true } as const;

/** The fields by type: one field too many or too few is a type error. */
const types: { readonly [Type in QueuedEvent["type"]]: FieldsOf<Type> } = {
  "tool.requested": { arguments: true, truncated: true },
  "tool.rejected": { code: true, message: true },
  "tool.interrupted": { interruptionId: true },
  "tool.replayed": { status: true, code: true },
  "tool.resumed": { interruptionId: true, by: true },
  "tool.authorized": { decision: true, reason: true, rule: true, by: true, grantId: true },
  "tool.started": { attempt: true, discarded: true, arguments: true, truncated: true },
  "tool.updated": { output: true, truncated: true },
  "tool.progressed": { progress: true },
  "tool.retried": { attempt: true, code: true, delayMs: true },
  "tool.completed": {
    ...at,
    isError: true,
    code: true,
    outputBytes: true,
    warnings: true,
    content: true,
    value: true,
    artifacts: true,
    truncated: true,
  },
  "tool.failed": { ...at, code: true, message: true },
  "tool.suspended": { ...at, interruptionId: true },
  "tool.late": { outcome: true },
  "store.failed": { store: true, message: true },
  "task.created": { taskId: true },
  "task.working": { taskId: true },
  "task.input_required": { taskId: true, interruptionId: true },
  "task.completed": { taskId: true, isError: true },
  "task.failed": { taskId: true, code: true },
  "task.cancelled": { taskId: true },
  "registry.changed": { version: true, added: true, removed: true, changed: true },
  "events.dropped": { dropped: true, replaced: true, reset: true },
};

const page = readFileSync(new URL("../../../../docs/reference/events.md", import.meta.url), "utf8");

const splitCells = (line: string): string[] => line.split("|").map((cell) => cell.trim());
const namesIn = (cell: string): string[] =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);

/** The rows of the table whose header begins like this. */
function readRows(header: string): string[][] {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => new RegExp(`^\\| ${header} +\\|`).test(line));
  const rest = lines.slice(start + 2);
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith("|")),
    )
    .map(splitCells);
}

const rows = readRows("event");

test("the page lists every event with every field, and nothing else", () => {
  const written = rows.map(([, type = "", when, fields = "", payload = ""]) => {
    expect(when).not.toBe("");
    return [type.replaceAll("`", ""), [...namesIn(fields), ...namesIn(payload)].toSorted()];
  });
  const typed = Object.entries(types).map(([type, fields]) => [type, Object.keys(fields).sort()]);
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(typed));
  expect(written).toHaveLength(typed.length);
});

const envelope = readRows("field").flatMap(([, name = ""]) => namesIn(name));

/** Calls with every end that is possible without a store or a task. */
async function everything(eventPayloads: boolean): Promise<ToolEvent[]> {
  const clock = new FakeClock();
  const source = new TestSource("s", [foreignTool("a")]);
  const executor = executorFor(
    [
      source,
      guarded(),
      tool("works", async (_, ctx) => {
        ctx.progress({ done: 1 });
        await ctx.update({ content: [] });
        return (await ctx.scope.execute(call("again"))).status;
      }),
      tool(
        "again",
        (_, { attempt }) => {
          if (attempt === 1) throw new ToolError("unavailable", "later");
          return { content: [], isError: true };
        },
        { annotations: { idempotentHint: true }, retry: { attempts: 2, initialDelayMs: 0 } },
      ),
      tool("waits", () => suspend([{ id: "q", type: "input", message: "?" }], null)),
      tool("late", () => new Promise((resolve) => clock.setTimeout(() => resolve(1), 50)), {
        timeoutMs: 10,
      }),
    ],
    { clock, eventPayloads, key, ledger: memoryLedger() },
  );
  await executor.registry.ready;
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  const run = executor.startRun().nextTurn();
  await run.execute(call("works"));
  await run.execute(call("waits"));
  await run.execute(call("missing"));
  const late = run.execute(call("late"));
  await clock.advance(100);
  await late;
  const interruption = getInterruption(await run.execute(call("pay")));
  await executor.resume(interruption, [{ type: "approve", by: "me" }]);
  const again = executor.startRun({ id: "durable", durable: true });
  await again.execute({ ...call("again"), id: "1" });
  const repeated = executor.startRun({ id: "durable", durable: true }).nextTurn();
  await repeated.execute({ ...call("again"), id: "1" });
  source.set(foreignTool("b"));
  return events;
}

test.each([false, true])(
  "events have the fields that the page lists (payloads: %s)",
  async (on) => {
    const events = await everything(on);
    const emitted = new Set(events.map(({ type }) => type));
    expect([...emitted].filter((type) => type.startsWith("tool.")).toSorted()).toEqual(
      Object.keys(types)
        .filter((type) => type.startsWith("tool."))
        .toSorted(),
    );
    const payloadsByType = new Map(
      rows.map(([, type = "", , , payload = ""]) => [type.replaceAll("`", ""), namesIn(payload)]),
    );
    for (const event of events) {
      const own = Object.keys(event).filter((name) => !envelope.includes(name));
      expect(Object.keys(types[event.type])).toEqual(expect.arrayContaining(own));
      const payload = payloadsByType.get(event.type) ?? [];
      expect(on ? [] : own.filter((name) => payload.includes(name))).toEqual([]);
      expect(JSON.parse(JSON.stringify(event))).toEqual(event);
    }
  },
);
