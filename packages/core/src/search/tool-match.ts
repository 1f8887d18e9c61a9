import { compareNames } from "../contract/tool-names.ts";

/** A tool that was found. */
export interface ToolMatch {
  readonly name: string;
  /** Above 0, and comparable within one search only. */
  readonly score: number;
}

/**
 * The names with the highest scores above 0, best first; equals by name.
 *
 * @param scores by the place of the name.
 * @param keep only these names are returned. Default: all.
 */
export function bestMatches(
  names: readonly string[],
  scores: ArrayLike<number>,
  limit: number,
  keep?: (name: string) => boolean,
): readonly ToolMatch[] {
  const best: ToolMatch[] = [];
  let min = 0;
  for (let place = 0; place < scores.length; place++) {
    const score = scores[place] as number;
    if (score <= 0 || score < min) continue;
    const match = { name: names[place] as string, score };
    const last = best.length < limit ? undefined : best.at(-1);
    if (last !== undefined && isBefore(last, match)) continue;
    if (keep !== undefined && !keep(match.name)) continue;
    best.splice(findPlace(match, best), 0, match);
    if (best.length > limit) best.pop();
    if (best.length === limit) min = (best.at(-1) as ToolMatch).score;
  }
  return best;
}

function isBefore(a: ToolMatch, b: ToolMatch): boolean {
  return a.score > b.score || (a.score === b.score && compareNames(a.name, b.name) < 0);
}

/** The place of a match in a sorted list, by halving. */
function findPlace(match: ToolMatch, sorted: readonly ToolMatch[]): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(sorted[middle] as ToolMatch, match)) from = middle + 1;
    else to = middle;
  }
  return from;
}
