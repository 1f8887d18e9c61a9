import { isThenable, type Awaitable, type JsonObject, type JsonSchema } from "../../json/json.ts";
import { argumentsSchemaOf } from "../../contract/tool.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { isToolError } from "../../contract/error-message.ts";
import type { CallState } from "../call/call-state.ts";
import { parseLossless } from "../../json/exact-number.ts";
import { freezeJson } from "../../json/clone-json.ts";
import { answerWithin } from "../../contract/call-info.ts";
import type { Repair } from "../call/hook.ts";
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
  const { args, longIntegers } = execution;
  try {
    execution.longIntegers = undefined;
    execution.args = readArguments(execution.call.name, candidate, execution);
    execution.admitted = undefined;
    execution.discarded = undefined;
    removeInjected(execution);
    await validate(execution);
    return undefined;
  } catch (why) {
    execution.args = args;
    execution.longIntegers = longIntegers;
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
    arguments: typeof sent === "string" ? sent : freezeJson(sent as JsonObject),
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

/** Member names with which models wrap the arguments of a tool. */
const envelopes: ReadonlySet<string> = new Set([
  "properties",
  "arguments",
  "args",
  "parameters",
  "params",
  "param",
  "input",
]);

/** Maximum number of layers to unwrap: a fenced text with an encoded envelope of encoded arguments. */
const maxLayers = 4;

/** Yields candidates for the arguments, unwrapped layer by layer: fences, JSON texts, envelopes. */
function* unwrapArguments(sent: unknown, schema: JsonSchema): Generator<object> {
  let value = sent;
  for (let layer = 0; layer < maxLayers; layer++) {
    value = typeof value === "string" ? decoded(value) : unwrapEnvelope(value, schema);
    if (typeof value === "object" && value !== null) yield value;
    else if (typeof value !== "string") return;
  }
}

function decoded(text: string): unknown {
  let json = text.trim();
  if (json.startsWith("```") && json.endsWith("```")) {
    json = json.slice(3, -3);
    if (/^json/i.test(json)) json = json.slice(4);
  }
  try {
    return parseLossless(json);
  } catch {
    return undefined;
  }
}

/** The content of an envelope, unless the tool declares an argument of that name. */
function unwrapEnvelope(value: unknown, schema: JsonSchema): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const [key, ...others] = Object.keys(value);
  // Other members beside the envelope must not get lost.
  if (key === undefined || others.length > 0 || !envelopes.has(key)) return undefined;
  const declared = schema["properties"];
  if (typeof declared === "object" && declared !== null && Object.hasOwn(declared, key))
    return undefined;
  return (value as Record<string, unknown>)[key];
}
