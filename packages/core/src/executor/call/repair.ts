import type { Awaitable, JsonObject } from "../../json/json.ts";
import type { ToolSpec } from "../../contract/tool-spec.ts";
import type { ToolError } from "../../contract/tool-error.ts";

/** Arguments that are not valid, for whoever can tell what was meant. */
export interface RepairRequest {
  readonly callId: string;
  readonly spec: ToolSpec;
  /** As the model sent them: the text when it sent one, else a frozen copy. */
  readonly arguments: string | JsonObject;
  /** What is wrong with them, as the model would read it. */
  readonly error: ToolError;
}

/**
 * Gives other arguments in place of those that are not valid; nothing when it knows none. They are
 * stripped and validated like a model's, once: when they are not valid either, when it throws, and
 * when it outlasts `hookTimeoutMs`, the model reads what was wrong with its own.
 */
export type Repair = (request: RepairRequest) => Awaitable<JsonObject | string | undefined>;
