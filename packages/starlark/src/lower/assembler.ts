import { machine, tick } from "../run/machine.ts";
import { budget } from "../values/budget.ts";
import { fail } from "../values/error.ts";
import type { Operation, Slot } from "../values/function.ts";
import { isTrue, type Value } from "../values/value.ts";

/**
 * Computes a value from the slots of a frame, without a suspension. What can fail stores its place in `machine.site` after
 * its operands are computed, since they store theirs.
 */
export type Evaluate = (slots: Slot[]) => Value;

export type Store = (slots: Slot[], value: Value) => void;

/** A part of a function that cannot be suspended and has no result. */
export type Run = (slots: Slot[]) => void;

export function failAt(site: number, message: string): never {
  machine.site = site;
  return fail(message);
}

export function holds(value: Value): boolean {
  return value === true || (value !== false && isTrue(value));
}

/** Reads a slot that has a value. */
export function readSlot(slot: number): Evaluate {
  return (slots) => slots[slot] as Value;
}

/** Computes values from left to right. */
export function lowerList(values: readonly Evaluate[]): (slots: Slot[]) => Value[] {
  const [first, second] = values;
  if (first !== undefined && values.length === 1) return (slots) => [first(slots)];
  if (first !== undefined && second !== undefined && values.length === 2)
    return (slots) => [first(slots), second(slots)];
  return (slots) => values.map((evaluate) => evaluate(slots));
}

/** A place between operations that others continue at. It is placed before the operations run. */
export class Label {
  index = -1;
}

/** An operation before its index is known. `run` is all that it does, if it decides nothing. */
interface Step {
  readonly site: number;
  readonly build: (next: number) => Operation;
  readonly run?: Run;
  /** Where to continue, if not at the operation that follows. */
  next?: Label;
}

/** Operations that are added later. */
type Items = readonly (Step | Label)[];

/** The result of lowering a part, and the operations of that part, which are not added yet. */
export interface Captured<Result> {
  readonly result: Result;
  readonly items: Items;
}

/** A condition, its statement, and what follows if it holds. Both functions add operations. */
interface Branch {
  readonly site: number;
  readonly condition: () => Evaluate;
  readonly body: () => void;
}

/** Collects the operations of a function in order. */
export class Assembler {
  #items: (Step | Label)[] = [];

  /** Adds an operation that the next one follows. */
  effect(site: number, run: Run): void {
    const build =
      (next: number): Operation =>
      (slots) => {
        run(slots);
        return next;
      };
    this.#items.push({ site, build, run });
  }

  /** Adds an operation that decides itself where to continue. `next` is the index of the following one. */
  control(site: number, build: (next: number) => Operation): void {
    this.#items.push({ site, build });
  }

  jump(site: number, target: Label): void {
    const last = this.#items.at(-1);
    if (last !== undefined && "build" in last && last.next === undefined) last.next = target;
    else this.control(site, () => () => target.index);
  }

  place(label: Label): void {
    this.#items.push(label);
  }

  /** Adds the body of the first branch whose condition holds, or what `otherwise` adds. */
  branch(branches: readonly Branch[], otherwise: () => void = () => undefined): void {
    const end = new Label();
    for (const { site, condition, body } of branches) {
      const other = new Label();
      const test = condition();
      this.control(site, (next) => (slots) => (holds(test(slots)) ? next : other.index));
      body();
      this.jump(site, end);
      this.place(other);
    }
    otherwise();
    this.place(end);
  }

  /** Begins a round of a loop, or leaves the loop if the condition does not hold. */
  round(site: number, condition: Evaluate, exit: Label): void {
    this.control(site, (next) => (slots) => {
      if (!holds(condition(slots))) return exit.index;
      return --budget.fuel < 0 ? tick(next) : next;
    });
  }

  capture<Result>(lower: () => Result): Captured<Result> {
    const outer = this.#items;
    const items: Items = (this.#items = []);
    const result = lower();
    this.#items = outer;
    return { result, items };
  }

  append(items: Items): void {
    for (const item of items) this.#items.push(item);
  }

  /** The operations with their places in the source. */
  finish(): { readonly operations: Operation[]; readonly sites: number[] } {
    const steps: Step[] = [];
    for (const item of this.#items) {
      if (item instanceof Label) item.index = steps.length;
      else steps.push(item);
    }
    return {
      operations: steps.map(({ build, next }, index) => build(next?.index ?? index + 1)),
      sites: steps.map(({ site }) => site),
    };
  }
}

/** All that operations do; `undefined` if one of them decides where to continue. */
export function toRun(items: Items): Run | undefined {
  const runs = items.flatMap((item) => ("build" in item && !item.next && item.run) || []);
  return runs.length === items.length ? joinRuns(runs) : undefined;
}

/** One function that does what several do, in order. */
function joinRuns(runs: readonly Run[]): Run {
  if (runs.length > 3) {
    // A tree: thousands of statements need no deep stack.
    const size = Math.ceil(runs.length / 3);
    const parts = [0, size, 2 * size].map((start) => runs.slice(start, start + size));
    return joinRuns(parts.map(joinRuns));
  }
  const nothing: Run = () => undefined;
  const [first = nothing, second, third = nothing] = runs;
  if (second === undefined) return first;
  return (slots) => {
    first(slots);
    second(slots);
    third(slots);
  };
}
