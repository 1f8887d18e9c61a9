import { Iteration, RangeIteration, tick } from "../run/machine.ts";
import type { Expression } from "../syntax/ast.ts";
import { withoutParentheses } from "../syntax/ast.ts";
import { budget } from "../values/budget.ts";
import type { Operation, Slot } from "../values/function.ts";
import { StarlarkRange } from "../values/range.ts";
import { StarlarkObject, toItems, typeName } from "../values/value.ts";
import type { Value } from "../values/value.ts";
import { lowerAssignment, lowerStore } from "./assign.ts";
import type { Store } from "./assign.ts";
import type { Effect, Label } from "./assembler.ts";
import { readSlot } from "./context.ts";
import type { FunctionContext } from "./context.ts";
import { failAt } from "./evaluate.ts";

/**
 * A loop over the items of `iterable`: `body` adds the operations of one round. The labels of the loop are given to it.
 */
export function lowerLoop(
  context: FunctionContext,
  options: { readonly iterable: Expression; readonly target: Expression; readonly site: number },
  body: (labels: { readonly head: Label; readonly exit: Label }) => void,
): void {
  const { assembler } = context;
  const { site, target } = options;
  const slot = context.temporary();
  const iterable = context.lower(options.iterable);
  assembler.effect(site, (slots) => {
    slots[slot] = beginLoop(iterable(slots), site);
  });
  const head = assembler.label();
  const exit = assembler.label();
  const inner = withoutParentheses(target);
  const store = lowerStore(context, target, site);
  context.iterations.push(slot);
  if (inner.kind === "name" && inner.binding?.scope === "local") {
    const variable = inner.binding.index;
    assembler.loop(site, head, {
      step: (next) => nextIntoSlot(slot, variable, next, exit),
      tight: (effect, self) => runLoop(slot, variable, effect, self, exit),
    });
  } else if (store !== undefined) {
    assembler.loop(site, head, {
      step: (next) => nextItem(slot, store, next, exit),
      tight: (effect, self) => runLoopWith(slot, store, effect, self, exit),
    });
  } else {
    const item = context.temporary();
    assembler.place(head);
    assembler.control(site, (next) => nextIntoSlot(slot, item, next, exit));
    lowerAssignment(context, target, readSlot(item), site);
  }
  body({ head, exit });
  assembler.jump(head);
  context.iterations.pop();
  assembler.place(exit);
  assembler.effect(site, (slots) => endLoop(slots, slot));
}

function beginLoop(value: Value, site: number): Iteration | RangeIteration {
  if (value instanceof StarlarkRange)
    return new RangeIteration(value.start, value.length, value.step);
  const items = toItems(value);
  if (items === undefined || !(value instanceof StarlarkObject)) {
    return failAt(site, `${typeName(value)} value is not iterable`);
  }
  return new Iteration(value, items);
}

/** Ends a loop, after its last item or before. */
export function endLoop(slots: Slot[], slot: number): void {
  const iteration = slots[slot];
  if (iteration instanceof Iteration) iteration.source.endIteration();
  slots[slot] = undefined;
}

function nextIntoSlot(
  slot: number,
  variable: number,
  next: number,
  { index: exit }: Label,
): Operation {
  return (slots) => {
    const iteration = slots[slot];
    if (iteration instanceof RangeIteration) {
      if (iteration.remaining <= 0) return exit;
      iteration.remaining--;
      slots[variable] = iteration.next;
      iteration.next += iteration.step;
    } else {
      const list = iteration as Iteration;
      if (list.index >= list.items.length) return exit;
      slots[variable] = list.items[list.index++];
    }
    return --budget.fuel < 0 ? tick(next) : next;
  };
}

/** Runs rounds until the loop or the fuel is at its end. */
function runLoop(
  slot: number,
  variable: number,
  body: Effect,
  self: number,
  { index: exit }: Label,
): Operation {
  return (slots) => {
    const iteration = slots[slot];
    if (iteration instanceof RangeIteration) {
      const { step } = iteration;
      let { next, remaining } = iteration;
      for (; remaining > 0; remaining--) {
        if (budget.fuel < 0) {
          iteration.next = next;
          iteration.remaining = remaining;
          return tick(self);
        }
        slots[variable] = next;
        next += step;
        body(slots);
        budget.fuel--;
      }
      return exit;
    }
    const list = iteration as Iteration;
    const { items } = list;
    for (;;) {
      if (list.index >= items.length) return exit;
      slots[variable] = items[list.index++];
      body(slots);
      if (--budget.fuel < 0) return tick(self);
    }
  };
}

function runLoopWith(
  slot: number,
  store: Store,
  body: Effect,
  self: number,
  { index: exit }: Label,
): Operation {
  return (slots) => {
    const iteration = slots[slot] as Iteration | RangeIteration;
    for (;;) {
      const item = takeItem(iteration);
      if (item === undefined) return exit;
      store(slots, item);
      body(slots);
      if (--budget.fuel < 0) return tick(self);
    }
  };
}

function takeItem(iteration: Iteration | RangeIteration): Value | undefined {
  if (iteration instanceof Iteration) return iteration.items[iteration.index++];
  if (iteration.remaining <= 0) return undefined;
  iteration.remaining--;
  const value = iteration.next;
  iteration.next += iteration.step;
  return value;
}

function nextItem(slot: number, store: Store, next: number, { index: exit }: Label): Operation {
  return (slots) => {
    const item = takeItem(slots[slot] as Iteration | RangeIteration);
    if (item === undefined) return exit;
    store(slots, item);
    return --budget.fuel < 0 ? tick(next) : next;
  };
}
