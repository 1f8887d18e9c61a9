import type { Awaitable, JsonObject } from "../../json/json.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";
import type { ToolError } from "../../contract/tool-error.ts";

/** Arguments that are not valid, as the repair function receives them. */
export interface RepairRequest {
  readonly callId: string;
  readonly spec: ToolSpec;
  /** As the model sent them: the string when it sent one, otherwise a frozen copy. */
  readonly arguments: string | JsonObject;
  /** The validation error, as the model would read it. */
  readonly error: ToolError;
}

/**
 * Returns other arguments in place of those that are not valid, or nothing when it cannot repair them. They are
 * stripped and validated like a model's, once. If they are not valid either, if the function throws or exceeds
 * `hookTimeoutMs`, the model reads the error of its own arguments.
 */
export type Repair = (request: RepairRequest) => Awaitable<JsonObject | string | undefined>;
