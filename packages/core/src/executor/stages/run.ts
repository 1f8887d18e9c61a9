import { isThenable, type Awaitable, type JsonObject } from "../../spec/json.ts";
import { ToolError } from "../../tool-error.ts";
import type { Execution } from "../execution.ts";
import { ExecutionContext } from "../tool-context.ts";

/** Stage 8, second half: the tool's own work, under its timeout. Answers with what the tool does. */
export function run(execution: Execution): Awaitable<unknown> {
  const { engine, tool } = execution;
  const timeout = timeoutOf(execution);
  // Cancelled by one of the checks before, or by whoever was told of them.
  if (execution.run.stopped !== undefined) throw execution.run.stopped;
  execution.attempt = execution.resumption?.attempt ?? 1;
  execution.startedAt = engine.clock.now();
  if (engine.events.active) started(execution);
  const returned = tool.invoke(execution.args as JsonObject, new ExecutionContext(execution));
  if (!isThenable(returned)) return void (execution.returned = returned);
  execution.attemptMs = timeout;
  return returned;
}

function started(execution: Execution): void {
  execution.engine.events.emitCall(execution, {
    type: "tool.started",
    attempt: execution.attempt,
    ...(execution.discarded === undefined ? {} : { discarded: execution.discarded }),
  });
}

/** The tool's own timeout, else the default; the host's call may shorten it; the maximum caps it. */
function timeoutOf({ engine, tool, timeoutMs }: Execution): number {
  const own = tool.spec.timeoutMs;
  if (own !== undefined && !(own >= 0)) {
    throw new ToolError(
      "internal",
      `${tool.spec.name} declares a timeout of ${own} ms; use 0 for none.`,
    );
  }
  return shorter(shorter(own ?? engine.timeoutMs, timeoutMs ?? 0), engine.maxTimeoutMs);
}

/** The shorter of two timeouts, of which 0 is none. */
function shorter(a: number, b: number): number {
  if (!(a > 0)) return b > 0 ? b : 0;
  return b > 0 && b < a ? b : a;
}
