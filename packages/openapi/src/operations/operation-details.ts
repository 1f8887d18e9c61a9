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
 * Resolves and translates all that a call of the operation needs. Responses only when they are asked
 * for: a broken one restricts what is known of the result, and costs nothing else.
 *
 * @throws {OperationError} a parameter or the body is broken.
 */
export function readDetails(found: FoundOperation, context: DocumentContext): ReadDetails {
  context.schemas.budget.renew();
  const reading = new OperationReading(found, context);
  const { parameters, legacyBody } = readParameters(reading);
  const body = readBody(reading, legacyBody);
  for (const name of context.schemas.unusedWritable) {
    const reason =
      context.version === "2.0"
        ? "a read-only property must not be sent (Swagger 2.0, Schema Object)"
        : "no schema of its request has a read-only property of that name";
    reading.warn(`overrides calls ${name} writable, which changes nothing: ${reason}.`, {
      scope: found.location.scope,
      pointer: found.location.pointer,
    });
  }
  return new ReadDetails(reading, parameters, body);
}

/** What was read of one operation. */
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
    this.#warn();
  }

  get responses(): readonly ResponseDescription[] {
    this.#responses ??= readResponses(this.#reading);
    return this.#responses;
  }

  /** Reads on in another document that says the same. */
  moveTo(found: FoundOperation, context: DocumentContext): void {
    // What is not read yet would be read of the document that nobody needs any more.
    for (const { schema } of this.parameters) void schema.defs;
    for (const { schema, itemSchema } of this.body?.media ?? []) {
      void schema.defs;
      void itemSchema?.defs;
    }
    this.#responses = undefined;
    this.#reading.moveTo(found, context);
    this.#warn();
  }

  #warn(): void {
    for (const { schema } of this.parameters) this.#reading.warnOfDangling(schema);
    for (const { schema, itemSchema } of this.body?.media ?? []) {
      this.#reading.warnOfDangling(schema);
      if (itemSchema !== undefined) this.#reading.warnOfDangling(itemSchema);
    }
  }
}
