import { checkOptions } from "../../contract/check-options.ts";
import { atLeastZero } from "../../contract/option-checks.ts";
import { formatValue } from "../../text/format-value.ts";
import { ToolError } from "../../contract/tool-error.ts";
import type { Hook, Middleware } from "./hook.ts";

/** Names of the phases of a hook. */
type Phase = "beforeCall" | "around" | "afterCall" | "beforeUpdate" | "afterUpdate" | "onEvent";

/** A hook with a function for phase `P`. */
export type HookInto<P extends Phase> = Hook & Required<Pick<Hook, P>>;

/** The hooks of an executor by phase, each list in order of priority. */
export type HookPhases = { readonly [P in Phase]: readonly HookInto<P>[] };

/** A record of all keys, so that the compiler reports a missing one. */
const hookKeys: Record<keyof Hook, true> = {
  priority: true,
  when: true,
  timeoutMs: true,
  beforeCall: true,
  around: true,
  afterCall: true,
  beforeUpdate: true,
  afterUpdate: true,
  onEvent: true,
};

/**
 * Sorts hooks and middleware by phase, once.
 *
 * @throws ToolError `invalid_configuration` when a value is not a hook.
 */
export function hookPhases(given: readonly (Hook | Middleware)[] = []): HookPhases {
  if (!Array.isArray(given)) throw defect("hooks is no list: use hooks: [{ beforeCall }].");
  const hooks = (given as readonly (Hook | Middleware)[])
    .map((hook, index) => checkedHook(hook, `hooks[${index}]`))
    // `sort` is stable: ties stay in order of registration.
    .sort((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  const into = <P extends Phase>(phase: P): HookInto<P>[] =>
    hooks.filter((hook): hook is HookInto<P> => hook[phase] !== undefined);
  return {
    beforeCall: into("beforeCall"),
    around: into("around"),
    afterCall: into("afterCall"),
    beforeUpdate: into("beforeUpdate"),
    afterUpdate: into("afterUpdate"),
    onEvent: into("onEvent"),
  };
}

function checkedHook(hook: Hook | Middleware, where: string): Hook {
  if (typeof hook === "function") return { around: hook };
  if (typeof hook !== "object" || hook === null) {
    throw defect(
      `${where} is no hook: use { beforeCall }, or a middleware (call, next) => next().`,
    );
  }
  // An instance of a class may have other members.
  if (Object.getPrototypeOf(hook) === Object.prototype) {
    checkOptions(where, hook, Object.keys(hookKeys));
  }
  const { priority = 0, timeoutMs = 0 } = hook;
  if (!Number.isFinite(priority)) {
    throw defect(`${where}.priority is ${formatValue(priority)}; use a number.`);
  }
  atLeastZero.check(`${where}.timeoutMs`, timeoutMs);
  let hooksInto = 0;
  for (const key of Object.keys(hookKeys) as (keyof Hook)[]) {
    if (key === "priority" || key === "timeoutMs" || hook[key] === undefined) continue;
    if (typeof hook[key] !== "function") throw defect(`${where}.${key} is no function.`);
    if (key !== "when") hooksInto += 1;
  }
  if (hooksInto === 0) {
    throw defect(`${where} hooks into nothing: give it a beforeCall, around or afterCall.`);
  }
  return hook;
}

function defect(message: string): ToolError {
  return new ToolError("invalid_configuration", message);
}
