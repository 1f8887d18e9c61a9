import type { JsonValue } from "@toolweave/core";
import type { DocumentContext } from "./document-context.ts";
import {
  OperationError,
  type Operation,
  type OperationDetails,
  type Parameter,
  type RequestBody,
  type ResponseDescription,
  type SecurityUse,
} from "../document/operation.ts";
import { hasOwnServers, readServers } from "./read-servers.ts";
import { itemValue, readTags, readText, type FoundOperation } from "./read-operations.ts";
import { ownValue } from "../document/record.ts";
import { OperationReading } from "./operation-reading.ts";
import { readBody } from "./read-body.ts";
import { readParameters, type ReadParameters } from "./read-parameters.ts";
import { readResponses } from "./read-responses.ts";
import { readSecurity } from "./read-security.ts";

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

/**
 * Resolves and translates everything that a call of the operation needs. Responses are read on demand: an invalid one
 * only restricts the output schema.
 *
 * @throws {OperationError} a parameter or the body is invalid.
 */
function readDetails(found: FoundOperation, context: DocumentContext): ReadDetails {
  context.schemas.budget.renew();
  const reading = new OperationReading(found, context);
  const { legacyBody, ...declared } = readParameters(reading);
  const body = readBody(reading, legacyBody);
  for (const name of context.schemas.unusedWritable) {
    reading.warn(
      `overrides sets ${name} as writable, which has no effect: no schema of its request has a read-only property of that name.`,
      { scope: found.location.scope, pointer: found.location.pointer },
    );
  }
  return new ReadDetails(reading, declared, body);
}

/** The details that were read of one operation. */
class ReadDetails implements OperationDetails {
  readonly parameters: readonly Parameter[];
  readonly declaresAuthorization: boolean;
  declare readonly body?: RequestBody;
  readonly security: readonly (readonly SecurityUse[])[];
  readonly servers: readonly string[];
  readonly #reading: OperationReading;
  #responses: readonly ResponseDescription[] | undefined;

  constructor(
    reading: OperationReading,
    { parameters, declaresAuthorization }: Omit<ReadParameters, "legacyBody">,
    body: RequestBody | undefined,
  ) {
    this.#reading = reading;
    this.parameters = parameters;
    this.declaresAuthorization = declaresAuthorization;
    if (body !== undefined) this.body = body;
    this.security = readSecurity(reading);
    this.servers = readServers(reading);
    this.#reportDangling();
  }

  get responses(): readonly ResponseDescription[] {
    this.#responses ??= readResponses(this.#reading);
    return this.#responses;
  }

  /** Continues reading in another document in which the operation is equal. */
  moveTo(found: FoundOperation, context: DocumentContext): void {
    // Definitions that were not read yet would otherwise be read from the obsolete document.
    for (const { schema } of this.parameters) void schema.defs;
    for (const { schema, itemSchema } of this.body?.media ?? []) {
      void schema.defs;
      void itemSchema?.defs;
    }
    this.#responses = undefined;
    this.#reading.moveTo(found, context);
    this.#reportDangling();
  }

  #reportDangling(): void {
    for (const { schema } of this.parameters) this.#reading.warnOfDangling(schema);
    for (const { schema, itemSchema } of this.body?.media ?? []) {
      this.#reading.warnOfDangling(schema);
      if (itemSchema !== undefined) this.#reading.warnOfDangling(itemSchema);
    }
  }
}
