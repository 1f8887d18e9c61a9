import { isThenable, type Awaitable, type JsonObject } from "../../spec/json.ts";
import { ToolError } from "../../tool-error.ts";
import type { Execution } from "../execution.ts";
import type { BeforeCallAnswer, Hook, HookedCall } from "../hooks.ts";
import { frozenCopy } from "../frozen-copy.ts";
import { copyArguments } from "./parse.ts";
import { strip } from "./strip.ts";
import { validate } from "./validate.ts";

/** Stage 6: host code passes, modifies or blocks. A hook that throws blocks. */
export function beforeHooks(execution: Execution): Awaitable<void> {
  const { hooks } = execution.engine;
  return hooks.length === 0 ? undefined : runHooks(execution, hooks);
}

async function runHooks(execution: Execution, hooks: readonly Hook[]): Promise<void> {
  let call = hookedCall(execution);
  for (const hook of hooks) {
    let answer: BeforeCallAnswer;
    try {
      if (hook.beforeCall === undefined || hook.when?.(call) === false) continue;
      const pending = hook.beforeCall(call);
      answer = isThenable(pending) ? await pending : pending;
      // Stopped meanwhile: nobody waits for what the other hooks would say.
      if (execution.ended) return;
    } catch (error) {
      throw new ToolError(
        "permission_denied",
        `${call.spec.name} was blocked because a check of the host failed.`,
        { cause: error, audience: "host" },
      );
    }
    if (answer === undefined) continue;
    if ("block" in answer) {
      throw new ToolError("permission_denied", `${call.spec.name} was blocked: ${answer.block}`);
    }
    execution.args = copyArguments(call.spec.name, answer.arguments);
    strip(execution);
    await validate(execution);
    if (execution.ended) return;
    call = hookedCall(execution);
  }
}

/** The call as hooks see it now; to change the arguments they return others. */
export function hookedCall({ run, call, tool, args }: Execution): HookedCall {
  return {
    callId: call.id,
    runId: run.id,
    spec: tool.spec,
    arguments: frozenCopy(args as JsonObject),
    ...(run.caller === undefined ? {} : { caller: run.caller }),
  };
}
