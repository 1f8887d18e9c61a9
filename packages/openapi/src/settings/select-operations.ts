import { globMatcher, unmatchedWarning, type SourceProblem } from "@toolweave/core/adapter";
import { methods as standardMethods } from "../operations/read-operations.ts";
import type { Operation } from "../document/operation.ts";
import type { OperationSelector } from "./operation-options.ts";

/** The host's selection of operations. */
export interface Selection {
  readonly include?: readonly OperationSelector[] | undefined;
  readonly exclude?: readonly OperationSelector[] | undefined;
}

/**
 * Returns the operations that match one of `include`, if it is set, and none of `exclude`; and a warning for each entry,
 * and each value of an entry, that matches no operation of the document.
 *
 * @param subject the subject of the warnings.
 */
export function selectOperations(
  operations: readonly Operation[],
  { include, exclude }: Selection,
  subject: string,
): { readonly operations: readonly Operation[]; readonly problems: readonly SourceProblem[] } {
  if (include === undefined && exclude === undefined) return { operations, problems: [] };
  const included = include?.map(toPredicate);
  const excluded = (exclude ?? []).map(toPredicate);
  const unused = (
    name: "include" | "exclude",
    selectors: readonly OperationSelector[] = [],
    all: readonly Selects[] = [],
  ): SourceProblem[] =>
    selectors.flatMap((selector, index) => {
      const place = `${name}[${index}]`;
      const found = findUnmatched(place, selector, operations);
      if (found.length === 0 && !operations.some(all[index] as Selects)) {
        found.push(
          `${place} matches no operation of the document: check the spelling of its tags, paths, methods, operationIds and extensions, and whether one operation fits all of them.`,
        );
      }
      return found.map((message) => ({ subject, message, severity: "warning" as const }));
    });
  return {
    operations: operations.filter(
      (operation) =>
        included?.some((fits) => fits(operation)) !== false &&
        !excluded.some((fits) => fits(operation)),
    ),
    problems: [...unused("include", include, included), ...unused("exclude", exclude, excluded)],
  };
}

/**
 * Returns a warning for each tag, path and operationId of a selector that no operation has, with similar ones. Methods
 * and extensions are not reported one by one: hosts list them for any document.
 */
function findUnmatched(
  place: string,
  { tags = [], paths = [], operationIds = [] }: OperationSelector,
  operations: readonly Operation[],
): string[] {
  const warn = (member: string, value: string, known: readonly string[]): string =>
    unmatchedWarning(`${place}.${member}`, value, known, "operation");
  const unmatchedGlobs = (member: string, globs: readonly string[], known: () => string[]) => {
    const names = globs.length === 0 ? [] : known();
    return globs
      .filter((glob) => !names.some(globMatcher([glob])))
      .map((glob) => warn(member, glob, names));
  };
  const known = tags.length === 0 ? [] : operations.flatMap((operation) => operation.tags);
  return [
    ...tags.filter((tag) => !known.includes(tag)).map((tag) => warn("tags", tag, known)),
    ...unmatchedGlobs("paths", paths, () =>
      operations.flatMap(({ path }) => [path, normalizePath(path)]),
    ),
    ...unmatchedGlobs("operationIds", operationIds, () =>
      operations.flatMap(({ operationId }) => operationId ?? []),
    ),
  ];
}

type Selects = (operation: Operation) => boolean;

function toPredicate({
  tags,
  paths,
  methods,
  operationIds,
  extensions,
}: OperationSelector): Selects {
  const isPath = paths === undefined ? undefined : globMatcher(paths);
  const isId = operationIds === undefined ? undefined : globMatcher(operationIds);
  const known = methods?.flatMap(toSpellings);
  return (operation) => {
    const { operationId, method, path } = operation;
    return (
      (isPath === undefined || isPath(path) || isPath(normalizePath(path))) &&
      known?.includes(method) !== false &&
      (isId === undefined || (operationId !== undefined && isId(operationId))) &&
      tags?.some((tag) => operation.tags.includes(tag)) !== false &&
      extensions?.some((name) => isSet(operation.extension(name))) !== false
    );
  };
}

/** Methods are case-sensitive (RFC 9110 section 9.1); those that OpenAPI names may be written in any letter case. */
function toSpellings(method: string): readonly string[] {
  const lower = method.toLowerCase();
  return standardMethods.has(lower) || lower === "query"
    ? [method, method.toUpperCase()]
    : [method];
}

/** Normalizes a path as servers do: `/%61dmin#x` is `/admin`. */
function normalizePath(path: string): string {
  const [before = ""] = path
    .replace(/\{[^{}]*\}/g, (name) => name.replace(/[?#]/g, "_"))
    .split(/[?#]/, 1);
  return before
    .replace(/%[2-7][0-9a-f]/gi, (triple) => decodeURIComponent(triple))
    .replace(/\/{2,}/g, "/");
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
