/** A case of `test/cases`: an attack or a fault that a test with its id in the name must show. */
export interface Case {
  readonly id: string;
  readonly group: string;
  readonly title: string;
}

/** Why a case of a governed group is not wholly shown by tests yet. */
export interface OpenCase {
  /** The capability that brings it, or what stands in the way. */
  readonly waitsFor: string;
}

/** How a case stands: shown by a test, known to fail (`test.fails`), listed as open, or neither. */
export type CaseState = "covered" | "gap" | "open" | "missing";

/** The ids in the names of a file's tests, and whether every test that names one is `test.fails`. */
export function idsOfTests(source: string): ReadonlyMap<string, "covered" | "gap"> {
  const found = new Map<string, "covered" | "gap">();
  for (const { index, 0: match } of source.matchAll(/(["'`])(?:(?!\1)[^\\\n]|\\.)*\1/g)) {
    const callee = calleeBefore(source.slice(0, index).trimEnd());
    // A row of `test.each` brings its name along.
    if (callee === undefined && !/^.[A-Z]{2}\d{2} \w/.test(match)) continue;
    const state = callee?.includes(".fails") === true ? "gap" : "covered";
    for (const [id] of match.matchAll(/\b[A-Z]{2}\d{2}\b/g)) {
      if (found.get(id) !== "covered") found.set(id, state);
    }
  }
  return found;
}

/** `test`, `test.fails`, the `)` of a `test.each(…)`: what a text is the first argument of. */
function calleeBefore(before: string): string | undefined {
  if (!before.endsWith("(")) return undefined;
  return /(\b(?:test|it|describe)(?:\.\w+)*|\))\s*$/.exec(before.slice(0, -1))?.[1];
}

/** How each case stands, in order. A case is covered when any test shows it, unless it is listed as open. */
export function caseStates(
  cases: readonly Case[],
  sources: readonly string[],
  open: Readonly<Record<string, OpenCase>>,
): readonly { readonly case: Case; readonly state: CaseState }[] {
  const found = new Map<string, "covered" | "gap">();
  for (const source of sources) {
    for (const [id, state] of idsOfTests(source)) {
      if (found.get(id) !== "covered") found.set(id, state);
    }
  }
  return cases.map((entry) => {
    // What is listed as open stays open, though a test may show a part of it.
    if (Object.hasOwn(open, entry.id)) return { case: entry, state: "open" };
    return { case: entry, state: found.get(entry.id) ?? "missing" };
  });
}
