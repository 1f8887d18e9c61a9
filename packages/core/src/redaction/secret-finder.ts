import { fromJson, fromLines, fromPercent, unfinishedEscape, type Decoder } from "./decodings.ts";
import { fromDataUrls, fromEntities } from "./markup-decodings.ts";
import { Scanner } from "./scanner.ts";
import { secretPatterns } from "./secret-patterns.ts";
import type { SecretSet } from "./secret-set.ts";
import type { Spans } from "./spans.ts";

const decoders: readonly Decoder[] = [fromJson, fromPercent, fromEntities, fromDataUrls, fromLines];
/** JSON within JSON within JSON, a URL within that, and the other way round. */
const deepest = 3;
/** No credential of any form is shorter. */
export const minFormLength = 12;
const maxEscapeLength = 64;

/** Finds secrets as they are now; what it needs for that is made when it is needed, and made anew when they change. */
export class SecretFinder {
  readonly #sets: () => readonly SecretSet[];
  readonly #forms: boolean;
  #seen: readonly SecretSet[] | undefined;
  #version = -1;
  #scanner!: Scanner;
  /** How short a text may be and still hold one. */
  #shortest = 0;
  #known = false;
  /** An escape of any other character is within no secret. */
  readonly #matters = (unit: number): boolean => this.#scanner.has(unit);

  constructor(sets: () => readonly SecretSet[], forms: boolean) {
    this.#sets = sets;
    this.#forms = forms;
  }

  /** True when secrets are registered. */
  get knows(): boolean {
    this.#renew();
    return this.#known;
  }

  /** Another one whenever secrets have changed. */
  get state(): object {
    this.#renew();
    return this.#scanner;
  }

  /** Adds the places of secrets in `text` to `spans`. */
  find(text: string, spans: Spans, withForms: boolean = this.#forms): void {
    this.#renew();
    if (text.length < this.#shortest) return;
    this.#scanner.find(text, spans, withForms);
    if (this.#known) this.#findEscaped(text, spans, withForms, (at) => at, deepest);
  }

  /** Only secrets that are registered, and only as they are, or base64 of them. */
  findPlain(text: string, spans: Spans): void {
    this.#renew();
    if (this.#known) this.#scanner.find(text, spans, false);
  }

  /** Where the end of `text` may be the beginning of a secret; its length: nowhere. */
  held(text: string): number {
    this.#renew();
    const form = this.#forms ? partialCredential(text) : text.length;
    return this.#known ? Math.min(form, this.#heldIn(text, deepest)) : form;
  }

  #findEscaped(
    text: string,
    spans: Spans,
    withForms: boolean,
    place: (at: number) => number,
    depth: number,
  ): void {
    for (const decode of decoders) {
      const decoded = decode(text, this.#matters);
      if (decoded === undefined) continue;
      const origin = (index: number): number => place(decoded.origin(index));
      const found: Spans = [];
      this.#scanner.find(decoded.text, found, withForms);
      for (const index of found) spans.push(origin(index));
      if (depth > 1) this.#findEscaped(decoded.text, spans, withForms, origin, depth - 1);
    }
  }

  #heldIn(text: string, depth: number): number {
    const tail = Math.max(0, text.length - maxEscapeLength);
    const unfinished = unfinishedEscape.exec(text.slice(tail));
    const end = tail + (unfinished?.index ?? text.length - tail);
    let held = Math.min(end, this.#scanner.held(text));
    if (depth === 0) return held;
    const whole = text.slice(0, end);
    for (const decode of decoders) {
      const decoded = decode(whole, this.#matters);
      if (decoded === undefined) continue;
      held = Math.min(held, decoded.origin(this.#heldIn(decoded.text, depth - 1)));
    }
    return Math.min(held, this.#scanner.held(whole));
  }

  #renew(): void {
    const sets = this.#sets();
    let version = 0;
    for (const set of sets) version += set.version;
    if (sets === this.#seen && version === this.#version) return;
    const patterns = new Set<string>();
    for (const set of sets) {
      for (const secret of set) for (const one of secretPatterns(secret)) patterns.add(one);
    }
    this.#known = patterns.size > 0;
    this.#scanner = new Scanner(patterns, this.#forms);
    this.#shortest = this.#known ? 4 : this.#forms ? minFormLength : Infinity;
    this.#seen = sets;
    this.#version = version;
  }
}

/** How credentials begin that are one word. */
const beginnings =
  "AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ xoxa- xoxb- xoxe- xoxp- xoxr- xoxs- xapp- sk_live_ sk_test_ rk_live_ rk_test_ sk-proj- sk-svcacct- sk-admin- sk-ant- AIza eyJ".split(
    " ",
  );

/** A private key without its end. */
const begunKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?:-{1,5}|-----[\w+/=\s\\:,.()-]{0,65536})?$/;

/** Text beyond this is not searched again. */
const maxSearchedLength = 20_000;

/** The last word of `text`: where a credential may have begun. */
export function lastWord(text: string): number {
  let start = text.length;
  while (
    start > 0 &&
    text.length - start < maxSearchedLength &&
    /[\w.-]/.test(text.charAt(start - 1))
  ) {
    start -= 1;
  }
  return start;
}

/** Where the end of `text` is the beginning of a credential, by its form; its length: nowhere. */
function partialCredential(text: string): number {
  const tail = Math.max(0, text.length - maxSearchedLength);
  const key = begunKey.exec(text.slice(tail));
  if (key !== null) return tail + key.index;
  const start = lastWord(text);
  // A word may follow on an escape, such as \n or %20.
  for (const skipped of [0, 1, 2, 5]) {
    const word = text.slice(start + skipped, start + skipped + 16);
    if (beginnings.some((one) => word.startsWith(one))) return start + skipped;
  }
  return text.length;
}
