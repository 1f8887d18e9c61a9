import { machine } from "../run/machine.ts";
import { checkValue } from "../values/check-value.ts";
import { Builtin, StarlarkModule } from "../values/function.ts";
import type { StarlarkObject, Value } from "../values/value.ts";
import { fromUtf8 } from "../values/utf8.ts";
import { type HostResult, type HostValue, toHost, toStarlark } from "./convert.ts";

/** The call of a function of the host, without its positional arguments. */
export interface HostCall<Argument = HostValue> {
  /** The arguments that were given by name. */
  readonly named: Readonly<Record<string, Argument>>;
  /** Aborted if the run ends. */
  readonly signal: AbortSignal | undefined;
  /** The value that the host gave to the run (`context`). */
  readonly context: unknown;
}

/** A function of the host. It may return a promise: the script waits for it. */
export type HostFunction = (args: readonly HostValue[], call: HostCall) => HostResult;

/** The call of a function that receives values as they are, without its positional arguments. */
export type ValueCall = HostCall<Value>;

/** How a function of the host is used. */
export interface HostFunctionOptions {
  /**
   * Whether the result can differ from call to call, or the call changes something. Such a call is recorded in the journal.
   * Default: true.
   */
  readonly effect?: boolean;
}

/**
 * A function of the host as a value that a script can call. Arguments and results are converted. An error that it throws
 * ends the script with its message.
 */
export function hostFunction(
  name: string,
  call: HostFunction,
  options: HostFunctionOptions = {},
): Builtin {
  return new Builtin(name, (args, named) => {
    const { effects } = machine;
    const converted = args.map(toHost);
    const hostCall = toCall(named.map(([key, value]) => [key, toHost(value)]));
    const perform = (): HostResult => call(converted, hostCall);
    const result =
      effects === undefined || options.effect === false
        ? perform()
        : (effects.effect(name, [converted, hostCall.named], perform) as HostResult);
    if (result instanceof Promise) return result.then((late) => () => toStarlark(late));
    return toStarlark(result);
  });
}

/**
 * A function of the host that receives the values of the script as they are, functions among them, which a `Thread` can
 * call. Nothing is converted, and the call is not recorded in the journal: use `hostFunction` for functions with an effect.
 */
export function valueFunction(
  name: string,
  call: (args: readonly Value[], call: ValueCall) => Value | Promise<Value>,
): Value {
  return new Builtin(name, (args, named) => call(args, toCall(named)));
}

function toCall<Argument>(named: readonly (readonly [string, Argument])[]): HostCall<Argument> {
  const { signal, context } = machine;
  const byName = Object.fromEntries(named.map(([name, value]) => [fromUtf8(name), value]));
  return { named: byName, signal, context };
}

/** A member of a module: a function of the host, or a value. */
export type HostMember = HostFunction | HostValue | StarlarkObject;

/**
 * A module of the host: `hostModule("http", { get: … })` gives scripts `http.get`.
 *
 * @param options.call makes the module a function, too: `log("text")` beside `log.warn("text")`.
 * @throws TypeError for an argument of the wrong kind.
 */
export function hostModule(
  name: string,
  members: Readonly<Record<string, HostMember>>,
  options: HostFunctionOptions & { readonly call?: HostFunction } = {},
): StarlarkModule | Builtin {
  checkValue(typeof name === "string" && name !== "", "hostModule: name", name, "a text");
  const isObject = typeof members === "object" && members !== null;
  checkValue(isObject, "hostModule: members", members, "an object, such as { get: … }");
  const values = Object.entries(members).map(([key, member]): [string, Value] => {
    if (typeof member === "function") return [key, hostFunction(`${name}.${key}`, member, options)];
    return [key, toStarlark(member as HostValue)];
  });
  const module = new StarlarkModule(name, values);
  if (options.call === undefined) return module;
  return Object.assign(hostFunction(name, options.call, options), {
    attribute: module.attribute.bind(module),
    attributeNames: module.attributeNames.bind(module),
    freeze: module.freeze.bind(module),
  });
}
