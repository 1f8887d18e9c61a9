import type { JsonObject } from "../../json/json.ts";
import type { CallState } from "../call/call-state.ts";
import { freezeJson, frozenPlain } from "../../json/freeze-json.ts";
import type { HookedCall } from "../call/hook.ts";

/** The call as hooks see it: one object for all of them, until its arguments are replaced. */
export function hookedCall(execution: CallState): HookedCall {
  return (execution.hooked ??= newHookedCall(execution));
}

function newHookedCall({ run, call, tool, args }: CallState): HookedCall {
  const hooked: { -readonly [K in keyof HookedCall]: HookedCall[K] } = {
    callId: call.id,
    runId: run.id,
    spec: tool.spec,
    // Only what the tool's own check has had in its hands may be something else by now.
    arguments:
      tool.validate === undefined
        ? frozenPlain(args as JsonObject)
        : freezeJson(args as JsonObject),
  };
  if (run.caller !== undefined) hooked.caller = run.caller;
  // What one hook writes into it must not mislead the next.
  return Object.freeze(hooked);
}
