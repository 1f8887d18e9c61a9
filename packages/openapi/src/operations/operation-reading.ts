import type { DocumentContext } from "./document-context.ts";
import { getChild, describePointer } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { OperationError, type SelfContainedSchema } from "../document/operation.ts";
import type { FoundOperation } from "./read-operations.ts";

/** One operation that is being read, and its context. */
export class OperationReading {
  found: FoundOperation;
  context: DocumentContext;

  constructor(found: FoundOperation, context: DocumentContext) {
    this.found = found;
    this.context = context;
  }

  /** Continues reading in another document in which the operation is equal. */
  moveTo(found: FoundOperation, context: DocumentContext): void {
    this.found = found;
    this.context = context;
  }

  /** Returns a member of the operation object. */
  getMember(key: string): Location {
    return getChild(this.found.location, key);
  }

  /** Reports a restriction of the operation. */
  warn(message: string, at: Pick<Location, "scope" | "pointer">): void {
    this.#report(message, describePointer(at));
  }

  /** Reports that a part is omitted because of an error; other errors are rethrown. */
  warnOfOmission(what: string, error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    this.#report(`${what} is omitted: ${error.message}.`, error.pointer);
  }

  /** Reports the references of a schema that point to nothing. */
  warnOfDangling({ dangling = [] }: SelfContainedSchema): void {
    for (const one of dangling) this.context.reportDangling(one, "any value is accepted there");
  }

  #report(message: string, pointer: string): void {
    const { method, path } = this.found;
    const subject = `${method} ${path}`;
    this.context.report({ subject, message, pointer, severity: "warning" });
  }
}
