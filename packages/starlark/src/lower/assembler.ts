import type { Operation, Slot } from "../values/function.ts";

/** A place between operations that others continue at. */
export interface Label {
  index: number;
}

export type Effect = (slots: Slot[]) => void;

type Item =
  | { readonly kind: "effect"; readonly run: Effect; readonly site: number }
  | { readonly kind: "control"; readonly build: (next: number) => Operation; readonly site: number }
  | {
      readonly kind: "loop";
      readonly head: Label;
      readonly loop: LoopBuilders;
      readonly site: number;
    }
  | { readonly kind: "jump"; readonly target: Label }
  | { readonly kind: "label"; readonly label: Label };

/** The two forms of the operation at the head of a loop. */
export interface LoopBuilders {
  /** Takes one item and continues at `next`. */
  readonly step: (next: number) => Operation;
  /** Runs the whole loop: its body cannot be suspended. `self` is the index of the operation. */
  readonly tight: (body: Effect, self: number) => Operation;
}

/** Items that are added later. */
export type CapturedItems = readonly Item[];

/** Operations with their places in the source. */
export interface AssembledCode {
  readonly operations: Operation[];
  readonly sites: number[];
}

/** Collects the operations of a function in order, and joins the ones that always follow each other. */
export class Assembler {
  #items: Item[] = [];
  /** Whether operations are joined. If not, each statement is one of its own and can be watched. */
  readonly #joins: boolean;

  constructor(joins: boolean) {
    this.#joins = joins;
  }

  /** Adds something that cannot be suspended and continues with the next operation. */
  effect(site: number, run: Effect): void {
    this.#items.push({ kind: "effect", run, site });
  }

  /** Adds an operation that decides itself where to continue. `next` is the index of the following one. */
  control(site: number, build: (next: number) => Operation): void {
    this.#items.push({ kind: "control", build, site });
  }

  /** Adds the head of a loop, which `head` is placed at. */
  loop(site: number, head: Label, loop: LoopBuilders): void {
    this.place(head);
    this.#items.push({ kind: "loop", head, loop, site });
  }

  /** The items that `lower` adds, which are not added yet. */
  capture(lower: () => void): CapturedItems {
    const outer = this.#items;
    const captured: Item[] = [];
    this.#items = captured;
    lower();
    this.#items = outer;
    return captured;
  }

  append(items: CapturedItems): void {
    this.#items.push(...items);
  }

  /** One effect that does what all items do; `undefined` if one of them is more than an effect. */
  toEffect(items: CapturedItems): Effect | undefined {
    if (!this.#joins) return undefined;
    const effects = items.flatMap((item) => (item.kind === "effect" ? [item.run] : []));
    return effects.length === items.length ? joinEffects(effects) : undefined;
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

  finish(): AssembledCode {
    const builders: { readonly build: (next: number) => Operation; readonly site: number }[] = [];
    const items = this.#items;
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as Item;
      if (item.kind === "label") item.label.index = builders.length;
      else if (item.kind === "jump") builders.push({ site: 0, build: () => jumpTo(item.target) });
      else if (item.kind === "control") builders.push(item);
      else {
        const following = this.#effectsFrom(item.kind === "loop" ? at + 1 : at);
        const end = items[following.end];
        const target = end?.kind === "jump" ? end.target : undefined;
        if (item.kind === "loop" && (target !== item.head || !this.#joins)) {
          builders.push({ site: item.site, build: item.loop.step });
          continue;
        }
        at = target === undefined ? following.end - 1 : following.end;
        const effect = joinEffects(following.effects);
        const build =
          item.kind === "loop"
            ? (next: number) => item.loop.tight(effect, next - 1)
            : (next: number) => continueAfter(effect, target?.index ?? next);
        builders.push({ site: item.site, build });
      }
    }
    return {
      operations: builders.map(({ build }, index) => build(index + 1)),
      sites: builders.map(({ site }) => site),
    };
  }

  #effectsFrom(start: number): { readonly effects: Effect[]; readonly end: number } {
    const effects: Effect[] = [];
    let end = start;
    for (let item = this.#items[end]; item?.kind === "effect"; item = this.#items[++end]) {
      effects.push(item.run);
      if (!this.#joins) return { effects, end: end + 1 };
    }
    return { effects, end };
  }
}

function jumpTo({ index }: Label): Operation {
  return () => index;
}

function continueAfter(effect: Effect, next: number): Operation {
  return (slots) => {
    effect(slots);
    return next;
  };
}

/** One effect that does what several do, in order. */
function joinEffects(effects: readonly Effect[]): Effect {
  if (effects.length > 4) {
    // A tree of groups: thousands of statements need no deep stack.
    const groups: Effect[] = [];
    for (let at = 0; at < effects.length; at += 4)
      groups.push(joinEffects(effects.slice(at, at + 4)));
    return joinEffects(groups);
  }
  const [first, second, third, fourth] = effects;
  if (first === undefined) return () => undefined;
  if (second === undefined) return first;
  if (third === undefined) {
    return (slots) => {
      first(slots);
      second(slots);
    };
  }
  if (fourth === undefined) {
    return (slots) => {
      first(slots);
      second(slots);
      third(slots);
    };
  }
  return (slots) => {
    first(slots);
    second(slots);
    third(slots);
    fourth(slots);
  };
}
