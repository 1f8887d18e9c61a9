import type { JsonValue } from "@toolweave/core";
import type { DocumentContext } from "./document-context.ts";
import { readDetails, ReadDetails } from "./operation-details.ts";
import { OperationError } from "../document/operation.ts";
import type { Operation, OperationDetails } from "../document/operation.ts";
import { hasOwnServers } from "./read-servers.ts";
import { itemValue, readTags, readText } from "./read-operations.ts";
import type { FoundOperation } from "./read-operations.ts";
import { ownValue } from "../document/record.ts";

/** An operation of a document, whose details are read on demand. */
export class DocumentOperation implements Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  declare readonly operationId?: string;
  declare readonly summary?: string;
  declare readonly description?: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  #found: FoundOperation;
  #context: DocumentContext;
  #details: ReadDetails | OperationError | undefined;

  constructor(name: string, found: FoundOperation, context: DocumentContext) {
    const { value } = found.location;
    this.name = name;
    this.method = found.method;
    this.path = found.path;
    if (found.operationId !== undefined) this.operationId = found.operationId;
    const summary = readText(found, "summary");
    if (summary !== undefined) this.summary = summary;
    const description = readText(found, "description");
    if (description !== undefined) this.description = description;
    this.tags = readTags(value);
    this.deprecated = ownValue(value, "deprecated") === true;
    this.#found = found;
    this.#context = context;
  }

  /** The operation's location in the document. */
  get found(): FoundOperation {
    return this.#found;
  }

  /** The context in which the operation is read. */
  get context(): DocumentContext {
    return this.#context;
  }

  /** Moves this operation to the document of `other`, in which it is equal; its details are preserved. */
  moveTo(other: DocumentOperation): void {
    const { found, context } = other;
    const subject = this.#subject;
    // Warnings are found while details are read, which is not repeated.
    for (const problem of this.#context.problems) {
      if (this.#details !== undefined && problem.subject === subject) context.report(problem);
    }
    this.#found = found;
    this.#context = context;
    if (this.#details instanceof ReadDetails) this.#details.moveTo(found, context);
  }

  get pointer(): string {
    return this.#found.declared.pointer;
  }

  get hasOwnServers(): boolean {
    return hasOwnServers(this.#found);
  }

  extension(name: string): JsonValue | undefined {
    if (!name.startsWith("x-")) return undefined;
    const own = ownValue(this.#found.location.value, name) ?? itemValue(this.#found, name);
    return own as JsonValue | undefined;
  }

  details(writable: readonly string[] = []): OperationDetails {
    this.#details ??= this.#readDetails(writable);
    if (this.#details instanceof OperationError) throw this.#details;
    return this.#details;
  }

  get #subject(): string {
    return `${this.method} ${this.path}`;
  }

  #readDetails(writable: readonly string[]): ReadDetails | OperationError {
    try {
      const context = writable.length === 0 ? this.#context : this.#context.withWritable(writable);
      return readDetails(this.#found, context);
    } catch (error) {
      this.#context.reportFault(this.#subject, error);
      return error as OperationError;
    }
  }
}
