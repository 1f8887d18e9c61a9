import type { JsonSchema, JsonValue } from "@toolweave/core";
import type { Parameter } from "../document/operation.ts";
import { setOwn } from "../document/record.ts";
import { createParameterWriter } from "../parameters/serialize-parameter.ts";
import type { ParameterWriter } from "../parameters/style-writer.ts";
import { resolveSchema } from "../schema/resolve-schema.ts";

type Schema = JsonSchema | boolean;

/** A header of a part, chosen by the model. */
export interface PartHeader {
  readonly name: string;
  readonly write: ParameterWriter;
}

/** The headers of a part. */
export interface PlannedHeaders {
  /** The headers that every part has. */
  readonly fixedHeaders: readonly (readonly [name: string, text: string])[];
  /** The headers that the model chooses: the part is passed as `{ content, headers }`. */
  readonly headers: readonly PartHeader[];
  /** The schema of `{ content, headers }`; absent: the model chooses no headers. */
  readonly wrap?: (content: Schema) => JsonSchema;
}

/** A part is sent without a coding, so these headers are never set (RFC 7578 section 4.7; RFC 9110 section 8.4). */
const codingHeaders: ReadonlySet<string> = new Set([
  "content-transfer-encoding",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

/** Plans the headers that have only one possible value; the model chooses the others. */
export function planHeaders(declared: readonly Parameter[] = []): PlannedHeaders {
  const fixedHeaders: [string, string][] = [];
  const headers: PartHeader[] = [];
  const properties: Record<string, JsonValue> = {};
  const required: string[] = [];
  for (const header of declared) {
    const { name } = header;
    if (codingHeaders.has(name.toLowerCase())) continue;
    const { schema } = header.schema;
    const write = createParameterWriter(header, name);
    const only = getOnlyValue(resolveSchema(schema, header.schema.defs));
    if (only !== undefined && only !== null) {
      const text = write(only);
      if (text !== undefined) fixedHeaders.push([name, text]);
    } else if (schema !== false) {
      headers.push({ name, write });
      setOwn(properties, name, schema);
      if (header.required) required.push(name);
    }
  }
  if (headers.length === 0) return { fixedHeaders, headers };
  const wrap = (content: Schema): JsonSchema => ({
    type: "object",
    properties: {
      content: content as JsonValue,
      headers: {
        type: "object",
        properties,
        ...(required.length === 0 ? {} : { required }),
        additionalProperties: false,
      },
    },
    required: required.length === 0 ? ["content"] : ["content", "headers"],
    additionalProperties: false,
  });
  return { fixedHeaders, headers, wrap };
}

function getOnlyValue(schema: Schema): JsonValue | undefined {
  if (typeof schema === "boolean") return undefined;
  const { const: only, enum: values } = schema;
  return (
    only ?? (Array.isArray(values) && values.length === 1 ? (values[0] as JsonValue) : undefined)
  );
}
