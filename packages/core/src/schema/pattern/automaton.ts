import { spend } from "./work-budget.ts";
import { includes, inRanges, overlap, wordCharacters, type CharSet } from "./char-set.ts";

/** The conditions of a position between two characters; look-arounds take the bits from `look`. */
export const condition = { start: 1, end: 2, boundary: 4, look: 8 } as const;

/** A state takes a character, goes two ways, asks for a condition, or is the end. */
type State =
  | { readonly kind: "step"; readonly set: CharSet; readonly next: number }
  | { readonly kind: "split"; readonly next: number; other: number }
  | {
      readonly kind: "ask";
      readonly condition: number;
      readonly negative: boolean;
      readonly next: number;
    }
  | { readonly kind: "accept" };

/** States before their conditions are known. What follows from them is worked out once. */
interface Front {
  readonly states: readonly number[];
  readonly closures: Map<number, Closure>;
  conditions: number;
  closure: Closure | undefined;
}

/** States whose conditions are known. */
interface Closure {
  readonly accepts: boolean;
  readonly steps: readonly number[];
  /** By ASCII character, and by any other. */
  readonly next: (Front | undefined)[];
  readonly rare: Map<number, Front>;
}

/** Transitions cached by all automata together; beyond that each drops its own. */
const maxStored = 100_000;
let kept = 0;
let generation = 0;

/**
 * A nondeterministic automaton, run as the deterministic one whose states are found on the way. Its
 * time grows with the text's length times the number of states, and no more.
 */
export class Automaton {
  readonly states: State[] = [];
  start = 0;
  /** Matches begin at any position, not at the first only. */
  search = false;
  /** Which conditions it asks for. */
  asks = 0;
  readonly #fronts = new Map<string, Front>();
  #first: Front | undefined;
  #marks = new Float64Array(0);
  #mark = 0;
  #generation = 0;

  /**
   * Runs over a text, from its start or from its end.
   *
   * @param conditionsAt which of the look-arounds hold at a position.
   * @param accepts receives every position at which a match ends; `true` ends the run.
   */
  run(
    text: Uint32Array,
    backward: boolean,
    conditionsAt: (position: number) => number,
    accepts: (position: number) => boolean,
  ): void {
    const { length } = text;
    const { asks } = this;
    const edges = asks < condition.boundary;
    let front = (this.#generation === generation && this.#first) || this.#restart();
    for (let done = 0; done <= length; done++) {
      const position = backward ? length - done : done;
      const conditions =
        asks === 0 || (edges && done > 0 && done < length)
          ? 0
          : this.#conditions(text, position, conditionsAt);
      const closure =
        front.conditions === conditions && front.closure !== undefined
          ? front.closure
          : this.#close(front, conditions);
      if (closure.accepts && accepts(position)) return;
      if (done === length) return;
      const char = text[backward ? position - 1 : position] as number;
      front =
        (char < 128 ? closure.next[char] : closure.rare.get(char)) ?? this.#advance(closure, char);
      if (front.states.length === 0) return;
    }
  }

  /** Whether there is never more than one way to continue: then backtracking never costs much. */
  get unambiguous(): boolean {
    return (
      this.#oneWay(this.start) &&
      this.states.every((state) => state.kind !== "step" || this.#oneWay(state.next))
    );
  }

  #oneWay(from: number): boolean {
    const seen = new Set<number>();
    const sets: CharSet[] = [];
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      // Two ways to the same state, with nothing taken between.
      if (seen.has(index)) return false;
      seen.add(index);
      spend(20 + sets.length * 10);
      const state = this.states[index] as State;
      if (state.kind === "step") {
        if (sets.length > 40 || sets.some((set) => overlap(set, state.set))) return false;
        sets.push(state.set);
      } else if (state.kind !== "accept") {
        open.push(state.next);
        if (state.kind === "split") open.push(state.other);
      }
    }
    return true;
  }

  #conditions(
    text: Uint32Array,
    position: number,
    conditionsAt: (position: number) => number,
  ): number {
    let found = position === 0 ? condition.start : 0;
    if (position === text.length) found |= condition.end;
    if (this.asks & condition.boundary && isWord(text, position - 1) !== isWord(text, position)) {
      found |= condition.boundary;
    }
    if (this.asks >= condition.look) found |= conditionsAt(position);
    return found & this.asks;
  }

  #restart(): Front {
    return (this.#first = this.#front([this.start]));
  }

  #front(states: readonly number[]): Front {
    if (this.#generation !== generation) {
      this.#fronts.clear();
      this.#first = undefined;
      this.#generation = generation;
    }
    const key = states.join();
    let front = this.#fronts.get(key);
    if (front === undefined) {
      front = { states, closures: new Map(), conditions: 0, closure: undefined };
      this.#fronts.set(key, front);
    }
    return front;
  }

  #close(front: Front, conditions: number): Closure {
    let closure = front.closures.get(conditions);
    if (closure === undefined) {
      closure = this.#follow(front.states, conditions);
      front.closures.set(conditions, closure);
    }
    front.conditions = conditions;
    front.closure = closure;
    return closure;
  }

  #follow(from: readonly number[], conditions: number): Closure {
    const steps: number[] = [];
    let accepts = false;
    const open = [...from];
    const mark = this.#newMark();
    let visited = 0;
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (this.#marks[index] === mark) continue;
      this.#marks[index] = mark;
      visited += 1;
      const state = this.states[index] as State;
      if (state.kind === "step") steps.push(index);
      else if (state.kind === "accept") accepts = true;
      else if (state.kind === "split") open.push(state.next, state.other);
      else if (((conditions & state.condition) === 0) === state.negative) open.push(state.next);
    }
    spend(visited * 10);
    return { accepts, steps, next: [], rare: new Map() };
  }

  #advance(closure: Closure, char: number): Front {
    const mark = this.#newMark();
    const states: number[] = [];
    const add = (state: number): void => {
      if (this.#marks[state] === mark) return;
      this.#marks[state] = mark;
      states.push(state);
    };
    if (this.search) add(this.start);
    spend(closure.steps.length * 15 + 100);
    for (const index of closure.steps) {
      const state = this.states[index] as State;
      if (state.kind === "step" && includes(state.set, char)) add(state.next);
    }
    kept += 1 + states.length / 20;
    if (kept > maxStored) {
      kept = 0;
      generation += 1;
    }
    const front = this.#front(states.sort((a, b) => a - b));
    if (char < 128) closure.next[char] = front;
    else closure.rare.set(char, front);
    return front;
  }

  #newMark(): number {
    if (this.#marks.length < this.states.length) this.#marks = new Float64Array(this.states.length);
    return ++this.#mark;
  }
}

function isWord(text: Uint32Array, position: number): boolean {
  const char = text[position];
  return char !== undefined && inRanges(wordCharacters, char);
}
