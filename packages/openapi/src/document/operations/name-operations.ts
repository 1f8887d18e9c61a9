import { snakeName, uniqueNames } from "@toolweave/core";

/** What an operation is named after. */
export interface Nameable {
  readonly operationId: string | undefined;
  readonly method: string;
  readonly path: string;
}

/** The names, in the order of the operations, and the operationIds that several operations share. */
export interface OperationNames {
  readonly names: readonly string[];
  readonly shared: readonly string[];
}

/**
 * Gives every operation a canonical name of its own: `snake_case` of its operationId, or of method
 * and path when it has none. An operationId that several operations share names none of them alone:
 * method and path are put behind it. Names don't depend on the order of the document.
 */
export function nameOperations(operations: readonly Nameable[]): OperationNames {
  const names = operations.map((operation) =>
    readableName(isReadable(operation) ? operation.operationId : placeOf(operation)),
  );
  return new Set(names).size === names.length ? { names, shared: [] } : nameApart(operations);
}

type Identified = Nameable & { readonly operationId: string };

function isReadable(operation: Nameable): operation is Identified {
  const { operationId } = operation;
  if (operationId === undefined) return false;
  return /[A-Za-z0-9]/.test(operationId) || /[A-Za-z0-9]/.test(operationId.normalize("NFKD"));
}

function placeOf({ method, path }: Nameable): string {
  return `${method.toLowerCase()} ${path}`;
}

function nameApart(operations: readonly Nameable[]): OperationNames {
  const uses = new Map<string, number>();
  for (const { operationId } of operations) {
    if (operationId !== undefined) uses.set(operationId, (uses.get(operationId) ?? 0) + 1);
  }
  // What a name is made of, where that is not all that tells the operation from others.
  const readable = new Map<string, string>();
  const originals = operations.map((operation) => {
    const named = isReadable(operation);
    if (named && uses.get(operation.operationId) === 1) return operation.operationId;
    const original = `${operation.operationId ?? ""} ${placeOf(operation)}`;
    if (!named) readable.set(original, placeOf(operation));
    return original;
  });
  return {
    names: uniqueNames(originals, (original) => readableName(readable.get(original) ?? original)),
    shared: [...uses.keys()].filter((operationId) => (uses.get(operationId) ?? 0) > 1),
  };
}

function readableName(original: string): string {
  // Most operationIds are in lower case, and there are thousands of them.
  if (/^[a-z][a-z0-9/_.-]{0,62}[a-z0-9]$/.test(original)) return original.replace(/[/_.-]+/g, "_");
  const name = snakeName(original).replace(/_+$/, "");
  return /^_+[a-z]/.test(name) ? name.replace(/^_+/, "") : name;
}
