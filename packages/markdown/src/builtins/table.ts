import { hostFunction, hostModule } from "@toolweave/starlark";
import type { HostFunction, Value } from "@toolweave/starlark";
import { bindArguments, qualifiedName } from "./bind.ts";
import type { BuiltinFunction, ScriptKind, ScriptScope } from "./builtin.ts";
import { checks, decisions } from "./decisions.ts";
import { effects } from "./effects.ts";
import { encodings } from "./encodings.ts";
import { languageFunctions, languageModules } from "./language-modules.ts";
import { state } from "./state.ts";
import { strings } from "./strings.ts";

/** Everything that scripts can call, in the order of the documentation. */
export const builtins: readonly BuiltinFunction[] = [
  ...effects,
  ...state,
  ...decisions,
  ...languageFunctions,
  ...strings,
  ...encodings,
  ...checks,
];

/** The functions that one kind of scripts has. */
export function builtinsFor(kind: ScriptKind): readonly BuiltinFunction[] {
  return builtins.filter(({ kinds }) => kinds.includes(kind));
}

/** The names that are predeclared for one kind of scripts: modules and global functions. */
export function builtinNames(kind: ScriptKind): readonly string[] {
  return [...new Set(builtinsFor(kind).map(({ module, name }) => module ?? name))];
}

const predeclaredValues = new Map<ScriptKind, Readonly<Record<string, Value>>>();

/** The values of the predeclared names. Made once: functions find the run that calls them by its context. */
export function predeclared(kind: ScriptKind): Readonly<Record<string, Value>> {
  let values = predeclaredValues.get(kind);
  if (values === undefined) predeclaredValues.set(kind, (values = makeValues(builtinsFor(kind))));
  return values;
}

/** The same with other code behind some functions: a test has no effects. */
export function predeclaredWith(
  kind: ScriptKind,
  change: (fn: BuiltinFunction) => BuiltinFunction,
): Readonly<Record<string, Value>> {
  return makeValues(builtinsFor(kind).map(change));
}

function makeValues(functions: readonly BuiltinFunction[]): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = { ...languageModules };
  const modules = new Map<string, BuiltinFunction[]>();
  for (const fn of functions) {
    if (fn.call === undefined) continue;
    if (fn.module === undefined) values[fn.name] = toValue(fn);
    else modules.set(fn.module, [...(modules.get(fn.module) ?? []), fn]);
  }
  for (const [name, members] of modules) {
    const own = members.find((member) => member.name === name);
    const others = members.filter((member) => member !== own);
    values[name] =
      own !== undefined && others.length === 0
        ? toValue(own)
        : hostModule(
            name,
            Object.fromEntries(others.map((member) => [member.name, toValue(member)])),
            own === undefined ? {} : { call: toHostFunction(own) },
          );
  }
  return values;
}

function toValue(fn: BuiltinFunction): Value {
  return hostFunction(qualifiedName(fn), toHostFunction(fn), { effect: !fn.isPure });
}

function toHostFunction(fn: BuiltinFunction): HostFunction {
  return (args, { named, context }) =>
    fn.call?.(bindArguments(fn, args, named), context as ScriptScope);
}
