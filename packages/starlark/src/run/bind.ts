import { fail } from "../values/error.ts";
import { toDict } from "../values/dict.ts";
import type { Slot, StarlarkFunction } from "../values/function.ts";
import { quote } from "../values/quote.ts";
import { toTuple } from "../values/tuple.ts";
import { fromUtf8 } from "../values/utf8.ts";
import type { NamedArguments, Value } from "../values/value.ts";

/** The slots of a new frame, with the cells of the function. */
export function newSlots(fn: StarlarkFunction): Slot[] {
  const slots: Slot[] = fn.code.emptyFrame.slice();
  const { free } = fn;
  for (let index = 0; index < free.length; index++) slots[fn.code.freeSlot + index] = free[index];
  return slots;
}

/** The slots of a call: arguments are bound to parameters (specification, "Functions"). */
export function bindArguments(
  fn: StarlarkFunction,
  args: readonly Value[],
  named: NamedArguments,
): Slot[] {
  const { code, defaults } = fn;
  const { parameters, keywordOnly, hasRest, hasNamedRest } = code;
  const slots = newSlots(fn);
  const count = parameters.length;
  if (count === 0 && !hasRest && !hasNamedRest) {
    const given = args.length + named.length;
    return given === 0
      ? slots
      : fail(`function ${code.name} accepts no arguments (${given} given)`);
  }
  const positional = count - keywordOnly;
  const used = Math.min(args.length, positional);
  if (args.length > positional && !hasRest) {
    const atMost = defaults.length > keywordOnly ? "at most " : "";
    const plural = positional === 1 ? "" : "s";
    fail(
      `function ${code.name} accepts ${atMost}${positional} positional argument${plural} (${args.length} given)`,
    );
  }
  for (let index = 0; index < used; index++) slots[index] = args[index];
  if (hasRest) slots[count] = toTuple(args.slice(used));
  bindNamed(fn, slots, named);
  for (let index = used; index < count; index++)
    if (slots[index] === undefined) slots[index] = defaults[index - count + defaults.length];
  const missing = parameters.filter((_, index) => slots[index] === undefined);
  if (missing.length === 0) return slots;
  const plural = missing.length > 1 ? "s" : "";
  return fail(
    `function ${code.name} missing ${missing.length} argument${plural} (${missing.join(", ")})`,
  );
}

function bindNamed(fn: StarlarkFunction, slots: Slot[], named: NamedArguments): void {
  const { code } = fn;
  const rest = code.hasNamedRest ? toDict() : undefined;
  if (rest !== undefined) slots[code.parameters.length + (code.hasRest ? 1 : 0)] = rest;
  for (const [name, value] of named) {
    const index = code.parameters.indexOf(fromUtf8(name));
    if (index === -1) {
      if (rest === undefined)
        fail(`function ${code.name} got an unexpected keyword argument ${quote(name)}`);
      if (rest?.get(name) !== undefined) multipleValues(code.name, name);
      rest?.set(name, value);
    } else {
      if (slots[index] !== undefined) multipleValues(code.name, name);
      slots[index] = value;
    }
  }
}

function multipleValues(callee: string, name: string): never {
  return fail(`function ${callee} got multiple values for parameter ${quote(name)}`);
}
