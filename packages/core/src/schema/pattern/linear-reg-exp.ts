import { allowWork, spend } from "./work-budget.ts";
import { buildAutomaton, isAnchored, longest, countStates, type Look } from "./build-automaton.ts";
import { parsePattern, type PatternNode } from "./parse-pattern.ts";
import { condition } from "./automaton.ts";

const maxPatternLength = 20_000;
/** States of one pattern, its counts written out. */
const maxStates = 5000;
/** For patterns that are examined closely enough to use the native engine. */
const maxNativeStates = 300;
/** A match that may begin anywhere costs the native engine its length at each place. */
const maxNativeLength = 64;
const maxLooks = 20;

/** A regular expression whose time grows with the text's length, and no faster. */
export interface LinearRegExp {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Matches as `new RegExp(pattern, flags)` does (without flags if it is valid only so), in linear time: with the native
 * engine if backtracking is free, otherwise with an automaton. The choice is made at the first use.
 *
 * @throws SyntaxError when it is no regular expression.
 * @throws Error when no engine matches it in bounded time: back-references, thousands of states.
 */
export function linearRegExp(pattern: string, flags: string): LinearRegExp {
  const native = nativeRegExp(pattern, flags);
  if (pattern.length > maxPatternLength || countLookaheads(pattern) > maxLooks)
    throw unbounded(pattern);
  let tree: PatternNode;
  try {
    tree = parsePattern(pattern, native.unicode);
  } catch (error) {
    throw unbounded(pattern, error);
  }
  const size = countStates(tree);
  spend(Math.min(size, maxStates) * 1000);
  if (size > maxStates && !isNative(tree)) throw unbounded(pattern);
  return new LinearTest(native, tree);
}

/**
 * Returns a test of texts by a regular expression, in time linear in each text.
 *
 * @throws SyntaxError when it is no regular expression.
 * @throws Error when no engine matches it in bounded time: back-references, thousands of states.
 */
export function linearTest(pattern: string, flags: string): (text: string) => boolean {
  allowWork(Infinity);
  const expression = linearRegExp(pattern, flags);
  return (text) => {
    allowWork(Infinity);
    return expression.test(text);
  };
}

/** Patterns of real documents are not always valid with the `u` flag. */
function nativeRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

/** Thrown for a regular expression that nothing can check in bounded time. */
export class UncheckablePattern extends Error {}

function unbounded(pattern: string, cause?: unknown): Error {
  const quoted = JSON.stringify(pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern);
  return new UncheckablePattern(`pattern ${quoted} cannot be checked in bounded time`, { cause });
}

/** Whether the native engine may be left alone with a pattern, with the `u` flag. */
export function isNativePattern(pattern: string): boolean {
  try {
    return isNative(parsePattern(pattern, new RegExp(pattern, "u").unicode));
  } catch {
    return false;
  }
}

function countLookaheads(pattern: string): number {
  return pattern.match(/\(\?<?[=!]/g)?.length ?? 0;
}

class LinearTest implements LinearRegExp {
  readonly #native: RegExp;
  readonly #tree: PatternNode;
  #matches: ((text: string) => boolean) | undefined;

  constructor(native: RegExp, tree: PatternNode) {
    this.#native = native;
    this.#tree = tree;
  }

  test(text: string): boolean {
    this.#matches ??= matcher(this.#native, this.#tree);
    return this.#matches(text);
  }

  toString(): string {
    return String(this.#native);
  }
}

function matcher(native: RegExp, tree: PatternNode): (text: string) => boolean {
  if (!isNative(tree)) return linearMatcher(tree, native.unicode);
  const each = isAnchored(tree) ? 1 : 1 + longest(tree) / 4;
  return (text) => {
    spend(50 + text.length * each);
    return native.test(text);
  };
}

/**
 * An engine that goes back tries, at every place it has passed, every other way that leads on from
 * there. Where no two ways take the same character, each of them ends at once.
 */
function isNative(tree: PatternNode): boolean {
  if (!isAnchored(tree) && longest(tree) > maxNativeLength) return false;
  const looks: Look[] = [];
  const automaton = buildAutomaton(
    tree,
    looks,
    countStates(tree) > maxNativeStates ? "loose" : "exact",
  );
  return (
    looks.length === 0 && automaton.states.length <= 2 * maxNativeStates && automaton.unambiguous
  );
}

/**
 * A test for texts that reads each of them once, and once more for every look-around.
 *
 * @param unicode the text is taken as code points, not as code units.
 */
export function linearMatcher(tree: PatternNode, unicode: boolean): (text: string) => boolean {
  const looks: Look[] = [];
  const automaton = buildAutomaton(tree, looks);
  automaton.search = !isAnchored(tree);
  return (text) => {
    spend((100 + text.length * 10) * (1 + looks.length));
    const chars = toCharacters(text, unicode);
    // Where each look-around would match: regular themselves, they are run over the text before.
    const holds: Uint8Array[] = [];
    const conditionsAt = (position: number): number =>
      holds.reduce(
        (bits, hold, look) => (hold[position] === 1 ? bits | (condition.look << look) : bits),
        0,
      );
    for (const { automaton, behind } of looks) {
      const hold = new Uint8Array(chars.length + 1);
      automaton.run(chars, !behind, conditionsAt, (position) => {
        hold[position] = 1;
        return false;
      });
      holds.push(hold);
    }
    let matched = false;
    automaton.run(chars, false, conditionsAt, () => (matched = true));
    return matched;
  };
}

function toCharacters(text: string, unicode: boolean): Uint32Array {
  const chars = new Uint32Array(text.length);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    let char = text.charCodeAt(index);
    if (unicode && (char & 0xfc00) === 0xd800) {
      char = text.codePointAt(index) as number;
      if (char > 0xffff) index += 1;
    }
    chars[count++] = char;
  }
  return count === chars.length ? chars : chars.subarray(0, count);
}
