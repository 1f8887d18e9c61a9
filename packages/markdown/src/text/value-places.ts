import type { Place } from "./finding.ts";

/** The way to a value: keys of maps and indices of lists. */
export type ValuePath = readonly (string | number)[];

/** How YAML writes a text: `literal` is `|`, `folded` is `>`. */
type TextStyle = "literal" | "folded" | "quoted" | "plain";

/** A text of several lines or of one, with the place of its first character. */
export interface PlacedText {
  readonly style: TextStyle;
  /** Each line of a `literal` text starts at this column. */
  readonly place: Place;
  /** The text takes several lines of the file, which YAML joins: places in it are unknown. False for `literal`. */
  readonly isJoined: boolean;
}

/** The places of the keys and values of one map. A path that is unknown has the place of the nearest one above it. */
export interface ValuePlaces {
  /** The place of the last key of a path. An entry of a list has the place of its value. */
  key(path: ValuePath): Place;
  value(path: ValuePath): Place;
  /** Absent: no text of YAML. */
  text(path: ValuePath): PlacedText | undefined;
  /** Whether the value could not be read: a fault has been reported for it already. */
  isFaulty(path: ValuePath): boolean;
}

/** The places of one key and its value: computed when they are asked for, which few are. */
interface Entry {
  readonly key?: () => Place;
  readonly value: () => Place;
  readonly text: () => PlacedText | undefined;
}

/** The places that are recorded while YAML is read. */
export class RecordedPlaces implements ValuePlaces {
  readonly #entries = new Map<string, Entry>();
  readonly #faulty = new Set<string>();
  readonly #start: Place;

  /** @param start the place of a path that has none. */
  constructor(start: Place) {
    this.#start = start;
  }

  add(path: ValuePath, entry: Entry): void {
    this.#entries.set(toKey(path), entry);
  }

  /** Records that the value of a path, and everything in it, has a fault. */
  addFault(path: ValuePath): void {
    this.#faulty.add(toKey(path));
  }

  key(path: ValuePath): Place {
    const entry = this.#nearest(path);
    return entry === undefined ? this.#start : (entry.key ?? entry.value)();
  }

  value(path: ValuePath): Place {
    return this.#nearest(path)?.value() ?? this.#start;
  }

  text(path: ValuePath): PlacedText | undefined {
    return this.#entries.get(toKey(path))?.text();
  }

  isFaulty(path: ValuePath): boolean {
    if (this.#faulty.size === 0) return false;
    return path.some((_, index) => this.#faulty.has(toKey(path.slice(0, index + 1))));
  }

  #nearest(path: ValuePath): Entry | undefined {
    for (let length = path.length; length >= 0; length--) {
      const entry = this.#entries.get(toKey(path.slice(0, length)));
      if (entry !== undefined) return entry;
    }
    return undefined;
  }
}

/** The places of values that are no YAML: all have the same one. */
export function samePlace(place: Place): ValuePlaces {
  return {
    key: () => place,
    value: () => place,
    text: () => undefined,
    isFaulty: () => false,
  };
}

function toKey(path: ValuePath): string {
  return path.join("\0");
}
