import type { JsonObject } from "../../json/json.ts";
import type { CallState } from "../call/call-state.ts";
import { freezeJson, frozenPlain } from "../../json/clone-json.ts";
import type { HookedCall, Hook } from "../call/hook.ts";

/** The call as hooks see it: one object for all hooks, until its arguments are replaced. */
export function hookedCall(execution: CallState): HookedCall {
  return (execution.hooked ??= newHookedCall(execution));
}

function newHookedCall({ run, call, tool, args }: CallState): HookedCall {
  const hooked: { -readonly [K in keyof HookedCall]: HookedCall[K] } = {
    callId: call.id,
    runId: run.id,
    spec: tool.spec,
    // Only a tool's own `validate` could have changed the arguments into something that is not plain JSON.
    arguments:
      tool.validate === undefined
        ? frozenPlain(args as JsonObject)
        : freezeJson(args as JsonObject),
  };
  if (run.caller !== undefined) hooked.caller = run.caller;
  // A hook must not change the call for the next hook.
  return Object.freeze(hooked);
}

/** Milliseconds for one answer of a hook. */
export function getHookTimeout({ engine }: CallState, { timeoutMs }: Hook): number {
  return timeoutMs ?? engine.hookTimeoutMs;
}
