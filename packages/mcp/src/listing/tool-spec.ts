import {
  canonicalJson,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Metadata,
  type SourceProblem,
  type ToolAnnotations,
  type ToolSpec,
} from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import { sanitizeSchema } from "../schema/sanitize-schema.ts";
import { isObject } from "../schema/schema-keywords.ts";
import { maxDescriptionLength, maxTextLength, TextSanitizer } from "./sanitize-texts.ts";
import { sanitizeIcons } from "./sanitize-icons.ts";

/** What a spec needs beside the server's own definition. */
export interface SpecContext {
  readonly name: string;
  readonly server: string;
  /** What runs behind the server's name: see `programOrigin`. */
  readonly program: JsonObject;
  readonly timeoutMs: number | undefined;
  /** The server runs it as a task only: see `taskSupportOf`. */
  readonly isTask: boolean;
  /** The server may make a task of any call. */
  readonly mayBecomeTask: boolean;
}

/** What a tool says of itself. */
export interface ReadSpec {
  readonly spec: ToolSpec;
  /** What was done to its texts. */
  readonly problems: readonly SourceProblem[];
}

/**
 * The spec of a definition without a fault. What nobody sees is taken out of what a model reads.
 *
 * @param json the definition; see `getFingerprint`.
 */
export function toToolSpec(
  definition: McpDefinition,
  json: string,
  context: SpecContext,
): ReadSpec {
  const { name, server, program, timeoutMs, isTask, mayBecomeTask } = context;
  const texts = new TextSanitizer();
  const textOf = (value: unknown, most?: number): string | undefined => {
    const visible = typeof value === "string" ? texts.shown(value, most) : "";
    return visible.trim() === "" ? undefined : visible;
  };
  const isUnusual = json.length > maxTextLength || unusual.test(json);
  const schemaOf = (schema: JsonSchema): JsonSchema =>
    isUnusual ? sanitizeSchema(schema, (text) => texts.shown(text)) : schema;
  const ownName = textOf(definition.name) ?? name;
  const annotations = annotationsOf(definition["annotations"], textOf);
  const title = textOf(definition["title"]) ?? annotations.title;
  const { outputSchema } = definition;
  const inputSchema = schemaOf(definition["inputSchema"] as JsonSchema);
  const shownOutput = outputSchema === undefined ? undefined : schemaOf(outputSchema as JsonSchema);
  const description = textOf(definition["description"], maxDescriptionLength);
  const metadata = metadataOf(definition, texts.cutHash, mayBecomeTask);
  const spec: ToolSpec = {
    name,
    ...(title === undefined ? {} : { title }),
    description:
      description ??
      `${title ?? ownName}: a tool of the MCP server ${server}, which says no more of it.`,
    inputSchema: { ...inputSchema, type: "object" },
    ...(shownOutput === undefined ? {} : { outputSchema: shownOutput }),
    annotations,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(isTask ? { execution: "task" as const } : {}),
    provenance: { adapter: "mcp", source: server, origin: { tool: definition.name, ...program } },
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { spec, problems: problemsOf(name, texts) };
}

/** The same for the same definition, in whatever order its members come. */
export function getFingerprint(definition: McpDefinition): string {
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

function metadataOf(
  { _meta, icons, execution }: McpDefinition,
  cutTextHash: string | undefined,
  mayBecomeTask: boolean,
): Metadata | undefined {
  const all = { _meta, icons: sanitizeIcons(icons), execution, cutTextHash };
  const kept = Object.entries(mayBecomeTask ? { ...all, mayBecomeTask } : all).filter(
    ([, value]) => value !== undefined,
  );
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as Metadata);
}

function problemsOf(name: string, { isCleaned, cutHash }: TextSanitizer): readonly SourceProblem[] {
  const problems: string[] = [];
  if (isCleaned) {
    problems.push(
      `Hidden or broken characters were taken out of what the server says of the tool ${name}: look at it before you trust it.`,
    );
  }
  if (cutHash !== undefined) {
    problems.push(
      `What the server says of the tool ${name} is cut: a description has ${maxDescriptionLength} characters at most, another text ${maxTextLength}.`,
    );
  }
  return problems.map((message) => ({ subject: name, message, severity: "warning" }));
}
