import { isThenable, type Awaitable } from "../../json/json.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import type { BeforeCallAnswer } from "../call/hook.ts";
import type { HookInto } from "../call/hook-phases.ts";
import { hookedCall, getHookTimeout } from "../hooks/hooked-call.ts";
import { answerWithin } from "../../contract/call-info.ts";
import { copyArguments } from "./parse.ts";
import { removeInjected } from "./remove-injected.ts";
import { validate } from "./validate.ts";

/** Stage 6: hooks of the host pass, modify or block the call. Any unclear answer blocks it. */
export function beforeHooks(execution: CallState): Awaitable<void> {
  const hooks = execution.engine.hooks.beforeCall;
  return hooks.length === 0 ? undefined : askFrom(execution, hooks, 0);
}

/** Calls the hooks one after the other; returns a promise only when one of them does. */
function askFrom(
  execution: CallState,
  hooks: readonly HookInto<"beforeCall">[],
  from: number,
): Awaitable<void> {
  for (let index = from; index < hooks.length; index++) {
    const answer = ask(execution, hooks[index] as HookInto<"beforeCall">);
    if (!isThenable(answer) && answer === undefined) continue;
    // Stopped meanwhile: the answers have no effect, and the other hooks are not called.
    const live = execution.guard();
    const next = (): Awaitable<void> => askFrom(live(execution), hooks, index + 1);
    if (isThenable(answer)) {
      return answer
        .then(
          (answer) => heed(execution, live(answer)),
          (error: unknown) => {
            throw failedCheck(execution, error);
          },
        )
        .then(next);
    }
    const heeded = heed(execution, answer);
    if (isThenable(heeded)) return heeded.then(next);
  }
}

function ask(execution: CallState, hook: HookInto<"beforeCall">): Awaitable<BeforeCallAnswer> {
  try {
    const call = hookedCall(execution);
    if (hook.when?.(call) === false) return;
    const answer = hook.beforeCall(call);
    return isThenable(answer)
      ? answerWithin(execution, getHookTimeout(execution, hook), answer)
      : answer;
  } catch (error) {
    throw failedCheck(execution, error);
  }
}

function heed(execution: CallState, answer: BeforeCallAnswer): Awaitable<void> {
  if (answer === undefined) return;
  let given: { readonly block?: unknown; readonly arguments?: unknown };
  try {
    given = readAnswer(answer);
  } catch (error) {
    throw failedCheck(execution, error);
  }
  if ("block" in given) {
    throw new ToolError(
      "permission_denied",
      `${execution.call.name} was blocked: ${String(given.block)}`,
    );
  }
  return replace(execution, given.arguments);
}

/** Reads the answer of a hook once. */
function readAnswer(answer: unknown): { readonly block?: unknown; readonly arguments?: unknown } {
  if (typeof answer === "object" && answer !== null) {
    if ("block" in answer && typeof answer.block === "string") return { block: answer.block };
    if ("arguments" in answer && !("block" in answer)) return { arguments: answer.arguments };
  }
  throw new ToolError(
    "internal",
    `beforeCall answered with neither of these: nothing, to pass; { arguments: {…} }, to change them; { block: "reason" }.`,
  );
}

/** Continues at stage 3 with other arguments. */
function replace(execution: CallState, given: unknown): Awaitable<void> {
  try {
    execution.longIntegers = undefined;
    execution.args = copyArguments(execution.call.name, given, execution);
    execution.hooked = undefined;
    removeInjected(execution);
    const checking = validate(execution);
    if (isThenable(checking)) {
      return checking.then(undefined, (error: unknown) => {
        throw spoilt(execution, error);
      });
    }
  } catch (error) {
    throw spoilt(execution, error);
  }
}

function failedCheck({ call }: CallState, cause: unknown): ToolError {
  return new ToolError(
    "permission_denied",
    `${call.name} was blocked because a check of the host failed.`,
    { cause, audience: "host" },
  );
}

/** The model does not learn what is wrong with arguments that it did not send. */
function spoilt({ call }: CallState, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${call.name} was not run: the host changed its arguments to ones that are not valid.`,
    { cause },
  );
}
