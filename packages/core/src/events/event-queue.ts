import type { ToolEvent } from "./tool-event.ts";

/** An event that waits to be read. */
export interface QueuedNode {
  readonly event: ToolEvent;
  /** How many of those missing before it have been replaced by later ones. */
  replaced: number;
  previous: QueuedNode | undefined;
  next: QueuedNode | undefined;
  /** The key of an event that can be dropped. */
  readonly key: string | number | undefined;
}

/**
 * Events that wait for their reader, as many as the limit lets. Of the updates and of the progress of
 * a call only the latest waits. What is too much is dropped: the oldest updates and progress, and
 * when there are none, the oldest events.
 */
export class EventQueue {
  readonly #limit: number;
  readonly #coalesces: boolean;
  /** Events that can be dropped, oldest first. */
  readonly #partial = new Map<string | number, QueuedNode>();
  #first: QueuedNode | undefined;
  #last: QueuedNode | undefined;
  #size = 0;
  /** The same of what comes after the last. */
  readonly #after = { replaced: 0 };

  /** @param coalesces only the latest update of a call waits; false: all that there is room for. */
  constructor(limit: number, coalesces: boolean) {
    this.#limit = limit;
    this.#coalesces = coalesces;
  }

  get first(): QueuedNode | undefined {
    return this.#first;
  }

  push(event: ToolEvent): void {
    const key = this.#toKey(event);
    const node: QueuedNode = {
      event,
      replaced: this.#after.replaced,
      previous: this.#last,
      next: undefined,
      key,
    };
    this.#after.replaced = 0;
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    this.#size += 1;
    if (key !== undefined) {
      const earlier = this.#partial.get(key);
      if (earlier !== undefined) this.#remove(earlier, 1);
      this.#partial.set(key, node);
    }
    if (this.#size <= this.#limit) return;
    const [oldest = this.#first] = this.#partial.values();
    if (oldest !== undefined) this.#remove(oldest, 0);
  }

  /** @param replaced 1: another event replaces it. */
  #remove(node: QueuedNode, replaced: 0 | 1): void {
    const { previous, next, key } = node;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    (next ?? this.#after).replaced += node.replaced + replaced;
    if (key !== undefined) this.#partial.delete(key);
    this.#size -= 1;
  }

  /** Takes the first out. */
  shift(): ToolEvent | undefined {
    const node = this.#first;
    if (node !== undefined) this.#remove(node, 0);
    return node?.event;
  }

  /** The number of those missing before the first that later ones have replaced; returned once. */
  takeReplaced(): number {
    const { replaced } = this.#first ?? this.#after;
    (this.#first ?? this.#after).replaced = 0;
    return replaced;
  }

  clear(): void {
    this.#first = undefined;
    this.#last = undefined;
    this.#size = 0;
    this.#partial.clear();
  }

  #toKey(event: ToolEvent): string | number | undefined {
    if (event.type !== "tool.updated" && event.type !== "tool.progressed") return undefined;
    if (!this.#coalesces) return event.seq;
    // With its length: both ids are of any form, and no two calls may have one key.
    return `${event.type} ${event.runId.length} ${event.runId} ${event.callId}`;
  }
}
