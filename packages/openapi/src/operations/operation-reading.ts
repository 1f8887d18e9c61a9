import type { DocumentContext } from "./document-context.ts";
import { childLocation, describePointer } from "../document/references/location.ts";
import type { Location } from "../document/references/location.ts";
import { OperationError, type SelfContainedSchema } from "../document/operation.ts";
import type { FoundOperation } from "./read-operations.ts";

/** One operation being read, and what it is read with. */
export class OperationReading {
  found: FoundOperation;
  context: DocumentContext;

  constructor(found: FoundOperation, context: DocumentContext) {
    this.found = found;
    this.context = context;
  }

  /** Reads on in another document that says the same. */
  moveTo(found: FoundOperation, context: DocumentContext): void {
    this.found = found;
    this.context = context;
  }

  /** A member of the operation object. */
  member(key: string): Location {
    return childLocation(this.found.location, key);
  }

  /** Reports a restriction of the operation. */
  warn(message: string, at: Pick<Location, "scope" | "pointer">): void {
    this.#report(message, describePointer(at));
  }

  /** Reports that something is left out because of a fault; any other error is thrown on. */
  leaveOut(what: string, error: unknown): void {
    if (!(error instanceof OperationError)) throw error;
    this.#report(`${what} is left out: ${error.message}.`, error.pointer);
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
