import type { PermissionRequest } from "../contract/policy-definition.ts";
import type { ToolError } from "../contract/tool-error.ts";
import type { ToolContext, ToolProgress } from "../contract/tool.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { JsonObject } from "../json/json.ts";

/** A request to a thread, which does one thing at a time. */
export interface ThreadRequest {
  readonly type: "call" | "preflight";
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: Partial<
    Pick<
      ToolContext<unknown>,
      | "callId"
      | "runId"
      | "turnId"
      | "sessionId"
      | "caller"
      | "attempt"
      | "injected"
      | "permissions"
    >
  >;
  readonly idempotencyKey: string;
}

/** A tool of a thread's module. */
export interface ThreadTool {
  readonly spec: ToolSpec;
  readonly hasPreflight: boolean;
  /** The thread alone validates the arguments. */
  readonly validatesArguments: boolean;
}

/** A `ToolError` as data, without its cause. */
export type ErrorData = Pick<
  ToolError,
  "code" | "message" | "retryable" | "audience" | "status" | "body" | "retryAfterMs"
>;

/** A message of a thread. `idle` follows the answer to a request when the tool has settled, too. */
export type ThreadMessage =
  | { readonly type: "tools"; readonly tools: readonly ThreadTool[] }
  | { readonly type: "update"; readonly output: ToolOutput }
  | { readonly type: "progress"; readonly progress: ToolProgress }
  | { readonly type: "answer"; readonly answer: ToolOutput | readonly PermissionRequest[] }
  | { readonly type: "error"; readonly error: ErrorData; readonly output?: ToolOutput }
  | { readonly type: "idle" };
