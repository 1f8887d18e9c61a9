import { globMatcher, type SourceProblem } from "@toolweave/core/adapter";
import type { Operation } from "../document/operation.ts";
import type { OperationSelector } from "./operation-options.ts";

/** The host's selection of operations. */
export interface Selection {
  readonly include?: readonly OperationSelector[] | undefined;
  readonly exclude?: readonly OperationSelector[] | undefined;
}

/**
 * Returns the operations that match one of `include`, if it is set, and none of `exclude`; and a warning for each entry
 * that matches no operation of the document.
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
  const unused = (name: string, all: readonly Selects[]): SourceProblem[] =>
    all.flatMap((fits, index) =>
      operations.some(fits)
        ? []
        : [
            {
              subject,
              message: `${name}[${index}] matches no operation of the document: check the spelling of its tags, paths, methods, operationIds and extensions.`,
              severity: "warning" as const,
            },
          ],
    );
  return {
    operations: operations.filter(
      (operation) =>
        included?.some((fits) => fits(operation)) !== false &&
        !excluded.some((fits) => fits(operation)),
    ),
    problems: [...unused("include", included ?? []), ...unused("exclude", excluded)],
  };
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
  const known = methods?.map((method) => method.toUpperCase());
  return (operation) => {
    const { operationId, method, path } = operation;
    return (
      (isPath === undefined || isPath(path) || isPath(normalizePath(path))) &&
      known?.includes(method.toUpperCase()) !== false &&
      (isId === undefined || (operationId !== undefined && isId(operationId))) &&
      tags?.some((tag) => operation.tags.includes(tag)) !== false &&
      extensions?.some((name) => isSet(operation.extension(name))) !== false
    );
  };
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
