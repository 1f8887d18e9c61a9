import { checkOptions } from "../check-options.ts";
import { EventStream } from "../events/event-stream.ts";
import type { PolicyInput } from "../policy/policy.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { ajvValidator } from "../schema/ajv-validator.ts";
import { SchemaCache } from "../schema/schema-cache.ts";
import type { SchemaValidator } from "../schema/schema-validator.ts";
import { ToolError } from "../tool-error.ts";
import { systemClock, type Clock } from "./clock.ts";
import type { Engine } from "./engine.ts";
import { execute, leave } from "./execute.ts";
import type { Hook } from "./hooks.ts";
import { InFlight } from "./in-flight.ts";
import type { OnAsk } from "./on-ask.ts";
import { PendingCalls } from "./pending-calls.ts";
import type { ToolExecutor } from "./tool-executor.ts";

/** What an executor is made with. Only the registry has no default. */
export interface ExecutorOptions {
  readonly registry: ToolRegistry;
  /** What may run, and what asks first. Default: `supervised`. */
  readonly policy?: PolicyInput;
  /** What happens when the policy asks. Default: `interrupt`. */
  readonly onAsk?: OnAsk;
  /** Host code around every call. */
  readonly hooks?: readonly Hook[];
  /** Milliseconds for one attempt of a tool that names no timeout. 0: none. Default: 60,000. */
  readonly timeoutMs?: number;
  /** No attempt gets more milliseconds than this. 0: no cap. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /** Bytes of content that a model gets of one result, in UTF-8. Default: 50,000. */
  readonly maxOutputBytes?: number;
  /** Arguments that the schema does not name: as the schema says (default), dropped, or refused. */
  readonly undeclaredArguments?: "schema" | "strip" | "reject";
  /** Default: Ajv, loaded when first needed. */
  readonly validator?: SchemaValidator;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

const optionNames: readonly string[] = [
  "registry",
  "policy",
  "onAsk",
  "hooks",
  "timeoutMs",
  "maxTimeoutMs",
  "maxOutputBytes",
  "undeclaredArguments",
  "validator",
  "clock",
] satisfies readonly (keyof ExecutorOptions)[];

/**
 * What the stages share, made of an executor's options.
 *
 * @throws ToolError `internal` when an option makes no sense.
 */
export function engineOf(executor: ToolExecutor, options: ExecutorOptions): Engine {
  checkOptions("new ToolExecutor", options, optionNames);
  // Not by class: the registry may be of another copy of this package.
  if (typeof options.registry?.toolset !== "function") {
    throw new ToolError(
      "internal",
      "new ToolExecutor needs a registry: { registry: new ToolRegistry([…]) }.",
    );
  }
  const clock = options.clock ?? systemClock;
  return {
    executor,
    execute,
    leave,
    registry: options.registry,
    policies: [preset(options.policy ?? "supervised")],
    onAsk: options.onAsk ?? "interrupt",
    clock,
    timeoutMs: atLeastZero("timeoutMs", options.timeoutMs ?? 60_000),
    maxTimeoutMs: atLeastZero("maxTimeoutMs", options.maxTimeoutMs ?? 600_000),
    maxOutputBytes: atLeastZero("maxOutputBytes", options.maxOutputBytes ?? 50_000),
    undeclaredArguments: options.undeclaredArguments ?? "schema",
    // `sort` is stable: ties stay in order of registration.
    hooks: [...(options.hooks ?? [])].sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0)),
    schemas: new SchemaCache(options.validator ?? ajvValidator()),
    inFlight: new InFlight(clock),
    events: new EventStream(clock),
    pending: new PendingCalls(),
  };
}

function preset(policy: PolicyInput): PolicyInput {
  if (["readOnly", "supervised", "autonomous", "strict"].includes(policy)) return policy;
  throw new ToolError(
    "internal",
    `"${String(policy)}" is no policy: use readOnly, supervised, autonomous or strict.`,
  );
}

function atLeastZero(option: string, value: number): number {
  if (value >= 0) return value;
  throw new ToolError("internal", `${option} is ${value}; use 0 or more.`);
}
