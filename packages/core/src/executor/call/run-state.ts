import type { LimitedRun } from "../../limits/limited-call.ts";
import type { SecretRedactor } from "../../redaction/secret-redactor.ts";
import type { ToolError } from "../../contract/tool-error.ts";
import type { Toolset } from "../../contract/tool.ts";

/** What the pipeline knows of the run of a call. */
export interface RunState extends LimitedRun {
  /** The executor of the run: an interrupted call is resumed by no other one. */
  readonly executor: object;
  readonly injected: unknown;
  /** Removes the secrets that the run injects, too; set when a tool first gets them. */
  redactor: SecretRedactor | undefined;
  /** What tools that delegate may call. */
  readonly reach: "toolset" | "policy" | undefined;
  /** What tools find as `ctx.scope.inherited`. */
  readonly inherited: ReadonlyMap<symbol, unknown> | undefined;
  /** Base64 that is no image and no sound stays where a tool put it. */
  readonly embedsBinary: boolean;
  /** Milliseconds since the epoch at which the time of the run is used up; Infinity: never. */
  readonly endsAt: number;
  /** The tools that may be called now. */
  readonly toolset: Toolset;
  /** What a call of that name which has waited may use, whatever the run lists now. */
  toolsetFor(name: string): Toolset;
  /** Cancels all calls of the run, and those to come. */
  cancel(reason?: string): void;
  /** The run was disposed of: calls that wait for approval are resumed in another one. */
  readonly ended: boolean;
  /** Why no call of the run goes on. */
  readonly stopped: ToolError | undefined;
  /** The same for tasks, which go on when the run is disposed of. */
  readonly cancelled: ToolError | undefined;
}
