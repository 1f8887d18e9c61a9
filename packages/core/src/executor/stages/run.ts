import { isThenable, type Awaitable, type JsonObject } from "../../json/json.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { collectStream } from "./collect-stream.ts";
import { isStreamed } from "../../results/stream-source.ts";
import { overdue } from "../call/deadlines.ts";
import type { CallState } from "../call/call-state.ts";
import { MiddlewareChain } from "../hooks/middleware-chain.ts";
import { checkRetry } from "../../contract/retry-policy.ts";
import { ExecutionContext } from "../context/tool-context.ts";
import { copyArguments } from "./parse.ts";
import { toToolArguments } from "./validate.ts";

/** Stage 8, second half: runs one attempt of the tool, under its timeout, and returns its answer. */
export function run(execution: CallState): Awaitable<unknown> {
  const { engine, tool } = execution;
  const timeout = getToolTimeout(execution);
  if (tool.spec.retry !== undefined) checkRetry(`${tool.spec.name}: retry`, tool.spec.retry);
  // Cancelled by an earlier stage, or by a listener of its events.
  const { runStopped } = execution;
  if (runStopped !== undefined) throw runStopped;
  const now = engine.clock.now();
  if (execution.time !== undefined && now >= execution.time.endsAt) throw overdue(execution);
  if (execution.attempt === 0) {
    execution.attempt = execution.resumption?.attempt ?? 1;
    execution.startedAt = now;
    engine.events.started(execution);
  } else {
    execution.attempt += 1;
  }
  execution.truncated = false;
  // An attempt that repeats the one before it makes the same calls.
  execution.nestedIds = undefined;
  const ctx = new ExecutionContext(execution);
  execution.beginAttempt(ctx);
  const returned = invoke(execution, ctx);
  const isPromise = isThenable(returned);
  if (!isPromise && !isStreamed(returned)) return returned;
  execution.attemptMs = timeout;
  if (timeout > 0 && execution.time !== undefined) execution.time.stepEnds = now + timeout;
  if (isPromise) return returned;
  return collectStream(execution, returned);
}

function invoke(execution: CallState, ctx: ExecutionContext): Awaitable<unknown> {
  const { engine, tool } = execution;
  const own = takeArguments(execution);
  return engine.hooks.around.length === 0
    ? tool.invoke(own, ctx)
    : new MiddlewareChain(execution, ctx, () => tool.invoke(own, ctx)).go();
}

/**
 * Each attempt gets arguments of its own, so that its changes stay invisible elsewhere. It gets the object that was
 * checked, since values that the tool's `validate` derived from that object can be reused.
 */
function takeArguments(execution: CallState): JsonObject {
  const { args: own, admitted, call } = execution;
  execution.args = copyArguments(call.name, own);
  if (admitted === own) execution.admitted = execution.args;
  if (execution.longIntegers === undefined) return own as JsonObject;
  return toToolArguments(execution, own as JsonObject);
}

/**
 * The tool's own timeout, or else the default, which does not apply to tasks. The host's call may shorten it, and the
 * maximum caps it.
 */
function getToolTimeout({ engine, tool, settings, taskId }: CallState): number {
  const own = tool.spec.timeoutMs;
  if (own !== undefined && !(own >= 0)) throw invalidTimeout(tool.spec.name, own);
  const usual = taskId === undefined ? engine.timeoutMs : 0;
  return shorter(shorter(own ?? usual, settings.timeoutMs ?? 0), engine.maxTimeoutMs);
}

function invalidTimeout(name: string, ms: number): ToolError {
  return new ToolError(
    "invalid_configuration",
    `${name} declares a timeout of ${ms} ms; use 0 for none.`,
  );
}

/** The shorter of two timeouts, of which 0 means none. */
function shorter(a: number, b: number): number {
  if (!(a > 0)) return b > 0 ? b : 0;
  return b > 0 && b < a ? b : a;
}
