import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "./call-state.ts";

/** A call that should wait for a person cannot: what it would be kept with is no JSON. */
export function notSerializableError({ call }: CallState, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${call.name} has to wait for a person, but its schemas, arguments or requests are not plain JSON, so that it cannot be put aside.`,
    { cause },
  );
}
