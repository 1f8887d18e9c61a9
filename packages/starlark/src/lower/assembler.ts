import { machine, signals } from "../run/machine.ts";
import { fail } from "../values/error.ts";
import type { Operation, Slot } from "../values/function.ts";
import { isTrue, type Value } from "../values/value.ts";

/**
 * Computes a value from the slots of a frame, without a suspension. What can fail stores its place in `machine.site` after
 * its operands are computed, since they store theirs.
 */
export type Evaluate = (slots: Slot[]) => Value;

export type Store = (slots: Slot[], value: Value) => void;

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
  if (first === undefined) return () => [];
  if (second === undefined) return (slots) => [first(slots)];
  if (values.length === 2) return (slots) => [first(slots), second(slots)];
  return (slots) => values.map((evaluate) => evaluate(slots));
}

/** A place between operations that others continue at. */
export interface Label {
  index: number;
}

/** A part of an operation, which cannot be suspended. A value that it returns is the result of the function. */
export type Run = (slots: Slot[]) => Value | undefined;

interface Effect {
  readonly run: Run;
  /** Whether `run` may return a value. */
  readonly returns: boolean;
}

type Item =
  | (Effect & { readonly kind: "effect"; readonly site: number })
  | { readonly kind: "control"; readonly build: (next: number) => Operation; readonly site: number }
  | { readonly kind: "jump"; readonly target: Label }
  | { readonly kind: "label"; readonly label: Label };

/** Items that are added later. */
export type CapturedItems = readonly Item[];

/** The result of lowering a part, and the items of that part, which are not added yet. */
export interface Captured<Result> {
  readonly result: Result;
  readonly items: CapturedItems;
}

/** A condition with the place of its statement, and what follows if it holds. */
export interface Branch {
  readonly condition: Captured<Evaluate>;
  readonly body: CapturedItems;
  readonly site: number;
}

/** Collects the operations of a function in order, and joins the ones that always follow each other. */
export class Assembler {
  #items: Item[] = [];
  /** Whether operations are joined. If not, each statement is one of its own and can be watched. */
  readonly #joins: boolean;

  constructor(joins: boolean) {
    this.#joins = joins;
  }

  /** Adds something that cannot be suspended. The next operation follows, unless it returns a value. */
  effect(site: number, run: Run, returns = false): void {
    this.#items.push({ kind: "effect", run, site, returns });
  }

  /** Adds an operation that decides itself where to continue. `next` is the index of the following one. */
  control(site: number, build: (next: number) => Operation): void {
    this.#items.push({ kind: "control", build, site });
  }

  jump(target: Label): void {
    this.#items.push({ kind: "jump", target });
  }

  label(): Label {
    return { index: -1 };
  }

  place(label: Label): void {
    this.#items.push({ kind: "label", label });
  }

  capture<Result>(lower: () => Result): Captured<Result> {
    const outer = this.#items;
    const items: Item[] = [];
    this.#items = items;
    const result = lower();
    this.#items = outer;
    return { result, items };
  }

  append(items: CapturedItems): void {
    for (const item of items) this.#items.push(item);
  }

  /** One effect that does what all items do; `undefined` if one of them is more than an effect. */
  toEffect(items: CapturedItems): Effect | undefined {
    const effects = items.filter((item) => item.kind === "effect");
    return this.#joins && effects.length === items.length ? joinEffects(effects) : undefined;
  }

  /** Adds the first branch whose condition holds, or `otherwise`: as one effect if nothing in it can be suspended. */
  branch(branches: readonly Branch[], otherwise: CapturedItems): void {
    const conditions = branches.map(({ condition }) => condition);
    const bodies = [...branches.map(({ body }) => body), otherwise];
    const effects = bodies.flatMap((items) => this.toEffect(items) ?? []);
    if (
      effects.length === bodies.length &&
      conditions.every(({ items }, index) => index === 0 || items.length === 0)
    ) {
      this.append(conditions[0]?.items ?? []);
      const run = chooseEffect(conditions, effects);
      const returns = effects.some((effect) => effect.returns);
      this.effect((branches[0] as Branch).site, run, returns);
      return;
    }
    const end = this.label();
    for (const branch of branches) {
      const other = this.label();
      const { items, result } = branch.condition;
      this.append(items);
      this.control(branch.site, (next) => {
        const { index } = other;
        return (slots) => (holds(result(slots)) ? next : index);
      });
      this.append(branch.body);
      if (branch !== branches.at(-1) || otherwise.length > 0) this.jump(end);
      this.place(other);
    }
    this.append(otherwise);
    this.place(end);
  }

  /** The operations with their places in the source. */
  finish(): { readonly operations: Operation[]; readonly sites: number[] } {
    const builders: { readonly build: (next: number) => Operation; readonly site: number }[] = [];
    const items = this.#items;
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as Item;
      if (item.kind === "label") item.label.index = builders.length;
      else if (item.kind === "jump") {
        const { target } = item;
        builders.push({ site: 0, build: () => () => target.index });
      } else if (item.kind === "control") builders.push(item);
      else {
        const effects = [item];
        let following = items[at + 1];
        for (; this.#joins && following?.kind === "effect"; following = items[at + 1]) {
          effects.push(following);
          at++;
        }
        const target = following?.kind === "jump" ? following.target : undefined;
        if (target !== undefined) at++;
        const joined = joinEffects(effects);
        builders.push({
          site: item.site,
          build: (next) => toOperation(joined, target?.index ?? next),
        });
      }
    }
    return {
      operations: builders.map(({ build }, index) => build(index + 1)),
      sites: builders.map(({ site }) => site),
    };
  }
}

function toOperation({ run, returns }: Effect, next: number): Operation {
  return (slots) => {
    const result = run(slots);
    if (!returns || result === undefined) return next;
    machine.value = result;
    return signals.return;
  };
}

/** Runs the effect of the first condition that holds; the last effect if none does. */
function chooseEffect(conditions: readonly Captured<Evaluate>[], effects: readonly Effect[]): Run {
  const [first, second] = effects as [Effect, Effect];
  if (effects.length > 2) {
    return (slots) => {
      const index = conditions.findIndex(({ result }) => holds(result(slots)));
      return effects.at(index)?.run(slots);
    };
  }
  const { result: condition } = conditions[0] as Captured<Evaluate>;
  const { run: then } = first;
  const { run: otherwise } = second;
  return (slots) => (holds(condition(slots)) ? then(slots) : otherwise(slots));
}

/** One effect that does what several do, in order, until one returns a value. */
function joinEffects(effects: readonly Effect[]): Effect {
  return {
    run: joinRuns(effects.map(({ run }) => run)),
    returns: effects.some(({ returns }) => returns),
  };
}

function joinRuns(runs: readonly Run[]): Run {
  if (runs.length > 3) {
    // A tree: thousands of statements need no deep stack.
    const size = Math.ceil(runs.length / 3);
    const parts = [0, size, 2 * size].map((start) => runs.slice(start, start + size));
    return joinRuns(parts.map(joinRuns));
  }
  const [first, second, third] = runs;
  if (first === undefined) return () => undefined;
  if (second === undefined) return first;
  return (slots) => {
    let result = first(slots);
    if (result === undefined) result = second(slots);
    return result === undefined && third !== undefined ? third(slots) : result;
  };
}
