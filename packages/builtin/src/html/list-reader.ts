import type { MarkdownWriter } from "./markdown-writer.ts";
import { once } from "./element-kinds.ts";
import type { Attributes, EndAction } from "./read-elements.ts";

/** The lists of a page that are open. */
export class ListReader {
  /** The number of items of each list that is numbered from its end. */
  readonly reversedSizes: number[] = [];
  readonly #knownSizes: readonly number[];
  readonly #lists: OpenList[] = [];

  /** @param knownSizes `reversedSizes` of a pass before. */
  constructor(knownSizes: readonly number[]) {
    this.#knownSizes = knownSizes;
  }

  open(writer: MarkdownWriter, isOrdered: boolean, attributes: Attributes): EndAction {
    const { reversed, start } = attributes;
    writer.endBlock();
    const isReversed = isOrdered && reversed !== undefined && start === undefined;
    const index = this.reversedSizes.length;
    if (isReversed) this.reversedSizes.push(0);
    const list = new OpenList(isOrdered, attributes, this.#knownSizes[index]);
    // A list that is not in an item, but directly in another list, belongs to the item before it.
    const outer = this.#lists.at(-1);
    const isIndented = outer !== undefined && !outer.isItemOpen && outer.size > 0;
    if (isIndented) writer.openIndent(outer.indent);
    this.#lists.push(list);
    return () => {
      this.#lists.pop();
      list.endItem();
      if (isIndented) writer.closeContainer();
      if (isReversed) this.reversedSizes[index] = list.size;
      writer.endBlock();
    };
  }

  /** The end tag of an item is optional, whatever is open in it. */
  openItem(writer: MarkdownWriter, attributes: Attributes): EndAction {
    const list = this.#lists.at(-1);
    list?.endItem();
    const isTight = (list !== undefined && list.size > 0) || this.#lists.length > 1;
    const end = once(() => {
      writer.closeContainer();
      if (list !== undefined) list.isItemOpen = false;
    });
    const marker = list?.nextMarker(attributes) ?? "- ";
    if (list !== undefined)
      Object.assign(list, { endItem: end, isItemOpen: true, indent: marker.length });
    writer.openItem(marker, isTight);
    return end;
  }
}

/** A list that is open, and the numbers of its items (HTML 4.4.5 and 4.4.8). */
class OpenList {
  readonly #isOrdered: boolean;
  /** Its items so far. */
  size = 0;
  /** Ends the item that is open. */
  endItem: () => void = () => {};
  isItemOpen = false;
  /** The width of the marker of its last item. */
  indent = 2;
  readonly #type: string;
  readonly #step: 1 | -1;
  #next: number;

  /** @param size of a list that is numbered from its end; undefined: not known yet. */
  constructor(isOrdered: boolean, { start, reversed, type = "1" }: Attributes, size?: number) {
    this.#isOrdered = isOrdered;
    this.#type = type;
    this.#step = reversed === undefined ? 1 : -1;
    this.#next = readInteger(start) ?? (reversed === undefined ? 1 : (size ?? 1));
  }

  /** The beginning of the next item, such as `- ` or `3. `. */
  nextMarker({ value, type }: Attributes): string {
    this.size += 1;
    if (!this.#isOrdered) return "- ";
    const number = readInteger(value) ?? this.#next;
    this.#next = number + this.#step;
    return `${formatNumber(number, type ?? this.#type)}. `;
  }
}

/** Browsers ignore larger numbers. */
const maxInteger = 2_147_483_647;

/** An integer as HTML reads it (2.3.4.1): what follows its digits is ignored. */
function readInteger(text: string | undefined): number | undefined {
  const digits = /^\s{0,20}([-+]?\d{1,400})/.exec(text ?? "")?.[1];
  const number = Number(digits);
  return digits === undefined || Math.abs(number) > maxInteger ? undefined : number;
}

function formatNumber(number: number, type: string): string {
  switch (type) {
    case "a":
    case "A":
      return number < 1 ? String(number) : toCase(toLetters(number), type === "A");
    case "i":
    case "I":
      return number < 1 || number > 3999 ? String(number) : toCase(toRoman(number), type === "I");
    default:
      return String(number);
  }
}

function toCase(text: string, isUpper: boolean): string {
  return isUpper ? text.toUpperCase() : text;
}

/** 1 is `a`, 26 is `z`, and 27 is `aa`. */
function toLetters(number: number): string {
  let letters = "";
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(97 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

function toRoman(number: number): string {
  let roman = "";
  let rest = number;
  for (const [letters, value] of romans) {
    for (; rest >= value; rest -= value) roman += letters;
  }
  return roman;
}

const romans: readonly (readonly [string, number])[] = [
  ["m", 1000],
  ["cm", 900],
  ["d", 500],
  ["cd", 400],
  ["c", 100],
  ["xc", 90],
  ["l", 50],
  ["xl", 40],
  ["x", 10],
  ["ix", 9],
  ["v", 5],
  ["iv", 4],
  ["i", 1],
];
