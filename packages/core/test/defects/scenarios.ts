import { once } from "node:events";
import {
  suspend,
  ToolError,
  ToolExecutor,
  ToolRegistry,
  defineTool,
  type ExecutorOptions,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from "@toolweave/core";
import { memoryLedger, memoryPendingCalls, memoryTasks } from "@toolweave/core/stores";

/** Makes calls, and returns their outcomes. Steps may throw once it has returned. */
type Start = () => readonly Promise<unknown>[];

/** Prepares calls. Nothing throws meanwhile. */
export type Scenario = () => Start | Promise<Start>;

type Execute = (args: JsonObject, ctx: ToolContext) => unknown;

const key = "a key of at least thirty-two bytes";
const yes = [{ type: "approve" }] as const;
const answer = { content: [{ type: "text" as const, text: "amended" }] };

function tool(name: string, execute: Execute, more: object = {}): Tool {
  return defineTool({
    name,
    description: `The tool ${name}.`,
    input: { type: "object" } as const,
    ...more,
    execute: execute as never,
  });
}

function executorFor(tools: readonly Tool[], options: Partial<ExecutorOptions> = {}): ToolExecutor {
  const executor = new ToolExecutor({ registry: new ToolRegistry([...tools]), ...options });
  executor.on(() => {});
  return executor;
}

export const later = (ms = 1): Promise<void> => new Promise((done) => setTimeout(done, ms));

const slow = tool("t", async () => (await later(), { done: true }));
const failing = tool("t", async () => (await later(), Promise.reject(new Error("no"))));
const waiting = tool("t", (_, { signal }) => once(signal, "abort"));
const asking = tool("t", async () => (await later(), "paid"), { needsApproval: true });
const pieces = tool("t", async function* () {
  yield { type: "text", text: "a" };
  await later();
  yield { type: "text", text: "b" };
});
/** Calls another tool, and passes its question on. */
const outer = tool("outer", async (args, { scope, resumed }) => {
  const outcome =
    resumed === undefined
      ? await scope.execute({ id: "inner", name: "t", arguments: args })
      : await scope.resume(resumed.state as never);
  if (outcome.status !== "interrupted") return outcome.status;
  return suspend(outcome.interruption.requests, outcome.interruption as never);
});

let attempts = 0;
const flaky = tool(
  "t",
  async () => {
    await later();
    if (attempts++ % 2 === 0) throw new ToolError("unavailable", "Not now.", { retryable: true });
    return "ok";
  },
  { annotations: { idempotentHint: true }, retry: { attempts: 2 } },
);

function call(name = "t", id = "1"): { id: string; name: string; arguments: JsonObject } {
  return { id, name, arguments: { x: "y".repeat(2_000) } };
}

/** The outcome of a task that a call has started, or of the call itself. */
async function taskOutcome(executor: ToolExecutor, started: ToolOutcome): Promise<unknown> {
  const { taskId } = (started.result?.value ?? {}) as { taskId?: string };
  if (taskId === undefined) return started;
  // To read a result may fail; the task must end all the same.
  const result = (): Promise<unknown> => executor.tasks.result(taskId);
  return Promise.resolve().then(result).catch(result);
}

/** A call that waits for a person, and then continues. */
function resumedCall(executor: () => ToolExecutor, name = "t", asTask = false): Scenario {
  return async () => {
    const resuming = executor();
    const asked = await resuming.execute(call(name), { asTask });
    if (asked.status !== "interrupted") throw new Error(`The call is ${asked.status}.`);
    return () => {
      const resumed = resuming.resume(asked.interruption, yes);
      return [asTask ? resumed.then((outcome) => taskOutcome(resuming, outcome)) : resumed];
    };
  };
}

const hooks = [
  {
    beforeCall: async () => (await later(), undefined),
    afterCall: async () => (await later(), answer),
  },
  { beforeCall: async () => (await later(), { arguments: { y: 1 } }) },
];

/** Calls that wait in each of the ways in which a call can wait. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "a call": () => () => [executorFor([slow]).execute(call())],
  "a failing call": () => () => [executorFor([failing]).execute(call())],
  "a stream": () => () => [executorFor([pieces]).execute(call())],
  "a retried call": () => () => {
    attempts = 0;
    return [executorFor([flaky]).execute(call())];
  },
  "a timeout": () => () => [executorFor([waiting]).execute(call(), { timeoutMs: 5 })],
  "a deadline": () => () => [executorFor([waiting]).execute(call(), { deadlineMs: 5 })],
  "a cancelled call": () => () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 3);
    return [executorFor([waiting]).execute(call(), { signal: controller.signal })];
  },
  hooks: () => () => [executorFor([slow], { hooks }).execute(call())],
  "an approval": () => () => [
    executorFor([asking], { key, pendingCalls: memoryPendingCalls() }).execute(call()),
  ],
  "a resumed call": resumedCall(() =>
    executorFor([asking], { key, pendingCalls: memoryPendingCalls() }),
  ),
  "a nested call": () => () => [executorFor([outer, slow]).execute(call("outer"))],
  "a nested call with slots": () => () => {
    const executor = executorFor([outer, slow], { limits: { concurrency: { max: 1 } } });
    return [executor.execute(call("outer", "1")), executor.execute(call("outer", "2"))];
  },
  "a nested approval": () => () => [executorFor([outer, asking]).execute(call("outer"))],
  "a resumed nested call": resumedCall(() => executorFor([outer, asking]), "outer"),
  "a task": () => () => {
    const executor = executorFor([slow], { tasks: memoryTasks() });
    const started = executor.execute(call(), { asTask: true });
    return [started.then((outcome) => taskOutcome(executor, outcome))];
  },
  "a resumed task": resumedCall(() => executorFor([asking], { tasks: memoryTasks() }), "t", true),
  "a durable run": () => () => {
    const executor = executorFor([slow], { key, ledger: memoryLedger(), policy: "autonomous" });
    return [executor.startRun({ id: "r", durable: true }).execute(call())];
  },
  "a batch": () => () => {
    const run = executorFor([slow]).startRun({ limits: { calls: 50 } });
    return [run.executeAll([call("t", "1"), call("t", "2"), call("t", "2")])];
  },
  "slots and rates": () => () => {
    const limits = { concurrency: { max: 1 }, rates: [{ calls: 5, windowMs: 1_000 }] };
    const executor = executorFor([slow], { limits });
    return [executor.execute(call("t", "1")), executor.execute(call("t", "2"))];
  },
};
