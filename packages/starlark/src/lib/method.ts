import type { BuiltinResult } from "../values/function.ts";
import type { NamedArguments, Value } from "../values/value.ts";

/** A method of a built-in type. */
export type Method<Receiver extends Value = Value> = (
  receiver: Receiver,
  args: Value[],
  named: NamedArguments,
) => BuiltinResult;
