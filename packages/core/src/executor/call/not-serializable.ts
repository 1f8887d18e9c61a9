import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "./call-state.ts";

/** Creates the error of a call that has to wait for a person, but whose state is not JSON. */
export function notSerializableError({ call }: CallState, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${call.name} has to wait for a person, but its schemas, arguments or requests are not plain JSON, so that it cannot be put aside.`,
    { cause },
  );
}
