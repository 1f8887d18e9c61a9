import { isThenable, type Awaitable, type JsonObject } from "../../json/json.ts";
import { argumentsSchemaOf } from "../../contract/arguments-schema.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import { isToolError } from "../../contract/error-message.ts";
import { freezeJson } from "../../json/freeze-json.ts";
import { answerWithin } from "../../contract/answer-within.ts";
import type { Repair } from "../call/repair.ts";
import { unwrapArguments } from "./unwrap-arguments.ts";
import { readArguments } from "./parse.ts";
import { removeInjected } from "./remove-injected.ts";
import { validate } from "./validate.ts";

/**
 * Wraps stage 2 or 4. If the arguments are not valid, the repairs that the host allows are tried, each once, and go
 * through the same checks.
 */
export function withRepair(
  stage: (execution: CallState) => Awaitable<void>,
): (execution: CallState) => Awaitable<void> {
  return (execution) => {
    try {
      const pending = stage(execution);
      if (!isThenable(pending)) return;
      const live = execution.guard();
      return pending.then(undefined, (error: unknown) => repairArguments(execution, live(error)));
    } catch (error) {
      return repairArguments(execution, error);
    }
  };
}

/** @throws the original error, when no repair helps. */
function repairArguments(execution: CallState, error: unknown): Awaitable<void> {
  const { engine, resumption } = execution;
  const { normaliseArguments, repair, onInvalidCall } = engine;
  if (!normaliseArguments && repair === undefined && onInvalidCall === "return") throw error;
  // Arguments that a person has approved or edited must not change.
  if (resumption !== undefined || !isInvalid(error)) throw error;
  return tryOthers(execution, error);
}

/** Calls whose arguments the host's repair function has seen: it is called once for a call. */
const repairedCalls = new WeakSet<CallState>();

async function tryOthers(execution: CallState, error: ToolError): Promise<void> {
  const { engine, call, tool } = execution;
  const live = execution.guard();
  if (engine.normaliseArguments) {
    for (const candidate of unwrapArguments(call.arguments, argumentsSchemaOf(tool))) {
      if (live(await refused(execution, candidate)) === undefined) return;
    }
  }
  const { repair } = engine;
  let cause: unknown;
  if (repair !== undefined && !repairedCalls.has(execution)) {
    repairedCalls.add(execution);
    try {
      const repaired = live(await ask(execution, repair, error));
      if (repaired !== undefined) {
        cause = await refused(execution, repaired);
        if (cause === undefined) return;
      }
    } catch (thrown) {
      cause = thrown;
    }
  }
  throw refusal(live(execution), error, cause);
}

/** Checks other arguments, and uses them for the call if they are valid. Returns the reason if they are not. */
async function refused(execution: CallState, candidate: unknown): Promise<unknown> {
  const { args } = execution;
  try {
    execution.args = readArguments(execution.call.name, candidate);
    execution.admitted = undefined;
    execution.discarded = undefined;
    removeInjected(execution);
    await validate(execution);
    return undefined;
  } catch (why) {
    execution.args = args;
    return why ?? "no reason given";
  }
}

async function ask(
  execution: CallState,
  repair: Repair,
  error: ToolError,
): Promise<JsonObject | string | undefined> {
  const { call, engine, tool } = execution;
  const sent = call.arguments;
  const answer = repair({
    callId: call.id,
    spec: tool.spec,
    arguments: typeof sent === "string" ? sent : freezeJson(sent),
    error,
  });
  return answerWithin(execution, engine.hookTimeoutMs, Promise.resolve(answer));
}

/** The error for the model describes the arguments that it sent; the cause is for the host. */
function refusal(execution: CallState, error: ToolError, cause: unknown): ToolError {
  const { engine, run, call } = execution;
  const said = cause === undefined ? error : new ToolError(error.code, error.message, { cause });
  if (engine.onInvalidCall === "fail") {
    // The call ends with its own error, not with that of the run.
    execution.stop(said);
    run.cancel(`The run was cancelled: the arguments of ${call.name} (${call.id}) were not valid.`);
  }
  return said;
}

function isInvalid(error: unknown): error is ToolError {
  return isToolError(error) && error.code === "invalid_arguments";
}
