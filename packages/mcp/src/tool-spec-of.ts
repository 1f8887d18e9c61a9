import {
  canonicalJson,
  visibleText,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Metadata,
  type ToolAnnotations,
  type ToolSpec,
} from "@toolweave/core";
import type { McpDefinition } from "./connection.ts";
import { missingReference } from "./missing-reference.ts";
import { visibleSchema } from "./visible-schema.ts";
import { isObject } from "./schema-keywords.ts";

/** What a spec needs beside the server's own definition. */
export interface SpecContext {
  readonly name: string;
  readonly server: string;
  readonly timeoutMs: number | undefined;
}

/** What a tool says of itself. */
export interface ReadSpec {
  readonly spec: ToolSpec;
  /** Hidden or broken characters were taken out of it. */
  readonly cleaned: boolean;
}

/** Why the definition cannot be a tool; `undefined`: it can. */
export function definitionFault(definition: McpDefinition): string | undefined {
  for (const member of ["inputSchema", "outputSchema"]) {
    const schema = definition[member];
    if (schema === undefined && member === "outputSchema") continue;
    if (!isObject(schema)) return `its ${member} is no schema of an object`;
    const missing = missingReference(schema);
    if (missing !== undefined) {
      return `its ${member} refers to "${missing}", which is not in it; nothing is fetched for a schema`;
    }
  }
  const { type } = definition["inputSchema"] as JsonObject;
  if (type !== undefined && type !== "object") {
    return `its inputSchema is of type ${JSON.stringify(type)}; arguments are an object`;
  }
  return undefined;
}

/**
 * The spec of a definition without a fault. What nobody sees is taken out of what a model reads.
 *
 * @param json the definition; see `fingerprintOf`.
 */
export function specOf(definition: McpDefinition, json: string, context: SpecContext): ReadSpec {
  const { name, server, timeoutMs } = context;
  let cleaned = false;
  const shown = (text: string): string => {
    const visible = visibleText(text);
    if (visible !== text) cleaned = true;
    return visible;
  };
  const textOf = (value: unknown): string | undefined => {
    const visible = typeof value === "string" ? shown(value) : "";
    return visible.trim() === "" ? undefined : visible;
  };
  const isUnusual = unusual.test(json);
  const schemaOf = (schema: JsonSchema): JsonSchema =>
    isUnusual ? visibleSchema(schema, shown) : schema;
  const ownName = textOf(definition.name) ?? name;
  const annotations = annotationsOf(definition["annotations"], textOf);
  const title = textOf(definition["title"]) ?? annotations.title;
  const { outputSchema } = definition;
  const metadata = metadataOf(definition);
  const spec: ToolSpec = {
    name,
    ...(title === undefined ? {} : { title }),
    description:
      textOf(definition["description"]) ??
      `${title ?? ownName}: a tool of the MCP server ${server}, which says no more of it.`,
    inputSchema: { ...schemaOf(definition["inputSchema"] as JsonSchema), type: "object" },
    ...(outputSchema === undefined ? {} : { outputSchema: schemaOf(outputSchema as JsonSchema) }),
    annotations,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    provenance: { adapter: "mcp", source: server, origin: { tool: definition.name } },
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { spec, cleaned };
}

/** The same for the same definition, in whatever order its members come. */
export function fingerprintOf(definition: McpDefinition): string {
  return canonicalJson(definition as JsonValue);
}

/** What the JSON of most definitions has none of: another character than ASCII has, or an escaped one. */
const unusual = /[^ -~]|\\[bfu]/;

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Those that MCP knows: others would mean something here that the server cannot have meant. */
function annotationsOf(
  given: unknown,
  textOf: (value: unknown) => string | undefined,
): ToolAnnotations {
  if (!isObject(given)) return {};
  const kept: Record<string, JsonValue> = {};
  for (const hint of hints) {
    if (typeof given[hint] === "boolean") kept[hint] = given[hint];
  }
  const title = textOf(given["title"]);
  return title === undefined ? kept : { ...kept, title };
}

function metadataOf({ _meta, icons, execution }: McpDefinition): Metadata | undefined {
  const kept = Object.entries({ _meta, icons, execution }).filter(
    ([, value]) => value !== undefined,
  );
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as Metadata);
}
