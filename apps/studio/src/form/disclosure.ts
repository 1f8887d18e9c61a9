import { signal, type Signal } from "@preact/signals";
import type { FormNode } from "../json/node.ts";

/** The depth below which large values are collapsed at first. */
const maxOpenDepth = 2;
/** The number of values in one that is large. */
const largeCount = 12;
/** The number of items of a list that are displayed together. */
export const groupSize = 50;

/** Which parts of a form are open. A part keeps its state while its value changes and moves. */
export class Disclosure {
  readonly #open = new Map<string, Signal<boolean>>();

  /** Whether an object or array is open. At first it is, unless it is large and below depth 2. */
  isOpen(node: FormNode, depth: number): Signal<boolean> {
    return this.#state(
      String(node.id),
      () => depth <= maxOpenDepth || countValues(node) < largeCount,
    );
  }

  /** Whether a group of items of a long list is open. At first, the first one is. */
  isGroupOpen(node: FormNode, group: number): Signal<boolean> {
    return this.#state(`${node.id}:${group}`, () => group === 0);
  }

  /** Whether the optional members of an object that has many are open. */
  isOptionalOpen(node: FormNode, isOpenAtFirst: boolean): Signal<boolean> {
    return this.#state(`${node.id}:optional`, () => isOpenAtFirst);
  }

  /** Opens an object or array, with its optional members, and the group of one of its items. */
  open(id: number, index?: number): void {
    this.#state(String(id), () => true).value = true;
    this.#state(`${id}:optional`, () => true).value = true;
    if (index === undefined) return;
    this.#state(`${id}:${Math.floor(index / groupSize)}`, () => true).value = true;
  }

  #state(key: string, initial: () => boolean): Signal<boolean> {
    let state = this.#open.get(key);
    if (state === undefined) this.#open.set(key, (state = signal(initial())));
    return state;
  }
}

/** The number of values in one, up to what counts as large. */
function countValues(node: FormNode): number {
  const open: FormNode[] = [node];
  let count = 0;
  for (let next = open.pop(); next !== undefined && count < largeCount; next = open.pop()) {
    count++;
    if (next.kind === "array") open.push(...next.items.slice(0, largeCount));
    else if (next.kind === "object") open.push(...[...next.members.values()].slice(0, largeCount));
  }
  return count;
}
