import type { EventStream } from "../events/event-stream.ts";
import type { PolicyPreset } from "../policy/policy.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { SchemaCache } from "../schema/schema-cache.ts";
import type { Clock } from "./clock.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import type { ToolError } from "../tool-error.ts";
import type { Execution } from "./execution.ts";
import type { Hook } from "./hooks.ts";
import type { InFlight } from "./in-flight.ts";
import type { OnAsk } from "./on-ask.ts";
import type { PendingCalls } from "./pending-calls.ts";
import type { ToolExecutor } from "./tool-executor.ts";

/** What the stages share: an executor's settings and what lives as long as it does. */
export interface Engine {
  readonly executor: ToolExecutor;
  /** The pipeline, for calls that running tools make. */
  readonly execute: (execution: Execution) => Promise<ToolOutcome>;
  /** The pipeline's exit, for calls that are stopped while they wait. */
  readonly leave: (execution: Execution, reason: ToolError) => void;
  readonly registry: ToolRegistry;
  /** Every one must agree; narrower ones are added per call. */
  readonly policies: readonly PolicyPreset[];
  readonly onAsk: OnAsk;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly maxOutputBytes: number;
  readonly undeclaredArguments: "schema" | "strip" | "reject";
  /** By priority. */
  readonly hooks: readonly Hook[];
  readonly schemas: SchemaCache;
  readonly inFlight: InFlight;
  readonly events: EventStream;
  readonly pending: PendingCalls;
}
