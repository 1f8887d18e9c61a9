import type { Awaitable } from "../../spec/json.ts";
import type { Execution } from "../execution.ts";

/** Between stages 7 and 8: a call that is a task answers with its id, and goes on by itself. */
export function detach(_execution: Execution): Awaitable<void> {}
