import { isThenable, type Awaitable } from "../../json/json.ts";
import type { ToolOutput } from "../../contract/tool-result.ts";
import { isOutput, properOutput } from "../../results/proper-output.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { CallState } from "../call/call-state.ts";
import type { HookInto } from "../call/hook-phases.ts";
import { hookedCall, getHookTimeout } from "../hooks/hooked-call.ts";
import { answerWithin } from "../../contract/call-info.ts";

/** Stage 10, first half: hooks of the host amend or redact the output. */
export function afterHooks(execution: CallState, output: ToolOutput): Awaitable<ToolOutput> {
  const hooks = execution.engine.hooks.afterCall;
  return hooks.length === 0 ? output : askFrom(execution, output, hooks, 0);
}

/** Calls the hooks one after the other; returns a promise only when one of them does. */
function askFrom(
  execution: CallState,
  output: ToolOutput,
  hooks: readonly HookInto<"afterCall">[],
  from: number,
): Awaitable<ToolOutput> {
  let current = output;
  try {
    for (let index = from; index < hooks.length; index++) {
      const amended = ask(execution, current, hooks[index] as HookInto<"afterCall">);
      if (isThenable(amended)) {
        // Stopped meanwhile: the answer has no effect, and the other hooks are not called.
        const live = execution.guard();
        const before = current;
        return amended
          .then((amended) => amend(execution, before, live(amended)))
          .then(
            (after) => askFrom(execution, after, hooks, index + 1),
            (error: unknown) => {
              throw failedCheck(execution, error);
            },
          );
      }
      current = amend(execution, current, amended);
    }
  } catch (error) {
    throw failedCheck(execution, error);
  }
  return current;
}

function ask(
  execution: CallState,
  output: ToolOutput,
  hook: HookInto<"afterCall">,
): Awaitable<ToolOutput | undefined | void> {
  const call = hookedCall(execution);
  if (hook.when?.(call) === false) return;
  const { content, value, isError = false } = output;
  const amended = hook.afterCall(
    call,
    value === undefined ? { content, isError } : { content, isError, value },
  );
  return isThenable(amended)
    ? answerWithin(execution, getHookTimeout(execution, hook), amended)
    : amended;
}

function amend(
  execution: CallState,
  output: ToolOutput,
  amended: ToolOutput | undefined | void,
): ToolOutput {
  if (amended === undefined) return output;
  if (typeof amended !== "object" || amended === null || !isOutput(amended)) {
    throw new ToolError(
      "internal",
      `afterCall answered with neither nothing nor an output: use { content: [text("…")] }.`,
    );
  }
  return properOutput(amended, execution.engine.largeOutputs.maxCapturedBytes, execution);
}

/** If a redacting hook fails, the unredacted output must not pass. */
function failedCheck({ call }: CallState, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${call.name} did run, but a check of the host failed on its answer: do not repeat the call before checking what it did.`,
    { cause },
  );
}
