import { lastWord } from "./partial-credential.ts";
import type { SecretFinder } from "./secret-finder.ts";
import { mask, merged, type Spans } from "./spans.ts";

/** A shorter beginning reveals nothing, and many texts end like it. */
const minHeldLength = 4;

/**
 * Texts that pass one after the other, such as a call's updates, without the secrets that are cut
 * between them. The end of one that may be the beginning of a secret is held back; what belongs to a
 * secret that began before does not come either.
 */
export class RedactingStream {
  readonly #finders: readonly SecretFinder[];
  /** The end of the text before that a secret may have begun in. */
  #before = "";

  constructor(finders: readonly SecretFinder[]) {
    this.#finders = finders;
  }

  /** The next text, as far as it may pass. */
  next(text: string): string {
    const offset = this.#before.length;
    const whole = this.#before + text;
    const spans: Spans = [];
    for (const finder of this.#finders) finder.find(whole, spans);
    let end = Math.min(...this.#finders.map((finder) => finder.held(whole)));
    const secrets = merged(spans);
    for (const [from, to] of secrets) if (from < end && to > end) end = from;
    // A complete secret begins no other one.
    const last = secrets.findLast(([, to]) => to <= end)?.[1] ?? 0;
    this.#before = whole.slice(Math.max(last, Math.min(end, lastWord(whole))));
    if (whole.length - end < minHeldLength) end = whole.length;
    let result = "";
    let at = offset;
    for (const [from, to] of secrets) {
      if (to <= offset || from >= end) continue;
      if (from > at) result += whole.slice(at, from);
      result += mask;
      at = to;
    }
    return at < end ? result + whole.slice(at, end) : result;
  }
}
