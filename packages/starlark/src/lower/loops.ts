import { Iteration, machine, tick } from "../run/machine.ts";
import type { Expression } from "../syntax/ast.ts";
import { budget } from "../values/budget.ts";
import { fail } from "../values/error.ts";
import type { Operation, Slot } from "../values/function.ts";
import { StarlarkRange } from "../values/sequence.ts";
import { isIterable, typeName } from "../values/value.ts";
import { lowerAssignment } from "./assign.ts";
import { Label, readSlot, type Run, toRun } from "./assembler.ts";
import { type FunctionContext, localSlot, type Loop } from "./context.ts";

/** A loop over the items of `iterable`: `body` adds the operations of one round. */
export function lowerLoop(
  context: FunctionContext,
  options: { readonly iterable: Expression; readonly target: Expression; readonly site: number },
  body: (loop: Loop) => void,
): void {
  const { site, target } = options;
  const slot = context.temporary();
  const iterable = context.lower(options.iterable);
  context.effect(site, (slots) => {
    const value = iterable(slots);
    machine.site = site;
    if (!isIterable(value)) fail(`${typeName(value)} value is not iterable`);
    slots[slot] = new Iteration(value);
  });
  const local = localSlot(target);
  const variable = local ?? context.temporary();
  const loop = { head: new Label(), exit: new Label(), slot };
  const { items } = context.capture(() => {
    if (local === undefined) lowerAssignment(context, target, readSlot(variable), site);
    body(loop);
  });
  context.place(loop.head);
  const run = context.module.separate ? undefined : toRun(items);
  if (run === undefined) {
    context.round(site, (slots) => takeItem(slots, slot, variable), loop.exit);
    context.append(items);
    context.jump(site, loop.head);
  } else context.control(site, (next) => runLoop(slot, variable, run, next));
  context.place(loop.exit);
  context.effect(site, (slots) => endLoop(slots, slot));
}

/** Ends a loop, after its last item or before. */
export function endLoop(slots: Slot[], slot: number): void {
  (slots[slot] as Iteration).source.endIteration?.();
  slots[slot] = undefined;
}

/** Stores the next item. Returns false if there is none. */
function takeItem(slots: Slot[], slot: number, variable: number): boolean {
  const item = (slots[slot] as Iteration).next();
  if (item === undefined) return false;
  slots[variable] = item;
  return true;
}

/** Runs rounds that cannot be suspended until the loop or the fuel is at its end. */
function runLoop(slot: number, variable: number, run: Run, next: number): Operation {
  return (slots) => {
    const iteration = slots[slot] as Iteration;
    const { source } = iteration;
    if (source instanceof StarlarkRange) {
      const { start, step, length } = source;
      while (iteration.index < length) {
        slots[variable] = start + iteration.index++ * step;
        run(slots);
        if (--budget.fuel < 0) return tick(next - 1);
      }
      return next;
    }
    while (takeItem(slots, slot, variable)) {
      run(slots);
      if (--budget.fuel < 0) return tick(next - 1);
    }
    return next;
  };
}
