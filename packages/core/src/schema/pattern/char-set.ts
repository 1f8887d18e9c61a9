/** Which characters (code points, or code units without the `u` flag) one step of a pattern takes. */
export interface CharSet {
  /** First, last, first, last, …: ascending, none touching the next. */
  readonly ranges: readonly number[];
  /** Properties that only the native engine supports (`\p{…}`), each as a test for one character. */
  readonly properties: readonly RegExp[];
  /** Takes what neither the ranges nor the properties have. */
  readonly negated: boolean;
}

const last = 0x10ffff;

/** `\d`, as ranges. */
export const digits: readonly number[] = [48, 57];
/** `\w`, as ranges. */
export const wordCharacters: readonly number[] = [48, 57, 65, 90, 95, 95, 97, 122];
/** LineTerminator of ECMAScript, as ranges. */
export const lineEnds: readonly number[] = [10, 10, 13, 13, 0x2028, 0x2029];
/** WhiteSpace and LineTerminator of ECMAScript. */
export const spaces: readonly number[] = [
  9, 13, 32, 32, 160, 160, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f,
  0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
];

/** A set of what lies in ranges, in any order, and of what has one of the properties. `negated`: of everything else. */
export function charSet(
  ranges: readonly number[],
  properties: readonly RegExp[] = [],
  negated = false,
): CharSet {
  const merged = merge(ranges);
  return negated && properties.length === 0
    ? { ranges: complement(merged), properties, negated: false }
    : { ranges: merged, properties, negated };
}

function merge(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    pairs.push([ranges[index] as number, ranges[index + 1] as number]);
  }
  pairs.sort(([a], [b]) => a - b);
  const merged: number[] = [];
  for (const [from, to] of pairs) {
    const end = merged.length - 1;
    if (end > 0 && from <= (merged[end] as number) + 1) {
      merged[end] = Math.max(merged[end] as number, to);
    } else merged.push(from, to);
  }
  return merged;
}

/** Every character that is in none of the (merged) ranges. */
export function complement(ranges: readonly number[]): number[] {
  const rest: number[] = [];
  let from = 0;
  for (let index = 0; index < ranges.length; index += 2) {
    if ((ranges[index] as number) > from) rest.push(from, (ranges[index] as number) - 1);
    from = (ranges[index + 1] as number) + 1;
  }
  if (from <= last) rest.push(from, last);
  return rest;
}

/** True when the set has a character. */
export function includes({ ranges, properties, negated }: CharSet, char: number): boolean {
  return (inRanges(ranges, char) || hasProperty(properties, char)) !== negated;
}

/** True when ascending ranges have a character. */
export function inRanges(ranges: readonly number[], char: number): boolean {
  for (let index = 0; index < ranges.length; index += 2) {
    if (char < (ranges[index] as number)) return false;
    if (char <= (ranges[index + 1] as number)) return true;
  }
  return false;
}

function hasProperty(properties: readonly RegExp[], char: number): boolean {
  if (properties.length === 0) return false;
  const text = String.fromCodePoint(char);
  return properties.some((property) => property.test(text));
}

/** Whether a character may be in both. What only the native engine knows may be. */
export function overlap(a: CharSet, b: CharSet): boolean {
  if (a.properties.length > 0 || b.properties.length > 0) return true;
  for (let i = 0, j = 0; i < a.ranges.length && j < b.ranges.length;) {
    if ((a.ranges[i + 1] as number) < (b.ranges[j] as number)) i += 2;
    else if ((b.ranges[j + 1] as number) < (a.ranges[i] as number)) j += 2;
    else return true;
  }
  return false;
}
