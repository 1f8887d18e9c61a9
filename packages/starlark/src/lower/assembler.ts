import type { Operation, Slot } from "../values/function.ts";

/** A place between operations that others continue at. */
export interface Label {
  index: number;
}

export type Effect = (slots: Slot[]) => void;

type Item =
  | { readonly kind: "effect"; readonly run: Effect; readonly site: number }
  | { readonly kind: "control"; readonly build: (next: number) => Operation; readonly site: number }
  | { readonly kind: "jump"; readonly target: Label }
  | { readonly kind: "label"; readonly label: Label };

/** Operations with their places in the source. */
export interface AssembledCode {
  readonly operations: Operation[];
  readonly sites: number[];
}

/** Collects the operations of a function in order, and joins the ones that always follow each other. */
export class Assembler {
  readonly #items: Item[] = [];
  /** With 1, every statement is an operation of its own, so that each can be watched. */
  readonly #maxJoined: 1 | 4;

  constructor(joined: boolean) {
    this.#maxJoined = joined ? 4 : 1;
  }

  /** Adds something that cannot be suspended and goes on with the next operation. */
  effect(site: number, run: Effect): void {
    this.#items.push({ kind: "effect", run, site });
  }

  /** Adds an operation that decides itself where to go on. `next` is the index of the following one. */
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

  finish(): AssembledCode {
    const builders: { readonly build: (next: number) => Operation; readonly site: number }[] = [];
    const items = this.#items;
    for (let at = 0; at < items.length; at++) {
      const item = items[at] as Item;
      if (item.kind === "label") item.label.index = builders.length;
      else if (item.kind === "jump") builders.push({ site: 0, build: () => jumpTo(item.target) });
      else if (item.kind === "control") builders.push(item);
      else {
        const joined = [item.run];
        while (joined.length < this.#maxJoined && items[at + 1]?.kind === "effect") {
          joined.push((items[++at] as { run: Effect }).run);
        }
        const following = items[at + 1];
        const target = following?.kind === "jump" ? following.target : undefined;
        if (target !== undefined) at++;
        builders.push({ site: item.site, build: (next) => join(joined, target?.index ?? next) });
      }
    }
    return {
      operations: builders.map(({ build }, index) => build(index + 1)),
      sites: builders.map(({ site }) => site),
    };
  }
}

function jumpTo({ index }: Label): Operation {
  return () => index;
}

function join(effects: readonly Effect[], next: number): Operation {
  const [first, second, third, fourth] = effects as [Effect, Effect?, Effect?, Effect?];
  if (second === undefined) {
    return (slots) => {
      first(slots);
      return next;
    };
  }
  if (third === undefined) {
    return (slots) => {
      first(slots);
      second(slots);
      return next;
    };
  }
  if (fourth === undefined) {
    return (slots) => {
      first(slots);
      second(slots);
      third(slots);
      return next;
    };
  }
  return (slots) => {
    first(slots);
    second(slots);
    third(slots);
    fourth(slots);
    return next;
  };
}
