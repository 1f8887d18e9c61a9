import {
  defineTool,
  suspend,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  type Interruption,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolEvent,
  type ToolOutcome,
} from "@toolweave/core";
import { inFullRun } from "@toolweave/test-support";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SpanBuilder, type RunDetails, type Span, type SpanState } from "../../src/spans.ts";

/** The behaviour of a call. */
interface Plan {
  readonly id: string;
  readonly end: "ok" | "error" | "answers_error" | "cancel" | "invalid";
  /** Attempts that fail before the last one. */
  readonly failures: number;
  readonly approval: "none" | "approve" | "reject" | "leave";
  readonly isTask: boolean;
  readonly nested: readonly Plan[];
}

const planArbitrary = fc.letrec<{ plan: Omit<Plan, "id"> }>((tie) => ({
  plan: fc.record({
    end: fc.constantFrom("ok", "ok", "ok", "error", "answers_error", "cancel", "invalid"),
    failures: fc.constantFrom(0, 0, 0, 1, 2),
    approval: fc.constantFrom("none", "none", "none", "approve", "reject", "leave"),
    isTask: fc.boolean(),
    nested: fc.oneof(
      { depthSize: "small", maxDepth: 2, withCrossShrink: true },
      fc.constant([]),
      fc.array(tie("plan"), { maxLength: 3 }),
    ),
  }) as fc.Arbitrary<Omit<Plan, "id">>,
})).plan;

/** Names the calls, and leaves out what a nested call of the test cannot do. */
function toPlan(given: Omit<Plan, "id">, id: string, isNested: boolean): Plan {
  const { end, approval, isTask, nested } = given;
  return {
    ...given,
    id,
    end: isNested && end === "cancel" ? "error" : end,
    approval: isNested ? "none" : approval,
    isTask: isTask && !isNested,
    nested: nested.map((plan, index) => toPlan(plan, `${id}.${index}`, true)),
  };
}

/** An execution: the events of the executor, and the outcomes of the calls. */
class Execution {
  readonly events: ToolEvent[] = [];
  readonly outcomes: Map<string, ToolOutcome> = new Map();
  readonly attempts: Map<string, number> = new Map();
  readonly waits: Map<string, number> = new Map();
  readonly parents: Map<string, string> = new Map();
  readonly plans: Map<string, Plan> = new Map();
  readonly #cancels = new Map<string, AbortController>();
  readonly #executor: ToolExecutor;

  constructor() {
    const input = {
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
    } as const;
    const tool = (name: string, execution: "inline" | "task"): Tool =>
      defineTool({
        name,
        description: "Does what its plan says.",
        input,
        execution,
        annotations: { idempotentHint: true },
        needsApproval: ({ id }) => this.plans.get(id)?.approval !== "none",
        execute: ({ id }, context) => this.#run(this.plans.get(id) as Plan, context),
      });
    this.#executor = new ToolExecutor({
      registry: new ToolRegistry([tool("step", "inline"), tool("job", "task")]),
      retry: { attempts: 4, initialDelayMs: 0 },
      eventPayloads: true,
    });
    this.#executor.on((event) => this.events.push(event));
  }

  async call(plan: Plan): Promise<void> {
    this.#add(plan);
    const { id, isTask, end, approval } = plan;
    const cancel = new AbortController();
    this.#cancels.set(id, cancel);
    const call = { id, name: isTask ? "job" : "step", arguments: toArguments(plan) };
    const options = end === "cancel" && !isTask ? { signal: cancel.signal } : {};
    let outcome = await this.#executor.execute(call, options);
    if (outcome.status === "interrupted") {
      this.waits.set(id, 1);
      if (approval === "leave") return void this.outcomes.set(id, outcome);
      const type = approval === "approve" ? "approve" : "reject";
      outcome = await this.#executor.resume(outcome.interruption, [{ type, by: "ada" }], options);
    }
    const taskId = outcome.result?.taskId;
    if (taskId !== undefined) {
      outcome = (await this.#executor.tasks.result(taskId)) as ToolOutcome;
    }
    this.outcomes.set(id, outcome);
  }

  #add(plan: Plan, parent?: string): void {
    this.plans.set(plan.id, plan);
    if (parent !== undefined) this.parents.set(plan.id, parent);
    for (const nested of plan.nested) this.#add(nested, plan.id);
  }

  async #run(plan: Plan, { attempt, scope, signal, taskId }: ToolContext): Promise<unknown> {
    const { id, end, failures, nested } = plan;
    this.attempts.set(id, attempt);
    if (attempt <= failures) throw new ToolError("unavailable", "Again.", { retryable: true });
    for (const below of nested) {
      const call = { id: below.id, name: "step", arguments: toArguments(below) };
      this.outcomes.set(below.id, await scope.execute(call));
    }
    if (end === "cancel") {
      if (taskId === undefined) this.#cancels.get(id)?.abort();
      else void this.#executor.tasks.cancel(taskId);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    if (end === "error") throw new Error("It broke.");
    if (end === "answers_error") return { content: [], isError: true };
    return `done ${id}`;
  }
}

function toArguments({ id, end }: Plan): JsonObject {
  return end === "invalid" ? {} : { id };
}

function expectedState({ status, error }: ToolOutcome): readonly SpanState[] {
  if (status === "interrupted") return ["waiting"];
  if (error === undefined) return ["ok"];
  if (error.code === "cancelled") return ["cancelled"];
  return error.code === "invalid_arguments" || error.code === "approval_rejected"
    ? ["rejected"]
    : ["error"];
}

function getRuns(events: readonly ToolEvent[]): readonly RunDetails[] {
  const spans = new SpanBuilder({ maxSilenceMs: Infinity });
  for (const event of events) spans.add(event);
  return spans.runs().map(({ runId }) => spans.details(runId) as RunDetails);
}

test("the spans of random executions agree with the outcomes of their calls", async () => {
  const property = fc.asyncProperty(
    fc.array(planArbitrary, { minLength: 1, maxLength: 4 }),
    async (given) => {
      const execution = new Execution();
      const plans = given.map((plan, index) => toPlan(plan, `c${index}`, false));
      await Promise.all(plans.map((plan) => execution.call(plan)));
      const runs = getRuns(execution.events);
      const calls = runs.flatMap(({ spans }) => spans.filter(({ kind }) => kind === "call"));
      const byCallId = new Map(calls.map((span) => [span.callId, span]));
      expect(calls.length).toBe(execution.outcomes.size);
      for (const [id, outcome] of execution.outcomes) {
        const { spans } = runs.find((run) =>
          run.spans.some(({ callId }) => callId === id),
        ) as RunDetails;
        const call = byCallId.get(id) as Span;
        expect([id, [call.state]]).toEqual([id, expectedState(outcome)]);
        expect(call.code).toBe(outcome.status === "interrupted" ? undefined : outcome.error?.code);
        expect(call.to === undefined).toBe(outcome.status === "interrupted");
        const below = spans.filter(({ parent, kind }) => parent === call.id && kind !== "call");
        const ofKind = (kind: Span["kind"]): readonly Span[] =>
          below.filter((span) => span.kind === kind);
        const attempts = execution.attempts.get(id) ?? 0;
        expect(ofKind("attempt").length).toBe(attempts > 1 ? attempts : 0);
        expect(ofKind("attempt").map(({ attempt }) => attempt)).toEqual(
          attempts > 1 ? Array.from({ length: attempts }, (_, index) => index + 1) : [],
        );
        expect(ofKind("retry").length).toBe(Math.max(0, attempts - 1));
        const waits = ofKind("wait");
        expect(waits.length).toBe(execution.waits.get(id) ?? 0);
        for (const { by, state } of waits) {
          expect(by).toBe(state === "waiting" ? undefined : "ada");
        }
        const parent = execution.parents.get(id);
        expect(call.parent).toBe(parent === undefined ? undefined : byCallId.get(parent)?.id);
        const hasOutput = outcome.status === "completed";
        expect(call.output === undefined).toBe(!hasOutput);
      }
      for (const { spans, calls: count, failed, waiting, missingEvents, endedAt } of runs) {
        const own = spans.filter(({ kind }) => kind === "call");
        const countStates = (state: SpanState): number =>
          own.filter((span) => span.state === state).length;
        expect([count, failed, waiting, missingEvents]).toEqual([
          own.length,
          countStates("error") + countStates("rejected"),
          countStates("waiting"),
          0,
        ]);
        expect(endedAt === undefined).toBe(waiting > 0);
        expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
        const places = new Map(spans.map((span, index) => [span.id, { span, index }]));
        for (const [index, { from, to = Infinity, parent }] of spans.entries()) {
          const above = places.get(parent ?? "");
          const period: Pick<Span, "from" | "to"> = above?.span ?? { from: -Infinity };
          // A parent comes before its children, and contains them.
          expect([from <= to, period.from <= from, to <= (period.to ?? Infinity)]).toEqual([
            true,
            true,
            true,
          ]);
          expect(above?.index ?? -1).toBeLessThan(index);
        }
      }
    },
  );
  await fc.assert(property, { numRuns: inFullRun(300, 40) });
});

test("a call that passes on the question of a nested call has a wait of its own", async () => {
  const ask = defineTool({
    name: "ask",
    description: "Asks first.",
    input: { type: "object" },
    needsApproval: true,
    execute: () => "asked",
  });
  const outer = defineTool({
    name: "outer",
    description: "Calls the other.",
    input: { type: "object" },
    execute: async (_, { scope, resumed }) => {
      const interruption = resumed?.state as unknown as Interruption | undefined;
      const outcome =
        interruption === undefined
          ? await scope.execute({ id: "inner", name: "ask", arguments: {} })
          : await scope.resume(interruption);
      return outcome.status === "interrupted"
        ? suspend(outcome.interruption.requests, outcome.interruption as never)
        : "done";
    },
  });
  const executor = new ToolExecutor({ registry: new ToolRegistry([ask, outer]) });
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  const outcome = await executor.execute({ id: "outer", name: "outer", arguments: {} });
  if (outcome.status !== "interrupted") throw new Error(`It is ${outcome.status}.`);
  const kinds = (spans: readonly Span[]): readonly string[] =>
    spans.map(({ callId, kind, state }) => `${callId} ${kind} ${state}`).sort();
  expect(getRuns(events).map(({ spans }) => kinds(spans))).toEqual([
    ["inner call waiting", "inner wait waiting", "outer call waiting", "outer wait waiting"],
  ]);
  const resumed = await executor.resume(outcome.interruption, [{ type: "approve" }]);
  expect(resumed.ok).toBe(true);
  expect(getRuns(events).map(({ spans }) => kinds(spans))).toEqual([
    ["inner call ok", "inner wait ok", "outer call ok", "outer wait ok"],
  ]);
});
