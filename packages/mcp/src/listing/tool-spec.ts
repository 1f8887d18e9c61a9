import type { JsonObject, JsonSchema, JsonValue, ToolAnnotations, ToolSpec } from "@toolweave/core";
import {
  isObject,
  canonicalJson,
  findUnsatisfiable,
  type Metadata,
  type SourceProblem,
} from "@toolweave/core/adapter";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import {
  sanitizeSchema,
  measureDefinition,
  findMissingReference,
  PatternFaults,
  readSchema,
} from "../schema/read-schema.ts";
import { repairSchema } from "../schema/repair-schema.ts";
import {
  maxDescriptionLength,
  maxTextLength,
  TextSanitizer,
  toDisplayName,
} from "./text-sanitizer.ts";
import { withLongChoices } from "./long-choices.ts";
import { parameterHeaders } from "../transport/http/parameter-headers.ts";

/** Data for a spec beside the server's definition. */
export interface SpecContext {
  readonly name: string;
  readonly server: string;
  /** Identity of the program behind the server's name: see `programOrigin`. */
  readonly program: JsonObject;
  readonly timeoutMs: number | undefined;
  /** The server runs it only as a task: see `getTaskSupport`. */
  readonly isTask: boolean;
  /** The server may run any call as a task. */
  readonly mayBecomeTask: boolean;
}

/** A spec with the problems of its texts. */
export interface ReadSpec {
  readonly spec: ToolSpec;
  /** Changes that were made to its texts. */
  readonly problems: readonly SourceProblem[];
}

/**
 * Converts a valid definition to a spec. Invisible characters are removed from texts that a model reads.
 *
 * @param json The definition; see `getFingerprint`.
 */
export function toToolSpec(
  definition: McpDefinition,
  json: string,
  context: SpecContext,
): ReadSpec {
  const { name, server, program, timeoutMs, isTask, mayBecomeTask } = context;
  const texts = new TextSanitizer();
  const toText = (value: unknown, maxLength?: number): string | undefined => {
    const visible = typeof value === "string" ? texts.sanitize(value, maxLength) : "";
    return visible.trim() === "" ? undefined : visible;
  };
  const isUnusual = json.length > maxTextLength || unusual.test(json);
  const toModelSchema = (schema: JsonSchema): JsonSchema =>
    isUnusual ? sanitizeSchema(schema, (text) => texts.sanitize(text)) : schema;
  const serverName = toText(definition.name) ?? name;
  const annotations = readAnnotations(definition["annotations"], toText);
  const title = toText(definition["title"]) ?? annotations.title;
  const { outputSchema } = definition;
  const inputSchema = toModelSchema(withLongChoices(definition["inputSchema"] as JsonSchema));
  const modelOutputSchema =
    outputSchema === undefined ? undefined : toModelSchema(outputSchema as JsonSchema);
  const description = toText(definition["description"], maxDescriptionLength);
  const metadata = toMetadata(definition, texts.cutHash, mayBecomeTask);
  const spec: ToolSpec = {
    name,
    ...(title === undefined ? {} : { title }),
    description:
      description ??
      `${title ?? serverName}: a tool of the MCP server ${server}, which has no description.`,
    inputSchema: { ...inputSchema, type: "object" },
    ...(modelOutputSchema === undefined ? {} : { outputSchema: modelOutputSchema }),
    annotations,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(isForAppsOnly(definition) ? { visibility: "app" as const } : {}),
    ...(isTask ? { execution: "task" as const } : {}),
    provenance: { adapter: "mcp", source: server, origin: { tool: definition.name, ...program } },
    ...(metadata === undefined ? {} : { metadata }),
  };
  return { spec, problems: toProblems(name, texts) };
}

/** True for a tool that no model may be given (MCP Apps 2026-01-26, Resource Discovery, Visibility). */
function isForAppsOnly({ _meta }: McpDefinition): boolean {
  const ui = isObject(_meta) ? _meta["ui"] : undefined;
  const visibility = isObject(ui) ? ui["visibility"] : undefined;
  return Array.isArray(visibility) && !visibility.includes("model");
}

/** Returns the same text for equal definitions, whatever the order of their members. */
export function getFingerprint(definition: McpDefinition): string {
  return canonicalJson(definition as JsonValue);
}

/** Matches what the JSON of most definitions does not contain: a character outside ASCII, or an escaped one. */
const unusual = /[^ -~]|\\[bfu]/;

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Reads the annotations that MCP defines: others would have a meaning here that the server cannot have intended. */
function readAnnotations(
  annotations: unknown,
  toText: (value: unknown) => string | undefined,
): ToolAnnotations {
  if (!isObject(annotations)) return {};
  const known: Record<string, JsonValue> = {};
  for (const hint of hints) {
    if (typeof annotations[hint] === "boolean") known[hint] = annotations[hint];
  }
  const title = toText(annotations["title"]);
  return title === undefined ? known : { ...known, title };
}

function toMetadata(
  { _meta, icons, execution }: McpDefinition,
  cutTextHash: string | undefined,
  mayBecomeTask: boolean,
): Metadata | undefined {
  const all = { _meta, icons: sanitizeIcons(icons), execution, cutTextHash };
  const present = Object.entries(mayBecomeTask ? { ...all, mayBecomeTask } : all).filter(
    ([, value]) => value !== undefined,
  );
  return present.length === 0 ? undefined : (Object.fromEntries(present) as Metadata);
}

function toProblems(name: string, { isCleaned, cutHash }: TextSanitizer): readonly SourceProblem[] {
  const problems: string[] = [];
  if (isCleaned) {
    problems.push(
      `Hidden or invalid characters were removed from the definition of the tool ${name}: check it before you trust it.`,
    );
  }
  if (cutHash !== undefined) {
    problems.push(
      `Texts in the definition of the tool ${name} were truncated: descriptions to ${maxDescriptionLength} characters, other texts to ${maxTextLength}.`,
    );
  }
  return problems.map((message) => ({ subject: name, message, severity: "warning" }));
}

/** Limits above those of any real tool. */
const maxIcons = 16;
const maxSourceLength = 256 * 1024;

/**
 * Returns the icons that a host may display: those over https and those with inline images. Others could reach hosts
 * that only the user's machine can reach, or run code.
 */
function sanitizeIcons(icons: unknown): JsonValue[] | undefined {
  if (!Array.isArray(icons)) return undefined;
  const displayable = (icons as readonly JsonValue[]).filter(
    (icon) => isObject(icon) && typeof icon["src"] === "string" && isDisplayable(icon["src"]),
  );
  return displayable.length === 0 ? undefined : displayable.slice(0, maxIcons);
}

function isDisplayable(src: string): boolean {
  if (src.length > maxSourceLength) return false;
  return /^data:image\/[\w.+-]+[;,]/i.test(src) || URL.parse(src)?.protocol === "https:";
}

/**
 * Returns the definitions that can be tools, and the problems of the others: one invalid definition does not affect
 * the rest, and a tool that can be called is kept without the parts that cannot be used.
 */
export async function selectUsable(definitions: readonly McpDefinition[]): Promise<{
  readonly usable: readonly McpDefinition[];
  readonly problems: readonly SourceProblem[];
}> {
  const usable: McpDefinition[] = [];
  const problems: SourceProblem[] = [];
  const patterns = new PatternFaults();
  for (const definition of definitions) {
    const subject = toDisplayName(definition.name);
    const warnings: SourceProblem[] = [];
    const read = await readDefinition(definition, patterns, (message) => {
      warnings.push({ subject, message, severity: "warning" });
    });
    if (typeof read === "string") {
      problems.push({ subject, message: `The definition is invalid: ${read}.` });
    } else {
      usable.push(read);
      problems.push(...warnings);
    }
  }
  return { usable, problems };
}

type Warn = (message: string) => void;

/** Returns the definition without what cannot be used, or the fault for which there is no tool. */
async function readDefinition(
  definition: McpDefinition,
  patterns: PatternFaults,
  warn: Warn,
): Promise<McpDefinition | string> {
  // First, because nothing else may process a definition that is too large.
  const size = measureDefinition(definition);
  if ("fault" in size) return size.fault;
  const { inputSchema, outputSchema, ...others } = definition;
  const input = await readMember("inputSchema", inputSchema, patterns, warn);
  if (typeof input === "string") return input;
  const { type } = input;
  if (type !== undefined && type !== "object") {
    return `its inputSchema is of type ${JSON.stringify(type)}; it must be "object"`;
  }
  if (outputSchema === undefined) return { ...others, inputSchema: input };
  const output = await readMember("outputSchema", outputSchema, patterns, warn);
  if (typeof output !== "string") return { ...others, inputSchema: input, outputSchema: output };
  warn(`Results are not validated: ${output}. The tool is used without its output schema.`);
  return { ...others, inputSchema: input };
}

/** Returns a schema of a definition, repaired where that changes nothing, or its fault. */
async function readMember(
  member: "inputSchema" | "outputSchema",
  given: unknown,
  patterns: PatternFaults,
  warn: Warn,
): Promise<JsonSchema | string> {
  if (!isObject(given)) return `its ${member} is not a JSON Schema object`;
  const { schema, repaired } = repairSchema(given);
  const read = readSchema(schema);
  if (typeof read === "string") return `its ${member} ${read}`;
  const missing = findMissingReference(schema);
  if (missing !== undefined) {
    return `its ${member} refers to "${missing.slice(0, 200)}", which it does not contain; remote references are not fetched`;
  }
  const unchecked: string[] = [];
  for (const [pattern, fault] of await patterns.findFaults(read.patterns)) {
    const display = JSON.stringify(pattern.slice(0, 100));
    if (fault === "invalid") {
      return `its ${member} has the pattern ${display}, which is not a valid regular expression`;
    }
    unchecked.push(display);
  }
  for (const display of unchecked) {
    warn(
      `Values are not checked against the pattern ${display} of its ${member}: it cannot be checked in bounded time.`,
    );
  }
  if (repaired.length > 0) warn(describeRepairs(member, repaired));
  for (const { pointer, reason } of findUnsatisfiable(schema)) {
    const place = pointer === "" ? `its ${member}` : `${pointer} of its ${member}`;
    warn(`No value is valid for ${toDisplayName(place)}: ${toDisplayName(reason)}.`);
  }
  return schema;
}

const maxRepairs = 5;

function describeRepairs(member: string, repaired: readonly string[]): string {
  const listed = repaired.slice(0, maxRepairs).map(toDisplayName).join(", ");
  const more = repaired.length > maxRepairs ? `, … (${repaired.length} in all)` : "";
  return `Keywords of its ${member} have a value that JSON Schema does not permit there, such as null; they are read as absent: ${listed}${more}.`;
}

/**
 * Returns the definitions with valid `x-mcp-header` annotations (2026-07-28, Tools, `x-mcp-header`), and the problems
 * of the others.
 */
export function withValidHeaders(definitions: readonly McpDefinition[]): {
  readonly valid: readonly McpDefinition[];
  readonly problems: readonly SourceProblem[];
} {
  const problems: SourceProblem[] = [];
  const valid = definitions.filter((definition) => {
    const { fault, withheld } = parameterHeaders(definition["inputSchema"] as JsonSchema);
    const subject = toDisplayName(definition.name);
    if (fault !== undefined) {
      problems.push({ subject, message: `The definition is invalid: ${toDisplayName(fault)}.` });
    } else if (withheld.length > 0) {
      const names = toDisplayName(withheld.join(", "));
      const message = `It asks for secrets in headers, which proxies can read: ${names}. They are sent as arguments only.`;
      problems.push({ subject, message, severity: "warning" });
    }
    return fault === undefined;
  });
  return { valid, problems };
}
