import { Iteration, machine, tick } from "../run/machine.ts";
import type { Expression } from "../syntax/ast.ts";
import { budget } from "../values/budget.ts";
import { fail } from "../values/error.ts";
import type { Operation, Slot } from "../values/function.ts";
import { StarlarkRange } from "../values/sequence.ts";
import { StarlarkObject, toItems, typeName, type Value } from "../values/value.ts";
import { lowerAssignment } from "./assign.ts";
import { type Label, readSlot, type Run } from "./assembler.ts";
import { type FunctionContext, localSlot, type Loop } from "./context.ts";

/** A loop over the items of `iterable`: `body` adds the operations of one round. */
export function lowerLoop(
  context: FunctionContext,
  options: { readonly iterable: Expression; readonly target: Expression; readonly site: number },
  body: (loop: Loop) => void,
): void {
  const { assembler } = context;
  const { site, target } = options;
  const slot = context.temporary();
  const iterable = context.lower(options.iterable);
  assembler.effect(site, (slots) => {
    const value = iterable(slots);
    machine.site = site;
    slots[slot] = beginLoop(value);
  });
  const [head, exit] = [assembler.label(), assembler.label()];
  const local = localSlot(target);
  const variable = local ?? context.temporary();
  const { items } = assembler.capture(() => {
    if (local === undefined) lowerAssignment(context, target, readSlot(variable), site);
    body({ head, exit, slot });
  });
  assembler.place(head);
  const round = assembler.toEffect(items);
  if (round === undefined || round.returns) {
    assembler.control(site, (next) => beginRound(slot, variable, next, exit));
    assembler.append(items);
    assembler.jump(head);
  } else assembler.control(site, (next) => runLoop(slot, variable, round.run, next));
  assembler.place(exit);
  assembler.effect(site, (slots) => endLoop(slots, slot));
}

function beginLoop(value: Value): Iteration {
  if (value instanceof StarlarkRange) return new Iteration(value, undefined);
  const items = toItems(value);
  if (items === undefined || !(value instanceof StarlarkObject))
    return fail(`${typeName(value)} value is not iterable`);
  return new Iteration(value, items);
}

/** Ends a loop, after its last item or before. */
export function endLoop(slots: Slot[], slot: number): undefined {
  (slots[slot] as Iteration).source.endIteration();
  slots[slot] = undefined;
}

/** Stores the next item. Returns false if there is none. */
function takeItem(slots: Slot[], slot: number, variable: number): boolean {
  const iteration = slots[slot] as Iteration;
  const { items, source } = iteration;
  const index = iteration.index++;
  if (items !== undefined) {
    if (index >= items.length) return false;
    slots[variable] = items[index];
  } else {
    const { start, step, length } = source as StarlarkRange;
    if (index >= length) return false;
    slots[variable] = start + index * step;
  }
  return true;
}

/** Takes one item and continues at `next`. */
function beginRound(
  slot: number,
  variable: number,
  next: number,
  { index: exit }: Label,
): Operation {
  return (slots) => {
    if (!takeItem(slots, slot, variable)) return exit;
    return --budget.fuel < 0 ? tick(next) : next;
  };
}

/** Runs rounds that cannot be suspended until the loop or the fuel is at its end. The operation after this one is `exit`. */
function runLoop(slot: number, variable: number, body: Run, exit: number): Operation {
  const self = exit - 1;
  return (slots) => {
    const iteration = slots[slot] as Iteration;
    const { source } = iteration;
    if (!(source instanceof StarlarkRange)) {
      while (takeItem(slots, slot, variable)) {
        body(slots);
        if (--budget.fuel < 0) return tick(self);
      }
      return exit;
    }
    const { start, step, length } = source;
    for (let { index } = iteration; index < length; index++) {
      if (budget.fuel < 0) {
        iteration.index = index;
        return tick(self);
      }
      slots[variable] = start + index * step;
      body(slots);
      budget.fuel--;
    }
    return exit;
  };
}
