import type { LimitedRun } from "../../limits/limited-call.ts";
import type { SecretRedactor } from "../../redaction/secret-redactor.ts";
import type { ToolError } from "../../contract/tool-error.ts";
import type { DurableRun } from "./durable-run.ts";
import type { CallIds } from "./call-ids.ts";
import type { Toolset } from "../../contract/tool.ts";

/** The run of a call, as the pipeline uses it. */
export interface RunState extends LimitedRun {
  /** The executor of the run. Only this executor resumes the calls of the run. */
  readonly executor: object;
  readonly injected: unknown;
  /** Also redacts the secrets that the run injects; set when a tool first receives them. */
  redactor: SecretRedactor | undefined;
  /** Tools that a delegating tool may call. */
  readonly delegateScope: "toolset" | "policy" | undefined;
  /** Values that tools find as `ctx.scope.inheritedContext`. */
  readonly inheritedContext: ReadonlyMap<symbol, unknown> | undefined;
  /** Set when each of its calls starts at most once. */
  readonly durable: DurableRun | undefined;
  /** Base64 that is neither image nor sound stays in the result. */
  readonly inlineBinary: boolean;
  /** Time at which the run's duration is used up, in milliseconds since the epoch; Infinity: never. */
  readonly endsAt: number;
  /** The tools that may be called now. */
  readonly toolset: Toolset;
  /** The toolset for resuming a call of that tool, whatever the run lists now. */
  toolsetFor(name: string): Toolset;
  /** The ids of its calls. */
  readonly callIds: CallIds;
  /** Cancels all calls of the run, current and future. */
  cancel(reason?: string): void;
  /** The run was disposed of: calls that wait for approval are resumed in another one. */
  readonly ended: boolean;
  /** The error with which all calls of the run are stopped; `undefined`: the run is active. */
  readonly stopped: ToolError | undefined;
  /** The same for tasks, which continue when the run is disposed of. */
  readonly cancelled: ToolError | undefined;
}
