import type {
  AuditRow,
  MemoryDetails,
  RunDetails,
  RunRow,
  Span,
  TaskRow,
  ToolRow,
} from "@toolweave/console";
import { now } from "./fake-data.ts";

/** Runs, newest first. */
export function makeRuns(tools: readonly ToolRow[]): readonly RunRow[] {
  return Array.from({ length: 60 }, (_, index) => ({
    runId: `run_${index}`,
    ...(index > 30 ? { recording: "nightly" } : {}),
    startedAt: now - index * 420_000 - 20_000,
    ...(index === 0 ? {} : { endedAt: now - index * 420_000 + (index % 9) * 4000 }),
    calls: 3 + (index % 14),
    failed: index % 4 === 1 ? 1 + (index % 3) : 0,
    waiting: index === 0 ? 1 : 0,
    tools: tools.slice(index, index + 3).map(({ name }) => name),
  }));
}

/** A run with a number of spans: calls with attempts, a retry, a wait for a person, nested calls, and an idle gap. */
export function makeRun(runId: string, tools: readonly ToolRow[], count: number): RunDetails {
  const spans: Span[] = [];
  let time = now - 600_000;
  const start = time;
  for (let index = 0; spans.length < count; index++) {
    const tool = tools[(index * 13) % tools.length]?.name ?? "tool";
    const id = `s${index}`;
    const length = 40 + ((index * 7919) % 900);
    const isFailed = index % 11 === 4;
    const waits = index % 17 === 6;
    const end = time + length + (waits ? 4000 : 0);
    spans.push({
      id,
      callId: `call_${index}`,
      kind: "call",
      tool,
      from: time,
      to: end,
      state: isFailed ? "error" : "ok",
      ...(isFailed
        ? { code: "execution_failed", message: "The server answered with the status 503." }
        : {}),
      rule: "preset:supervised",
      reason: "Read-only calls run at once.",
      arguments: { id: index, labels: ["a", "b"] },
      output: { items: [{ id: index, title: `Item ${index}` }] },
      outputBytes: 214 + index,
    });
    if (waits) {
      spans.push({
        id: `${id}w`,
        callId: `call_${index}`,
        parent: id,
        kind: "wait",
        tool,
        from: time + 5,
        to: time + 4005,
        state: "ok",
        by: "jo",
        reason: "The preset supervised asks.",
      });
    }
    const from = time + (waits ? 4005 : 2);
    if (isFailed) {
      spans.push(
        {
          id: `${id}a1`,
          callId: `call_${index}`,
          parent: id,
          kind: "attempt",
          tool,
          attempt: 1,
          from,
          to: from + length * 0.4,
          state: "error",
          code: "timeout",
        },
        {
          id: `${id}r`,
          callId: `call_${index}`,
          parent: id,
          kind: "retry",
          tool,
          from: from + length * 0.4,
          to: from + length * 0.5,
          state: "waiting",
        },
        {
          id: `${id}a2`,
          callId: `call_${index}`,
          parent: id,
          kind: "attempt",
          tool,
          attempt: 2,
          from: from + length * 0.5,
          to: end,
          state: "error",
          code: "execution_failed",
        },
      );
    } else if (index % 5 === 0) {
      spans.push({
        id: `${id}n`,
        callId: `call_${index}n`,
        parent: id,
        kind: "call",
        tool: tools[(index * 7 + 3) % tools.length]?.name ?? "tool",
        from: from + 10,
        to: end - 5,
        state: "ok",
      });
    }
    time = end + 15 + (index === 12 ? 180_000 : 0);
  }
  const [gapStart] = spans.slice(0).filter(({ id }) => id === "s12");
  const gaps = gapStart?.to === undefined ? [] : [{ from: gapStart.to, to: gapStart.to + 180_015 }];
  return {
    runId,
    startedAt: start,
    endedAt: time,
    calls: spans.filter(({ kind }) => kind === "call").length,
    failed: spans.filter(({ kind, state }) => kind === "call" && state === "error").length,
    waiting: 0,
    tools: [...new Set(spans.map(({ tool }) => tool))].slice(0, 20),
    spans,
    gaps,
    missingEvents: runId === "run_1" ? 12 : 0,
  };
}

/** Tasks in each status. */
export function makeTasks(tools: readonly ToolRow[]): readonly TaskRow[] {
  return (["working", "input_required", "completed", "failed", "cancelled"] as const).map(
    (status, index) => ({
      id: `task_${index}`,
      tool: tools[index]?.name ?? "tool",
      status,
      createdAt: now - index * 900_000,
      updatedAt: now - index * 60_000,
      expiresAt: now + 86_400_000,
      runId: `run_${index}`,
      ...(status === "input_required" ? { approvalId: "apr_2" } : {}),
      ...(status === "working"
        ? { message: "Copies 12 of 40 files", progress: { done: 12, total: 40 } }
        : {}),
    }),
  );
}

/** Entries of the memory of several agents, newest first. The last 30 are only found by a search. */
const memory: readonly MemoryDetails[] = Array.from({ length: 150 }, (_, index) => ({
  id: `mem_${index}`,
  key: index === 1 ? "a-key-without-a-space-".repeat(9) : `release day ${index}`,
  category: index % 3 === 0 ? "daily" : "core",
  bytes: 24,
  storedAt: now - index * 3_600_000,
  ...(index % 2 === 0 ? { caller: "maria" } : {}),
  ...(index % 4 === 0 ? { agent: "billing-agent" } : {}),
  ...(index === 1 ? { expiresAt: now + 86_400_000, runId: "run_1" } : {}),
  content: "Releases are on Tuesdays.\n",
}));

/** The entries that a query of the API selects. */
export function findMemory(query: URLSearchParams): readonly MemoryDetails[] {
  const words = query.get("q");
  const owner = query.get("owner");
  const found = memory.filter(
    ({ key, caller = null, agent = null }) =>
      (words === null || key.includes(words)) &&
      (owner === null || owner === JSON.stringify([caller, agent])),
  );
  return words === null && owner === null ? found.slice(0, 120) : found.slice(0, 100);
}

/** Entries of the audit, newest first. */
export function makeAudit(tools: readonly ToolRow[]): readonly AuditRow[] {
  return Array.from({ length: 250 }, (_, index) => ({
    seq: 250 - index,
    time: now - index * 61_000,
    type: "decision",
    tool: tools[index]?.name ?? "tool",
    runId: `run_${index % 40}`,
    callId: `call_${index}`,
    caller: index % 2 === 0 ? "jo" : "acme/kim",
    ...(index % 2 === 0 ? { agent: "desk" } : {}),
    from: "serve",
    ...(index % 3 === 0
      ? {
          decision: index % 6 === 0 ? "approved" : "denied",
          by: "jo",
          rule: "policy rules[2]",
          reason: "Orders are closed in December.",
        }
      : { decision: "allowed", reason: "supervised: reads run" }),
    hash: "5d41402abc4b2a76b9719d911017c592",
    entry: { type: "decision", tool: tools[index]?.name ?? "tool", attempt: 1 },
  }));
}
