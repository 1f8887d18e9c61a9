import { Automaton, condition } from "./automaton.ts";
import type { LookNode, PatternNode } from "./parse-pattern.ts";

/** A look-around as what it looks for. */
export interface Look {
  readonly automaton: Automaton;
  readonly behind: boolean;
}

/** How many states a pattern has when its counts are written out; more than 2^53 is `Infinity`. */
export function countStates(node: PatternNode): number {
  switch (node.kind) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + countStates(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + countStates(option) + 1, 0);
    case "repeat": {
      const times = node.max === Infinity ? Math.max(1, node.min) : node.max;
      return times === 0 ? 0 : (countStates(node.body) + 1) * times;
    }
    case "look":
      return countStates(node.body) + 1;
    default:
      return 1;
  }
}

/** The longest text that a pattern can take. */
export function longest(node: PatternNode): number {
  switch (node.kind) {
    case "step":
      return 1;
    case "sequence":
      return node.parts.reduce((sum, part) => sum + longest(part), 0);
    case "choice":
      return Math.max(...node.options.map(longest));
    case "repeat": {
      const length = longest(node.body);
      return length === 0 || node.max === 0 ? 0 : length * node.max;
    }
    default:
      return 0;
  }
}

/** Whether a match can begin only where the text begins. */
export function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case "position":
      return node.at === "start";
    case "sequence":
      for (const part of node.parts) {
        if (isAnchored(part)) return true;
        if (longest(part) > 0) return false;
      }
      return false;
    case "choice":
      return node.options.every(isAnchored);
    case "repeat":
      return node.min > 0 && isAnchored(node.body);
    default:
      return false;
  }
}

/**
 * Makes an automaton of a pattern.
 *
 * @param looks receives its look-arounds, inner ones first; absent for a pattern without any.
 * @param counts `"loose"` treats a part that is repeated more than once as repeated without limit: a much smaller
 * automaton with at least as many ways to continue.
 */
export function buildAutomaton(
  node: PatternNode,
  looks: Look[],
  counts: "exact" | "loose" = "exact",
): Automaton {
  const known = new Map<LookNode, number>();
  return build(node, false);

  function build(node: PatternNode, backward: boolean): Automaton {
    const automaton = new Automaton();
    const { states } = automaton;
    states.push({ kind: "accept" });
    automaton.start = add(node, 0);
    return automaton;

    /** The state from which `node` leads to `next`. */
    function add(node: PatternNode, next: number): number {
      switch (node.kind) {
        case "step":
          return states.push({ kind: "step", set: node.set, next }) - 1;
        case "sequence": {
          const parts = backward ? node.parts : node.parts.toReversed();
          return parts.reduce((next, part) => add(part, next), next);
        }
        case "choice":
          return node.options
            .map((option) => add(option, next))
            .reduce((next, other) => states.push({ kind: "split", next, other }) - 1);
        case "repeat":
          return repeat(node, next);
        case "position":
          return ask(condition[node.at], node.negative, next);
        case "look":
          return ask(condition.look << look(node), node.negative, next);
      }
    }

    function repeat(
      { body, min, max }: PatternNode & { readonly kind: "repeat" },
      next: number,
    ): number {
      const most = counts === "loose" && max > 1 ? Infinity : max;
      const least = counts === "loose" ? Math.min(min, 1) : min;
      let first = next;
      if (most === Infinity) {
        const loop = { kind: "split" as const, next, other: next };
        first = states.push(loop) - 1;
        loop.other = add(body, first);
        if (least > 0) first = loop.other;
      } else {
        for (let optional = least; optional < most; optional++) {
          first = states.push({ kind: "split", next, other: add(body, first) }) - 1;
        }
      }
      const copies = most === Infinity ? least - 1 : least;
      for (let copy = 0; copy < copies; copy++) first = add(body, first);
      return first;
    }

    function ask(condition: number, negative: boolean, next: number): number {
      automaton.asks |= condition;
      return states.push({ kind: "ask", condition, negative, next }) - 1;
    }
  }

  function look(node: LookNode): number {
    let index = known.get(node);
    if (index === undefined) {
      const automaton = build(node.body, !node.behind);
      automaton.search = true;
      index = looks.push({ automaton, behind: node.behind }) - 1;
      known.set(node, index);
    }
    return index;
  }
}
