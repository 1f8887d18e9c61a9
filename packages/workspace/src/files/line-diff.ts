/** A line of a diff, with ` `, `-` or `+` before it. */
export type DiffLine = string;

/** Comparisons of lines. Of texts that need more, everything between their common ends is replaced. */
const maxComparisons = 20_000_000;
/** Lines that differ. The memory of a comparison grows with the square of it. */
const maxDifferences = 2_000;

/**
 * The shortest way from one list of lines to another one, as the greedy algorithm of Myers finds it ("An O(ND) Difference
 * Algorithm and Its Variations"). Its cost is bounded.
 */
export function diffLines(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  const oldMiddle = old.slice(head, old.length - tail);
  const freshMiddle = fresh.slice(head, fresh.length - tail);
  return [
    ...old.slice(0, head).map((line) => ` ${line}`),
    ...(diffMiddle(oldMiddle, freshMiddle) ?? [
      ...oldMiddle.map((line) => `-${line}`),
      ...freshMiddle.map((line) => `+${line}`),
    ]),
    ...old.slice(old.length - tail).map((line) => ` ${line}`),
  ];
}

/** Undefined: it would cost too much, or one of them is empty. */
function diffMiddle(
  old: readonly string[],
  fresh: readonly string[],
): readonly DiffLine[] | undefined {
  if (old.length === 0 || fresh.length === 0) return undefined;
  const [a, b] = toNumbers(old, fresh);
  const steps = findSteps(a, b);
  return steps === undefined ? undefined : toDiffLines(old, fresh, steps);
}

/** The same number for the same line, so that comparisons are cheap. */
function toNumbers(old: readonly string[], fresh: readonly string[]): [Int32Array, Int32Array] {
  const numbers = new Map<string, number>();
  const toNumber = (line: string): number => {
    let number = numbers.get(line);
    if (number === undefined) numbers.set(line, (number = numbers.size));
    return number;
  };
  return [Int32Array.from(old, toNumber), Int32Array.from(fresh, toNumber)];
}

/**
 * For each number of differences, the furthest place in the old lines on each diagonal: on the diagonal `k`, `k` lines more
 * were deleted than added. Undefined: it costs too much.
 */
function findSteps(a: Int32Array, b: Int32Array): readonly Int32Array[] | undefined {
  const steps: Int32Array[] = [];
  let comparisons = 0;
  for (let differences = 0; differences <= maxDifferences; differences++) {
    const furthest = new Int32Array(2 * differences + 1).fill(-1);
    for (let k = -differences; k <= differences; k += 2) {
      const start = findStart(steps.at(-1), differences, k, a.length, b.length);
      if (start === undefined) continue;
      let { x } = start;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      comparisons += x - start.x + 1;
      furthest[k + differences] = x;
      if (x === a.length && x - k === b.length) return [...steps, furthest];
    }
    if (comparisons > maxComparisons) return undefined;
    steps.push(furthest);
  }
  return undefined;
}

/** The place in the old lines at which a diagonal begins, and the difference that leads there. */
interface DiagonalStart {
  readonly x: number;
  readonly kind: "none" | "deleted" | "added";
}

/**
 * The furthest start of a diagonal: after a deleted line of the diagonal below, or an added line of the one above.
 * Undefined: none of them is inside of both lists.
 */
function findStart(
  last: Int32Array | undefined,
  differences: number,
  k: number,
  oldLength: number,
  freshLength: number,
): DiagonalStart | undefined {
  if (last === undefined) return { x: 0, kind: "none" };
  const below = last[k - 2 + differences] ?? -1;
  const deleted = below === -1 || below === oldLength ? -1 : below + 1;
  const above = last[k + differences] ?? -1;
  const added = above === -1 || above - k > freshLength ? -1 : above;
  if (deleted === -1 && added === -1) return undefined;
  return deleted >= added ? { x: deleted, kind: "deleted" } : { x: added, kind: "added" };
}

/** Follows the steps back from the end of both lists. */
function toDiffLines(
  old: readonly string[],
  fresh: readonly string[],
  steps: readonly Int32Array[],
): readonly DiffLine[] {
  const reversed: DiffLine[] = [];
  let x = old.length;
  let y = fresh.length;
  for (let differences = steps.length - 1; differences >= 0; differences--) {
    const last = steps[differences - 1];
    const start = findStart(last, differences, x - y, old.length, fresh.length) as DiagonalStart;
    while (x > start.x) {
      x -= 1;
      y -= 1;
      reversed.push(` ${old[x] as string}`);
    }
    if (start.kind === "deleted") reversed.push(`-${old[(x -= 1)] as string}`);
    if (start.kind === "added") reversed.push(`+${fresh[(y -= 1)] as string}`);
  }
  return deletedFirst(reversed.toReversed());
}

/** Within a change, deleted lines come before added ones. */
function deletedFirst(lines: readonly DiffLine[]): readonly DiffLine[] {
  const result: DiffLine[] = [];
  let added: DiffLine[] = [];
  for (const line of lines) {
    if (line.startsWith("+")) added.push(line);
    else {
      if (line.startsWith(" ")) {
        for (const one of added) result.push(one);
        added = [];
      }
      result.push(line);
    }
  }
  return [...result, ...added];
}
