import { spend } from "./work-budget.ts";
import { condition } from "./automaton.ts";
import { buildAutomaton, isAnchored, type Look } from "./build-automaton.ts";
import type { PatternNode } from "./parse-pattern.ts";

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
    const chars = charsOf(text, unicode);
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

function charsOf(text: string, unicode: boolean): Uint32Array {
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
