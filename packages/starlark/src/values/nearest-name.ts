/** The end of an error text that proposes the candidate nearest to a name; empty if none is near. */
export function nameHint(name: string, candidates: Iterable<string>, prefix: string = ""): string {
  const nearest = nearestName(name, candidates);
  return nearest === undefined ? "" : ` (did you mean ${prefix}${nearest}?)`;
}

/**
 * The candidate that is nearest to a misspelled name, if any is near: case and underscores do not count, and at most half
 * of the letters differ (the rule of starlark-go).
 */
function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  let distance = Math.floor((folded.length + 1) / 2);
  for (const candidate of [...candidates].sort()) {
    const next = editDistance(folded, fold(candidate), distance);
    if (next < distance) {
      best = candidate;
      distance = next;
    }
  }
  return best;
}

function fold(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** The Levenshtein distance; any number that is at least `limit` if it is not below. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const same = left[row - 1] === right[column - 1];
      current.push(
        Math.min(
          (previous[column - 1] as number) + (same ? 0 : 1),
          (current[column - 1] as number) + 1,
          (previous[column] as number) + 1,
        ),
      );
    }
    previous = current;
  }
  return previous[right.length] as number;
}
