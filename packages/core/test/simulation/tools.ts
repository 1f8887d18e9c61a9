import {
  suspend,
  text,
  type Interruption,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type PermissionRequest,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolOutcome,
  type ToolSpec,
} from "@toolweave/core";
import { foreignTool, tool } from "../support/executor-for.ts";
import { sentArguments } from "./calls.ts";
import { ending, flipping, passOn, question, type Attempt } from "./endings.ts";
import type { Host } from "./host.ts";
import type { Step, ToolPlan } from "./plan.ts";
import { thenable } from "./thenable.ts";
import { forged, secret } from "./environment.ts";

const inputs: Readonly<Record<ToolPlan["input"], JsonSchema>> = {
  any: { type: "object" },
  number: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  closed: { type: "object", properties: { n: {} }, additionalProperties: false },
  broken: { type: "object", properties: { n: { $ref: "https://other.example/n" } } },
};
const outputs: Readonly<Record<ToolPlan["output"], JsonSchema | undefined>> = {
  none: undefined,
  kept: {},
  violated: { type: "object", required: ["never"] },
  broken: { $ref: "https://other.example/n" },
  warning: { type: "object", required: ["never"] },
};
const annotations: Readonly<Record<ToolPlan["hints"], ToolAnnotations>> = {
  none: {},
  reads: { readOnlyHint: true },
  idempotent: { idempotentHint: true, destructiveHint: false },
  destroys: { destructiveHint: true },
  needsApproval: { needsApprovalHint: true },
  spends: { access: { spend: true } },
};

/** The tool of a plan. `host` records everything that it does. */
export function createTool(host: Host, plan: ToolPlan, at: number): Tool {
  const name = `t${at}`;
  const retry =
    plan.attempts === undefined
      ? {}
      : { retry: { attempts: plan.attempts, initialDelayMs: 10, retryNonIdempotent: true } };
  const outputSchema = outputs[plan.output];
  const common = {
    annotations: annotations[plan.hints],
    ...(plan.injected === "none"
      ? {}
      : {
          injected: [
            { name: "tenant", required: plan.injected === "required", secret: true },
            { name: "region" },
          ],
        }),
    ...(plan.timeoutMs === undefined ? {} : { timeoutMs: plan.timeoutMs }),
    ...(plan.execution === "inline" ? {} : { execution: plan.execution }),
    ...retry,
  };
  const invoke = (args: JsonObject, ctx: ToolContext): unknown => work(host, plan, at, args, ctx);
  const preflight = createPreflight(host, plan, name);
  const made =
    plan.from === "own"
      ? tool(name, invoke, {
          ...common,
          input: inputs[plan.input],
          ...(outputSchema === undefined ? {} : { output: outputSchema }),
          ...(preflight === undefined ? {} : { preflight }),
          ...(plan.asks === "never"
            ? {}
            : { needsApproval: plan.asks === "always" ? true : ({ n }) => n === 1 }),
        })
      : foreignTool(name, {
          spec: {
            ...common,
            inputSchema: inputs[plan.input],
            ...(outputSchema === undefined ? {} : { outputSchema }),
          } as Partial<ToolSpec>,
          invoke: invoke as Tool["invoke"],
          ...(preflight === undefined ? {} : { preflight }),
        });
  return {
    ...made,
    ...(plan.output === "warning" ? { outputValidation: "warning" } : {}),
    ...(plan.unavailable ? { availability: { status: "unavailable", reason: "it is away" } } : {}),
    ...(plan.validate === "none" ? {} : { validate: validates(host, plan.validate) }),
  };
}

function validates(host: Host, kind: ToolPlan["validate"]): NonNullable<Tool["validate"]> {
  return () => {
    if (kind === "throws") throw new Error("No.", { cause: secret });
    if (kind === "slow") return host.environment.wait(3).then(() => undefined);
    return kind === "refuses" ? [{ path: "/n", message: "is no good" }] : undefined;
  };
}

function createPreflight(host: Host, { preflight }: ToolPlan, name: string): Tool["preflight"] {
  if (preflight === "none") return undefined;
  const says = (kind: string, details?: JsonValue): PermissionRequest => ({
    kind,
    target: name,
    summary: `${kind} by ${name}`,
    ...(details === undefined ? {} : { details }),
  });
  return (_, { injected, signal }) => {
    if (JSON.stringify(injected ?? {}).includes(secret)) {
      host.environment.violation(`the preflight of ${name} got a secret value`);
    }
    switch (preflight) {
      case "reads":
        return [says("fs.read")];
      case "spends":
        return [says("spend", { amount: 4 })];
      case "delegates":
        return [says("delegate")];
      case "runs":
        return [says("process", { command: "ls" })];
      case "many":
        return [says("network"), says("spend", { amount: 2 }), says("spend", { amount: 3 })];
      case "unsaid":
        return [says("spend")];
      case "throws":
        throw host.environment.next() % 2 === 0
          ? flipping(host.environment.next(), "permission_denied")
          : new Error("I do not know.", { cause: secret });
      case "hangs":
        // An object with a `then` that never answers, not even whether to wait.
        return thenable(() => undefined);
      case "slow":
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve([]));
          void host.environment.wait(12).then(() => resolve([says("custom.slow")]));
        });
      default:
        return [{ kind: 1 }, null] as never;
    }
  };
}

function work(host: Host, plan: ToolPlan, at: number, args: JsonObject, ctx: ToolContext): unknown {
  host.invoked(ctx);
  if (plan.injected !== "none" && JSON.stringify(args).includes(forged)) {
    host.environment.violation(`${ctx.toolName} got a forged value`);
  }
  const attempt: Attempt = { host, plan, at, args, ctx, waiting: [] };
  if (ctx.resumed !== undefined) return continueSuspended(attempt);
  const takesTime = plan.steps.some((step) => step.do === "wait" || step.do === "call");
  if (!takesTime) {
    for (const step of plan.steps) void take(attempt, step);
    return ending(attempt, plan.end);
  }
  return (async () => {
    for (const step of plan.steps) {
      const taken = take(attempt, step);
      if (taken !== undefined) await taken;
    }
    return ending(attempt, plan.end);
  })();
}

function take(attempt: Attempt, step: Step): Promise<unknown> | undefined {
  const { host, ctx, args } = attempt;
  const { environment } = host;
  switch (step.do) {
    case "wait":
      if (!step.listens) return environment.wait(step.ms);
      return new Promise((resolve, reject) => {
        ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason as Error));
        void environment.wait(step.ms).then(resolve);
      });
    case "update":
      return host.whileStale(ctx, () => ctx.update({ content: [text("so far")] }));
    case "progress":
      return host.whileStale(ctx, () => ctx.progress({ done: 1, total: 2 }));
    case "checkpoint":
      return void ctx.checkpoint({ secret });
    case "mutate":
      Object.assign(args, { mutated: true });
      return undefined;
    case "cancel":
      // The host's own code, which learns of the tool's end from the tool.
      return void ctx.signal.addEventListener("abort", () => host.cancel(ctx.runId));
    case "abort":
      return void ctx.signal.addEventListener("abort", () => {
        for (const controller of environment.controllers) controller.abort();
      });
    case "call":
      return callOthers(attempt, step);
  }
}

/** The nested calls of a tool: only of tools after it, so that they end. */
async function callOthers(
  { host, at, ctx, waiting }: Attempt,
  { call, times, narrow, only, awaited }: Extract<Step, { do: "call" }>,
): Promise<void> {
  const behind = host.toolNames.slice(at + 1);
  const name = behind[call.tool % Math.max(1, behind.length)] ?? "nothing";
  const policy = {
    no: undefined,
    deny: { rules: [{ effect: "deny", tools: ["t4"] }] },
    ask: { rules: [{ effect: "ask" }] },
    function: () => "allow",
    misuse: { no: "policy" },
  }[narrow];
  const made = Array.from({ length: times }, () => {
    const id = `n${host.environment.next()}`;
    if (narrow === "misuse" || (narrow === "deny" && name === "t4") || host.isStale(ctx)) {
      host.refused.add(id);
    }
    return host.outcome(
      ctx.scope.execute(
        { id, name, arguments: sentArguments(call.sent) as JsonObject },
        {
          ...(policy === undefined ? {} : { narrow: policy as never }),
          ...(only ? { toolset: host.executor.toolset.select({ include: [name] }) } : {}),
        },
      ),
      id,
      `${ctx.callId} → ${name}`,
    );
  });
  if (awaited) waiting.push(...waitingAmong(await Promise.all(made)));
}

function waitingAmong(outcomes: readonly ToolOutcome[]): readonly Interruption[] {
  return outcomes.flatMap((outcome) =>
    outcome.status === "interrupted" ? [outcome.interruption] : [],
  );
}

/** The behavior of a tool that was suspended: the executor decides whether it may run. */
async function continueSuspended({ host, plan, ctx, waiting }: Attempt): Promise<unknown> {
  const state = ctx.resumed?.state as unknown;
  const carried = Array.isArray(state) ? (state as Interruption[]) : [];
  for (const one of carried) {
    const outcome = await host.outcome(
      host.resuming(one.call.id, () => ctx.scope.resume(one)),
      one.call.id,
      `${ctx.callId} resumes ${one.call.name}`,
    );
    waiting.push(...waitingAmong([outcome]));
  }
  if (waiting.length > 0) return passOn(waiting);
  if (plan.end === "asksAgain" && ctx.attempt < 4) return suspend([question("again")], { secret });
  return `went on with ${String(ctx.resumed?.answers.length)} answers`;
}
