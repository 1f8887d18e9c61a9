import { nearNames } from "./tool-names.ts";

/**
 * The names closest to a glob that matches none: those that are, or begin, much as the glob does up to its first star.
 * At most 3.
 */
export function nearGlobs(glob: string, names: readonly string[]): readonly string[] {
  const [stem = "", ...rest] = glob.split("*");
  if (rest.length === 0) return nearNames(glob, names, 3);
  if (stem.length < 3) return [];
  const beginnings = new Map(names.map((name) => [name, name.slice(0, stem.length + 1)]));
  const near = nearNames(stem, new Set(beginnings.values()), 3);
  return [...beginnings.keys()]
    .filter((name) => near.includes(beginnings.get(name) as string))
    .slice(0, 3);
}

/**
 * The warning about a glob of an option that matches no name, with the names that it may be for:
 * `hide "delte_*" matches no tool of the source: did you mean delete_pet?`
 *
 * @param option the place of the glob: `hide`.
 * @param what the values that it is for: `tool of the source`.
 */
export function unmatchedWarning(
  option: string,
  glob: string,
  names: Iterable<string>,
  what: string,
): string {
  const near = nearGlobs(glob, [...new Set(names)]);
  const advice = near.length === 0 ? "check the spelling." : `did you mean ${near.join(", ")}?`;
  return `${option} "${glob}" matches no ${what}: ${advice}`;
}
