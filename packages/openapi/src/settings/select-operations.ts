import { globMatcher, type SourceProblem } from "@toolweave/core";
import type { Operation } from "../document/operation.ts";
import type { OperationSelector } from "./operation-options.ts";

/** Which operations are wanted. */
export interface Selection {
  readonly include?: readonly OperationSelector[] | undefined;
  readonly exclude?: readonly OperationSelector[] | undefined;
}

/**
 * The operations that one of `include` fits, if it is there, and none of `exclude`; and a warning for each entry that
 * fits none of the document's.
 *
 * @param subject what the warnings are about.
 */
export function selectOperations(
  operations: readonly Operation[],
  { include, exclude }: Selection,
  subject: string,
): { readonly operations: readonly Operation[]; readonly problems: readonly SourceProblem[] } {
  if (include === undefined && exclude === undefined) return { operations, problems: [] };
  const included = include?.map(selects);
  const excluded = (exclude ?? []).map(selects);
  const unused = (name: string, all: readonly Selects[]): SourceProblem[] =>
    all.flatMap((fits, index) =>
      operations.some(fits)
        ? []
        : [
            {
              subject,
              message: `${name}[${index}] fits no operation of the document: look for a misspelt tag, path, method, operationId or extension.`,
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

function selects({ tags, paths, methods, operationIds, extensions }: OperationSelector): Selects {
  const isPath = paths === undefined ? undefined : globMatcher(paths);
  const isId = operationIds === undefined ? undefined : globMatcher(operationIds);
  const known = methods?.map((method) => method.toUpperCase());
  return (operation) => {
    const { operationId, method, path } = operation;
    return (
      (isPath === undefined || isPath(path) || isPath(plainPath(path))) &&
      known?.includes(method.toUpperCase()) !== false &&
      (isId === undefined || (operationId !== undefined && isId(operationId))) &&
      tags?.some((tag) => operation.tags.includes(tag)) !== false &&
      extensions?.some((name) => isSet(operation.extension(name))) !== false
    );
  };
}

/** A path as servers read it, however the document writes it: `/%61dmin#x` is `/admin`. */
function plainPath(path: string): string {
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
