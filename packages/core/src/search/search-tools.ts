import { truncateUtf8 } from "../text/utf8.ts";
import { builtInSource, nearNames } from "../contract/tool-names.ts";
import type { JsonObject, JsonSchema } from "../json/json.ts";
import type { SearchContext } from "../built-in/searched-toolset.ts";
import type { Tool, ToolContext } from "../contract/tool.ts";
import type { ToolOutput } from "../contract/tool-result.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import { ToolError } from "../contract/tool-error.ts";
import type { ExposedTools } from "./exposed-tools.ts";
import type { HybridToolIndex } from "./hybrid-tool-index.ts";
import type { ToolIndex } from "./tool-index.ts";
import type { ToolMatch } from "./tool-match.ts";

/** The most that one search gives. */
export const maxResults = 20;
/** Bytes of a longer description in a list of what was found. */
const maxLineLength = 160;
/** The maximum length of a description, in bytes. */
const maxDescriptionLength = 10_000;
const maxParameters = 20;

/** An index that finds tools, by words or by words and meaning. */
export type ToolFinder = ToolIndex | HybridToolIndex;

/** The tools with which a model searches. */
export class SearchTools {
  readonly tools: readonly Tool[];
  readonly #form: "growing" | "constant";
  readonly #results: number;
  readonly #exposed: ExposedTools;
  readonly #index: () => ToolFinder;

  constructor(
    form: "growing" | "constant",
    results: number,
    exposed: ExposedTools,
    index: () => ToolFinder,
  ) {
    this.#form = form;
    this.#results = results;
    this.#exposed = exposed;
    this.#index = index;
    const search: Tool = {
      spec: searchSpecs[form],
      invoke: (args, ctx) => this.#search(args, ctx),
    };
    const describe: Tool = {
      spec: describeSpec,
      invoke: (args, ctx) => this.#describe(args, callableBy(ctx)),
    };
    this.tools = form === "growing" ? [search] : [search, describe, callTool];
  }

  #search(
    { query, limit = this.#results }: JsonObject,
    ctx: ToolContext,
  ): ToolOutput | Promise<ToolOutput> {
    const mayCall = callableBy(ctx);
    const searched = this.#index().search(
      query as string,
      Math.min(limit as number, maxResults),
      (name) => this.#exposed.entry(name) !== undefined && mayCall(name),
    );
    if (!(searched instanceof Promise)) return this.#format(searched);
    return searched.then(({ matches, warnings }) => {
      for (const warning of warnings) (ctx as ToolContext & SearchContext).warn(warning);
      const output = this.#format(matches);
      return warnings.length === 0 ? output : { ...output, details: { warnings } };
    });
  }

  #format(matches: readonly ToolMatch[]): ToolOutput {
    const exposed = this.#exposed;
    const found = matches.flatMap(({ name }) => this.#found(name));
    exposed.add(found.map(({ name }) => name));
    const text =
      found.length === 0
        ? `None of the ${exposed.size} tools fits. Try other words: what the tool does, and to what.`
        : `${found.map(line).join("\n")}\n${next[this.#form]}`;
    return { content: [{ type: "text", text }], value: { tools: found } };
  }

  /** One tool that cannot be read hides no other. */
  #found(name: string): Found | readonly never[] {
    try {
      const spec = this.#exposed.entry(name)?.tool.spec;
      if (spec === undefined) return [];
      const description = oneLine(toText(spec.description));
      if (this.#form === "growing") return { name, description };
      return { name, description, parameters: listParameters(spec) };
    } catch {
      return [];
    }
  }

  #describe({ name }: JsonObject, mayCall: MayCall): JsonObject {
    const isCallable = mayCall(name as string);
    const spec = isCallable ? this.#exposed.entry(name as string)?.tool.spec : undefined;
    if (spec === undefined) {
      const near = nearNames(name as string, this.#exposed.names()).filter(mayCall);
      const hint = near.length > 0 ? `Did you mean ${near.join(", ")}?` : "Use search_tools.";
      throw new ToolError("not_found", `There is no tool of that name. ${hint}`);
    }
    const { title, description, inputSchema } = spec;
    return {
      name: name as string,
      ...(title === undefined ? {} : { title: cut(toText(title), maxLineLength) }),
      description: cut(toText(description), maxDescriptionLength),
      inputSchema: inputSchema as JsonObject,
    };
  }
}

interface Found extends JsonObject {
  readonly name: string;
  readonly description: string;
}

function line({ name, description, parameters }: Found): string {
  const list = Array.isArray(parameters) ? `(${parameters.join(", ")})` : "";
  return `- ${name}${list}: ${description}`;
}

/** Names of parameters, required ones with a star. A schema that cannot be read costs only these. */
function listParameters(spec: ToolSpec): readonly string[] {
  try {
    const { properties = {}, required } = spec.inputSchema;
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const names = Object.keys(properties as object)
      .slice(0, maxParameters)
      .map((name) => `${cut(oneLine(name), 64)}${needed.includes(name) ? "*" : ""}`);
    return names;
  } catch {
    return [];
  }
}

type MayCall = (name: string) => boolean;

/** A nested call may call fewer tools than the run lists. */
function callableBy(ctx: ToolContext): MayCall {
  return (name) => (ctx as ToolContext & SearchContext).mayCall(name);
}

/** Specs come from outside, and may hold anything. */
function toText(given: unknown): string {
  return typeof given === "string" ? given : "";
}

/** Descriptions come from outside: one of several lines could pass for several tools. */
function oneLine(text: string): string {
  const start = text.slice(0, 10 * maxLineLength);
  return cut(start.replace(/[\s\p{Cc}]+/gu, " ").trim(), maxLineLength);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${truncateUtf8(text, most)}…`;
}

const next = {
  growing: "From your next turn on you can call them by their names.",
  constant: "See one's arguments with describe_tool (* is required), then run it with call_tool.",
} as const;

const asks = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
const provenance = { adapter: builtInSource } as const;

function searchSpec(description: string): ToolSpec {
  return {
    name: "search_tools",
    description,
    inputSchema: objectSchema(
      {
        query: { type: "string", description: "What the tool should do, in a few words." },
        limit: { type: "integer", minimum: 1, maximum: maxResults },
      },
      ["query"],
    ),
    annotations: asks,
    provenance,
  };
}

const searchSpecs = {
  growing: searchSpec(
    "Finds further tools. There are more than you are shown: search before you say that you cannot do something. What is found can be called from your next turn on.",
  ),
  constant: searchSpec(
    "Finds further tools. There are more than you are shown: search before you say that you cannot do something. What is found is run with call_tool.",
  ),
} as const;

const describeSpec: ToolSpec = {
  name: "describe_tool",
  description: "Tells what a tool that search_tools has found does, and which arguments it takes.",
  inputSchema: objectSchema({ name: { type: "string", description: "The tool's name." } }, [
    "name",
  ]),
  annotations: asks,
  provenance,
};

const callTool: Tool = {
  spec: {
    name: "call_tool",
    description: "Runs a tool that search_tools has found.",
    inputSchema: objectSchema(
      {
        name: { type: "string", description: "The tool's name." },
        arguments: { type: "object", description: "Its arguments, as describe_tool says." },
      },
      ["name"],
    ),
    annotations: {},
    provenance,
  },
  // A well-formed call has become a call of the inner tool before it gets here.
  validate: () => [
    {
      path: "",
      message: `one JSON object {"name": "…", "arguments": {…}} with the name of another tool than call_tool`,
    },
  ],
  invoke: () => {
    throw new ToolError("invalid_arguments", "call_tool runs another tool: name one.");
  },
};

function objectSchema(properties: JsonObject, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}
