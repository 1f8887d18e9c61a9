import { isThenable, type Awaitable, type JsonObject } from "../../spec/json.ts";
import type { ToolReturn } from "../../spec/tool.ts";
import { ToolError } from "../../tool-error.ts";
import type { Execution } from "../execution.ts";
import { ExecutionContext } from "../tool-context.ts";

/** Stage 8: the tool's own work, under its timeout. */
export function run(execution: Execution): Awaitable<void> {
  const { engine, tool } = execution;
  if (execution.stopped !== undefined) throw execution.stopped;
  const timeout = timeoutOf(execution);
  execution.attempt = execution.resumption?.attempt ?? 1;
  execution.startedAt = engine.clock.now();
  if (engine.events.active) started(execution);
  const returned = tool.invoke(execution.args as JsonObject, new ExecutionContext(execution));
  if (!isThenable(returned)) {
    execution.returned = returned;
    return;
  }
  if (timeout > 0) execution.deadline = execution.startedAt + timeout;
  return execution
    .wait(returned as PromiseLike<ToolReturn>, (outcome) => late(execution, outcome))
    .then((value) => {
      execution.returned = value;
      execution.deadline = Infinity;
    });
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
  return a > 0 && b > 0 ? Math.min(a, b) : Math.max(a, b);
}

/** The tool answered after its call had already ended; nobody waits for it any more. */
function late(execution: Execution, outcome: "returned" | "threw"): void {
  execution.engine.events.emitCall(execution, { type: "tool.late", outcome });
}
