import { nearGlobs } from "../../contract/near-globs.ts";
import { helperNames } from "../../contract/tool-names.ts";
import type { PolicyGlobs } from "../../contract/policy-definition.ts";
import { globMatcher } from "../../text/glob.ts";
import type { Finding } from "./condition.ts";

/** Creates a test of any value. Without globs everything passes, an absent value too. */
export function globTest(globs: PolicyGlobs | undefined): (value: unknown) => boolean {
  if (globs === undefined) return () => true;
  const matches = globMatcher(listGlobs(globs));
  return (value) => typeof value === "string" && matches(value);
}

/** The globs as a list. */
export function listGlobs(globs: PolicyGlobs | undefined): readonly string[] {
  return globs === undefined ? [] : typeof globs === "string" ? [globs] : globs;
}

/** Each glob with its place: those of a list have an index. */
export function placeGlobs(
  where: string,
  globs: PolicyGlobs | undefined,
): readonly (readonly [string, string])[] {
  if (globs === undefined) return [];
  if (typeof globs === "string") return [[where, globs]];
  return globs.map((glob, index) => [`${where}[${index}]`, glob]);
}

/**
 * Finds the globs that match none of some values.
 *
 * @param mayBeOthers there can be further values: only globs that are close to one of these are found.
 */
export function findUnmatchedGlobs(
  where: string,
  globs: PolicyGlobs | undefined,
  values: readonly string[],
  noun: string,
  mayBeOthers: boolean = false,
): Finding[] {
  const names = [...new Set(values)];
  return placeGlobs(where, globs).flatMap(([member, glob]): Finding[] => {
    if (names.some(globMatcher([glob])) || isForHelpers(glob)) return [];
    const near = nearGlobs(glob, names);
    if (mayBeOthers && near.length === 0) return [];
    const hint = near.length === 0 ? "" : `; did you mean ${near.join(", ")}?`;
    return [[member, `${JSON.stringify(glob)} ${matchesNone(names.length, noun)}${hint}`]];
  });
}

/**
 * A registry does not contain the built-in tools, nor the names under which a policy decides about the resources,
 * prompts and completion of a gateway.
 */
export function isForHelpers(glob: string): boolean {
  return (
    /(?:^|__|[*?])(?:read_resource|get_prompt|complete)$/.test(glob) ||
    [...helperNames].some(globMatcher([glob]))
  );
}

function matchesNone(count: number, noun: string): string {
  return count === 1
    ? `does not match the only ${noun}`
    : `matches none of the ${formatCount(count, noun)}`;
}

/** Formats a number of things: `1 tool`, `2 tools`. */
export function formatCount(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
