import type { JsonObject, JsonSchema, JsonValue, Tool, ToolAnnotations } from "@toolweave/core";
import { argumentsSchemaOf, canonicalJson, isObject } from "@toolweave/core/adapter";
import { createHash } from "node:crypto";

/** A tool as it was when a person reviewed it: a digest of each of its parts. */
export interface LockedTool {
  /** Digest of the title and the description. */
  readonly text: string;
  /** Digest of the input schema, and of the schema that validates arguments if a model is given less. */
  readonly input: string;
  /** Digest of the output schema. Absent: the tool has none. */
  readonly output?: string;
  readonly annotations: ToolAnnotations;
  /**
   * Digest of the request that a call sends: its origin in the source, such as method and path, or the name of the tool at
   * an MCP server; of an operation its servers, credentials and serialization, too. Absent: unknown, in a lock of version 1.
   */
  readonly call?: string;
  /**
   * SHA-256 of the program behind the source's name: the command, arguments, names of environment variables and working
   * folder of a program, or the URL. Absent: unknown.
   */
  readonly program?: string;
  /** The texts and schemas themselves. Absent: only the digests were stored. */
  readonly details?: LockedDetails;
}

/** The parts of a tool of which a lock can have more than the digest. */
export interface LockedDetails {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** SHA-256 of the schema that validates arguments, if a model is given less. */
  readonly argumentsHash?: string;
}

/** The parts of which a lock has digests. */
export type DigestedPart = "text" | "input" | "output" | "call";

const known = new WeakMap<Tool, LockedTool>();

/**
 * The current tool as a lock has it, without details. It is created once: a tool stays the same object while nothing about
 * it changes.
 *
 * @throws RangeError for a schema that is too large to be serialised.
 */
export function lockTool(tool: Tool): LockedTool {
  let entry = known.get(tool);
  if (entry === undefined) {
    const { program } = tool.spec.provenance.origin ?? {};
    entry = {
      ...digestDetails(readDetails(tool)),
      annotations: toPlain(tool.spec.annotations),
      call: toDigest(describeCall(tool)),
      ...(typeof program === "string" ? { program } : {}),
    };
    known.set(tool, entry);
  }
  return entry;
}

/** The texts and schemas of a tool, as they are: schemas may be getters, and share parts. */
export function readDetails(tool: Tool): LockedDetails {
  const { title, description, inputSchema, outputSchema } = tool.spec;
  const checked = argumentsSchemaOf(tool);
  return {
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(checked === inputSchema ? {} : { argumentsHash: sha256(canonicalJson(checked)) }),
  };
}

/** The digests of texts and schemas. */
export function digestDetails({
  title,
  description,
  inputSchema,
  outputSchema,
  argumentsHash,
}: LockedDetails): Pick<LockedTool, "text" | "input" | "output"> {
  return {
    text: toDigest([title ?? null, description]),
    input: toDigest([splitSchema(inputSchema), argumentsHash ?? null]),
    ...(outputSchema === undefined ? {} : { output: toDigest(splitSchema(outputSchema)) }),
  };
}

/**
 * The request that a call sends, as far as it is the same on every machine. The program has a digest of its own, which
 * covers the content of a script, too: paths of files are left out.
 */
export function describeCall({ spec }: Tool): JsonObject {
  const { visibility, provenance, metadata } = spec;
  const { program: _program, place: _place, file: _file, ...origin } = provenance.origin ?? {};
  const { servers, request } = provenance.adapter === "openapi" ? (metadata ?? {}) : {};
  return toPlain<object>({ ...origin, servers, request, visibility }) as JsonObject;
}

/** Keys in order make files that can be compared. */
export function toPlain<T>(value: T): T {
  return JSON.parse(canonicalJson(value)) as T;
}

const definitions = new WeakMap<object, string>();

/** A schema with hashes in place of its definitions, apart from it: equal for equal schemas only. */
function splitSchema(schema: JsonSchema): JsonValue {
  if (!isObject(schema) || !isObject(schema["$defs"])) return [schema];
  const { $defs, ...rest } = schema;
  const hashes = Object.entries($defs as JsonObject).map(([name, definition]) => [
    name,
    isObject(definition) ? hashDefinition(definition) : sha256(canonicalJson(definition)),
  ]);
  return [rest, Object.fromEntries(hashes) as JsonObject];
}

/** Tools share definitions as objects: each is hashed once. */
function hashDefinition(definition: JsonObject): string {
  let hash = definitions.get(definition);
  if (hash === undefined) definitions.set(definition, (hash = sha256(canonicalJson(definition))));
  return hash;
}

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Bytes of SHA-256 that a digest has: two contents with equal ones are out of reach at 2^96 tries. */
const digestBytes = 24;

/** The digest of JSON data: 32 characters. */
export function toDigest(value: unknown): string {
  const hash = createHash("sha256").update(canonicalJson(value)).digest();
  return hash.subarray(0, digestBytes).toString("base64url");
}
