import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "@toolweave/core";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { openDocument } from "../../src/operations/document.ts";
import type { ApiDocument } from "../../src/operations/document.ts";
import { OperationError } from "../../src/document/operation.ts";
import type {
  Operation,
  OperationDetails,
  SelfContainedSchema,
} from "../../src/document/operation.ts";

/** A document with these paths; `more` is merged into it. */
export function document(version: string, paths: JsonObject, more: JsonObject = {}): JsonObject {
  const key = version.startsWith("2") ? "swagger" : "openapi";
  return { [key]: version, info: { title: "Test", version: "1" }, paths, ...more };
}

/** The operations whose details and responses can be read; `problems` then has all errors. */
export function checkOperations(opened: ApiDocument): Operation[] {
  return opened.operations.filter((operation) => {
    try {
      return operation.details().responses.every(({ media }) => media.length >= 0);
    } catch (error) {
      if (error instanceof OperationError) return false;
      throw error;
    }
  });
}

/** The operations of a document by `METHOD path`. */
export function byPlace(opened: ApiDocument): Map<string, Operation> {
  return new Map(
    opened.operations.map((operation) => [`${operation.method} ${operation.path}`, operation]),
  );
}

/** The only operation of a document with a `GET /x`. */
export async function onlyDetails(
  version: string,
  operation: JsonObject,
  more: JsonObject = {},
): Promise<OperationDetails> {
  const opened = await openDocument(document(version, { "/x": { get: operation } }, more));
  return (opened.operations[0] as Operation).details();
}

/** A schema as one document, its definitions under `$defs`. */
export function standalone({ schema, defs }: SelfContainedSchema): JsonObject | boolean {
  if (typeof schema === "boolean") return schema;
  return defs.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(defs) };
}

/** The error that `details()` of an operation throws. */
export function getFailure(operation: Operation | undefined): OperationError {
  try {
    operation?.details();
  } catch (error) {
    return error as OperationError;
  }
  throw new Error("details() did not throw");
}

/** A folder with these files, removed after the test. */
export function folder(files: Readonly<Record<string, string | JsonObject>>): string {
  const path = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(path, name), text);
  }
  return path;
}
