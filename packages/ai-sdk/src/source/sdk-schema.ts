import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { childPointer, type ValidationProblem } from "@toolweave/core/adapter";
import { asSchema, type Schema, type ToolSet } from "ai";

const draft07 = "http://json-schema.org/draft-07/schema#";

/**
 * The JSON Schema of the input of a tool of the SDK.
 *
 * @throws Error if it cannot be converted, or is not the schema of an object.
 */
export async function toInputSchema({ inputSchema }: ToolSet[string]): Promise<JsonSchema> {
  const schema = withDialect(await asSchema(inputSchema).jsonSchema);
  if (schema["type"] === "object") return schema;
  throw new Error("Its input schema is not the schema of an object: wrap it in one.");
}

/**
 * The JSON Schema of its output: after transformations, if the library can express them.
 *
 * @throws Error if it cannot be converted.
 */
export async function toOutputSchema({
  outputSchema,
}: ToolSet[string]): Promise<JsonSchema | undefined> {
  if (outputSchema === undefined) return undefined;
  const standard = "~standard" in outputSchema ? outputSchema["~standard"] : undefined;
  const written = (standard as StandardJsonSchema | undefined)?.jsonSchema?.output({
    target: "draft-2020-12",
  });
  if (written !== undefined) return written as JsonSchema;
  return withDialect(await asSchema(outputSchema).jsonSchema);
}

/** The part of Standard JSON Schema that is used here. @see https://standardschema.dev */
interface StandardJsonSchema {
  readonly jsonSchema?: { output(options: { readonly target: "draft-2020-12" }): object };
}

/** The SDK's schemas are of draft-07. Most declare it, and mean the same by 2020-12; a tuple does not. */
function withDialect(given: object): JsonSchema {
  const schema = given as JsonSchema;
  return "$schema" in schema || !hasTuple(schema) ? schema : { $schema: draft07, ...schema };
}

function hasTuple(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(hasTuple);
  const { items, ...others } = value as JsonObject;
  return Array.isArray(items) || Object.values({ ...others, items: items ?? null }).some(hasTuple);
}

/** The SDK's own validation of arguments: each arguments object is validated once. */
export class SdkParser {
  readonly #validate: NonNullable<Schema["validate"]>;
  readonly #results = new WeakMap<
    JsonObject,
    Awaited<ReturnType<NonNullable<Schema["validate"]>>>
  >();

  constructor(validate: NonNullable<Schema["validate"]>) {
    this.#validate = validate;
  }

  /** `undefined`: JSON Schema expresses all constraints. */
  static of({ inputSchema }: ToolSet[string]): SdkParser | undefined {
    const { validate } = asSchema(inputSchema);
    return validate === undefined ? undefined : new SdkParser(validate);
  }

  /** @returns what is wrong; `undefined`: nothing. */
  async problems(args: JsonObject): Promise<readonly ValidationProblem[] | undefined> {
    const result = await this.#getResult(args);
    return result.success ? undefined : toProblems(result.error);
  }

  /** The arguments with the schema's defaults and transformations. @throws Error when they are invalid. */
  async parsed(args: JsonObject): Promise<unknown> {
    const result = await this.#getResult(args);
    if (result.success) return result.value;
    throw result.error;
  }

  async #getResult(
    args: JsonObject,
  ): Promise<Awaited<ReturnType<NonNullable<Schema["validate"]>>>> {
    const known = this.#results.get(args);
    if (known !== undefined) return known;
    const result = await this.#validate(args);
    this.#results.set(args, result);
    return result;
  }
}

/** Each issue of Zod and Standard Schema; the message of any other error. */
function toProblems(error: Error): readonly ValidationProblem[] {
  const { cause } = error;
  const issues = [error, cause].map(readIssues).find((list) => list !== undefined);
  return issues ?? [{ path: "", message: error.message }];
}

function readIssues(from: unknown): readonly ValidationProblem[] | undefined {
  const list = Array.isArray(from)
    ? from
    : (from as { readonly issues?: unknown } | undefined)?.issues;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return list.map(({ message, path }: { readonly message?: unknown; readonly path?: unknown }) => ({
    path: Array.isArray(path) ? path.reduce(toMemberPointer, "") : "",
    message: String(message),
  }));
}

function toMemberPointer(
  pointer: string,
  part: PropertyKey | { readonly key: PropertyKey },
): string {
  return childPointer(pointer, String(typeof part === "object" ? part.key : part));
}
