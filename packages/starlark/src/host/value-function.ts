import { machine } from "../run/machine.ts";
import { Builtin } from "../values/function.ts";
import type { Value } from "../values/value.ts";
import { fromUtf8 } from "../values/utf8.ts";

/** The call of a function that receives values as they are, without its positional arguments. */
export interface ValueCall {
  /** The arguments that were given by name. */
  readonly named: Readonly<Record<string, Value>>;
  /** Aborted if the run ends. */
  readonly signal: AbortSignal | undefined;
  /** The value that the host gave to the run (`context`). */
  readonly context: unknown;
}

/**
 * A function of the host that receives the values of the script as they are, functions among them, which a `Thread` can
 * call. Nothing is converted, and the call is not recorded in the journal: use `hostFunction` for functions with an effect.
 */
export function valueFunction(
  name: string,
  call: (args: readonly Value[], call: ValueCall) => Value | Promise<Value>,
): Value {
  return new Builtin(name, (args, named) => {
    const { signal, context } = machine;
    const names = Object.fromEntries(named.map(([key, value]) => [fromUtf8(key), value]));
    return call(args, { named: names, signal, context });
  });
}
