import type { DocumentContext } from "./document-context.ts";
import type {
  OperationDetails,
  Parameter,
  RequestBody,
  ResponseDescription,
  SecurityUse,
} from "../document/operation.ts";
import { OperationReading } from "./operation-reading.ts";
import { readBody } from "./read-body.ts";
import type { FoundOperation } from "./read-operations.ts";
import { readParameters } from "./read-parameters.ts";
import { readResponses } from "./read-responses.ts";
import { readSecurity } from "./read-security.ts";
import { readServers } from "./read-servers.ts";

/**
 * Resolves and translates everything that a call of the operation needs. Responses are read on demand: an invalid one
 * only restricts the output schema.
 *
 * @throws {OperationError} a parameter or the body is invalid.
 */
export function readDetails(found: FoundOperation, context: DocumentContext): ReadDetails {
  context.schemas.budget.renew();
  const reading = new OperationReading(found, context);
  const { parameters, legacyBody } = readParameters(reading);
  const body = readBody(reading, legacyBody);
  for (const name of context.schemas.unusedWritable) {
    reading.warn(
      `overrides sets ${name} as writable, which has no effect: no schema of its request has a read-only property of that name.`,
      { scope: found.location.scope, pointer: found.location.pointer },
    );
  }
  return new ReadDetails(reading, parameters, body);
}

/** The details that were read of one operation. */
export class ReadDetails implements OperationDetails {
  readonly parameters: readonly Parameter[];
  declare readonly body?: RequestBody;
  readonly security: readonly (readonly SecurityUse[])[];
  readonly servers: readonly string[];
  readonly #reading: OperationReading;
  #responses: readonly ResponseDescription[] | undefined;

  constructor(
    reading: OperationReading,
    parameters: readonly Parameter[],
    body: RequestBody | undefined,
  ) {
    this.#reading = reading;
    this.parameters = parameters;
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
