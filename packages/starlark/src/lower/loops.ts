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
import type { Label } from "./assembler.ts";
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
  assembler.place(head);
  context.iterations.push(slot);
  if (inner.kind === "name" && inner.binding?.scope === "local") {
    const variable = inner.binding.index;
    assembler.control(site, (next) => nextIntoSlot(slot, variable, next, exit));
  } else if (store !== undefined) {
    assembler.control(site, (next) => nextItem(slot, store, next, exit));
  } else {
    const item = context.temporary();
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
  if (value instanceof StarlarkRange) return new RangeIteration(value.start, value.length, value.step);
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

function nextIntoSlot(slot: number, variable: number, next: number, { index: exit }: Label): Operation {
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

function nextItem(slot: number, store: Store, next: number, { index: exit }: Label): Operation {
  return (slots) => {
    const iteration = slots[slot];
    if (iteration instanceof RangeIteration) {
      if (iteration.remaining <= 0) return exit;
      iteration.remaining--;
      store(slots, iteration.next);
      iteration.next += iteration.step;
    } else {
      const list = iteration as Iteration;
      if (list.index >= list.items.length) return exit;
      store(slots, list.items[list.index++] as Value);
    }
    return --budget.fuel < 0 ? tick(next) : next;
  };
}
