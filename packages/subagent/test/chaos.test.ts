import { FakeClock } from "@toolweave/test-support/fake-clock";
import fc from "fast-check";
import { recordUnhandledRejections } from "@toolweave/test-support/unhandled-rejections";
import { beforeEach, expect, test } from "vitest";
import { suspend, type Tool, type ToolEvent } from "@toolweave/core";
import {
  resumeAgent,
  runAgent,
  subAgentTool,
  type AgentEvent,
  type AgentResult,
} from "@toolweave/subagent";
import { executorFor, recorded, tool } from "./support/executor-for.ts";
import { scriptedModel, type Said, type Script } from "./support/scripted-model.ts";

let unhandled: readonly unknown[] = [];
beforeEach(() => {
  unhandled = recordUnhandledRejections();
});

/** The behavior of tools, by name. */
const behaviours: Readonly<Record<string, (clock: FakeClock) => Tool>> = {
  answers: () => tool("answers"),
  throws: () =>
    tool("throws", () => {
      throw new Error("no");
    }),
  hangs: () => tool("hangs", () => new Promise(() => {}), { timeoutMs: 300 }),
  takes: (clock) =>
    tool("takes", () => new Promise((resolve) => clock.setTimeout(() => resolve("late"), 50))),
  asks: () =>
    tool("asks", (_, { resumed }) =>
      resumed === undefined ? suspend([{ id: "q", type: "input", message: "?" }], null) : "told",
    ),
  approved: () => tool("approved", () => "ran", { needsApproval: true }),
};
const names = [...Object.keys(behaviours), "child", "missing"];

/** One turn of a model: its output, or its error. */
const turn = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      text: fc.constantFrom("", "words of a model"),
      calls: fc.array(
        fc.record({
          id: fc.constantFrom("1", "2", ""),
          name: fc.constantFrom(...names),
          input: fc.oneof(
            { weight: 4, arbitrary: fc.constant({ task: "x" }) },
            { weight: 1, arbitrary: fc.constantFrom("{", "[]", {}) },
          ),
        }),
        { maxLength: 4 },
      ),
      finish: fc.oneof(
        { weight: 6, arbitrary: fc.constant("tool-calls") },
        { weight: 1, arbitrary: fc.constantFrom("stop", "length", "error") },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom("throws", "passes", "hangs", "breaks off") },
);
type Turn = Said | string;

function createScript(turns: readonly Turn[]): Script {
  return ({ turn }) => {
    const said = turns[turn % turns.length] ?? {};
    if (typeof said !== "string") return said;
    if (said === "hangs") return new Promise(() => {});
    if (said === "breaks off") return { finish: "interrupted" };
    throw Object.assign(new Error(said), { isRetryable: said === "passes" });
  };
}

/** The number of starts and ends of calls. */
function ends(events: readonly ToolEvent[]): { readonly begun: number; readonly ended: number }[] {
  const calls = new Map<string, { begun: number; ended: number }>();
  for (const event of events) {
    if (!("callId" in event)) continue;
    const key = `${event.parentCallId ?? ""} ${event.callId}`;
    const call = calls.get(key) ?? { begun: 0, ended: 0 };
    if (event.type === "tool.started") call.begun += 1;
    if (/^tool\.(?:completed|failed|suspended)$/.test(event.type)) call.ended += 1;
    calls.set(key, call);
  }
  return [...calls.values()];
}

test("whatever models, tools and people do, every call that starts has one end, and every agent a result", async () => {
  const seen = new Set<AgentResult["status"]>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 4 }),
      fc.array(turn, { minLength: 1, maxLength: 3 }),
      fc.record({
        turns: fc.constantFrom(1, 3, 6, 12),
        toolCalls: fc.constantFrom(1, 5, 20, 20),
      }),
      fc.option(fc.integer({ min: 0, max: 3000 }), { freq: 2 }),
      fc.boolean(),
      async (top, below, limits, cancelAt, isYes) => {
        const clock = new FakeClock();
        const child = (name: string, maxDepth: number): Tool =>
          subAgentTool({
            name,
            description: "Works.",
            system: "Work.",
            model: scriptedModel(createScript(below as Turn[])),
            tools: ["*"],
            limits: { turns: 3, durationMs: 5000 },
            maxDepth,
          });
        const tools = Object.values(behaviours).map((make) => make(clock));
        const executor = executorFor([...tools, child("child", 2)], { clock });
        const recordedEvents = recorded(executor);
        const received: AgentEvent[] = [];
        const controller = new AbortController();
        const options = {
          model: scriptedModel(createScript(top as Turn[])),
          executor,
          limits: { ...limits, durationMs: 20_000 },
          signal: controller.signal,
          onEvent: (event: AgentEvent): void => void received.push(event),
        };
        const settle = async (running: Promise<AgentResult>): Promise<AgentResult> => {
          if (cancelAt !== null) {
            await clock.advance(cancelAt);
            controller.abort();
          }
          await clock.advance(30_000);
          return running;
        };
        let result = await settle(runAgent({ ...options, prompt: "go" }));
        for (let asked = 0; result.status === "interrupted" && asked < 5; asked++) {
          seen.add("interrupted");
          const answers = Object.fromEntries(
            result.interruptions.map(({ id, requests }) => [
              id,
              requests.map(({ id: requestId, type }) =>
                isYes && type === "approval"
                  ? ({ type: "approve", requestId } as const)
                  : ({ type: "reject", requestId } as const),
              ),
            ]),
          );
          result = await settle(
            resumeAgent(JSON.parse(JSON.stringify(result.state)), answers, options),
          );
        }
        seen.add(result.status);
        await clock.advance(30_000);
        for (const { begun, ended } of ends(recordedEvents)) expect(ended).toBe(begun);
        const agents = received.filter(
          ({ type }) => type === "agent.started" || type === "agent.resumed",
        );
        expect(
          received.filter(({ type, depth }) => type === "agent.ended" && depth === 0),
        ).toHaveLength(agents.filter(({ depth }) => depth === 0).length);
        expect(result.usage.turns).toBeLessThanOrEqual(limits.turns);
        expect(result.usage.toolCalls).toBeLessThanOrEqual(limits.toolCalls);
        const called = new Set<string>();
        const answered = new Set<string>();
        for (const [at, { role, content }] of result.messages.entries()) {
          if (typeof content === "string") continue;
          for (const part of content) {
            if (part.type === "tool-call") called.add(`${at} ${part.toolCallId}`);
            if (part.type === "tool-result" && role === "tool")
              answered.add(`${at - 1} ${part.toolCallId}`);
          }
        }
        expect(result.status === "interrupted" ? called : answered).toEqual(called);
        expect(unhandled).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
  expect([...seen].sort()).toEqual(["cancelled", "completed", "failed", "interrupted", "stopped"]);
});
