import type {
  JsonSchema,
  JsonValue,
  PolicyEffect,
  RegistryProblem,
  Toolset,
} from "@toolweave/core";
import { argumentsSchemaOf } from "@toolweave/core/adapter";
import type { ToolOptions } from "../../input/tool-options.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError, exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";
import { showProgress } from "../../render/progress.ts";
import { writeList } from "../../render/pager.ts";
import { renderProblems, renderTools, writeToolsJson } from "../../render/tool-list.ts";
import { planSources } from "../../sources/load-sources.ts";
import { createExecutor } from "../shared/executor.ts";
import { printPolicyWarnings } from "../shared/hints.ts";
import type { TokenCounts, TokenFormat } from "./token-counts.ts";
import { SchemaView } from "../../input/schema-view.ts";
import { formatCount, safeLine, safeValue } from "../../render/text.ts";

/** The options of `toolweave inspect`. */
export interface InspectOptions extends ToolOptions {
  readonly filter?: readonly string[];
  readonly policy?: string;
  /** A format of `countToolTokens`; true: the default. */
  readonly tokens?: string | true;
  readonly pager?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `toolweave inspect`: lists the tools of documents and servers, and what could not become one. */
export async function inspect(options: InspectOptions, io: CliIo, output: Output): Promise<number> {
  const { filter, json, verbose = false, pager = true } = options;
  const format = await parseTokenFormat(options.tokens);
  const plan = await planSources(options, io, output);
  const loaded = await plan.load();
  const { registry, failures, sources, policy } = loaded;
  try {
    await loaded.removeBrokenTools();
    const all = registry.toolset();
    const selected = filter === undefined ? all : all.select({ include: filter });
    const entries = [...selected.entries()];
    const { problems } = registry;
    const executor = createExecutor({ registry, policy });
    const warnings = printPolicyWarnings(executor, output);
    const decisions = new Map<string, PolicyEffect>();
    for (const { tool } of entries) {
      const { name } = tool.spec;
      decisions.set(name, (await executor.explain({ name })).effect);
    }
    const counted = format === undefined ? undefined : await countTokens(selected, format, io);
    if (json === true) {
      const tokens = counted === undefined ? {} : { tokens: counted.counts };
      await writeToolsJson(entries, { problems, decisions, warnings, ...tokens }, output);
    } else if (failures.length < sources.length || sources.length === 0) {
      // Sources that could not be loaded at all are printed to stderr.
      const listed = problems.filter((problem) => !registry.failedSources.includes(problem));
      const perTool = format === undefined ? undefined : counted?.counts.tools[format];
      const total = formatCount(all.size, "tool");
      const tools = entries.length === all.size ? total : `${entries.length} of ${total}`;
      const found = [
        ...(listed.length > 0 ? [formatCount(listed.length, "problem")] : []),
        ...(failures.length > 0 ? [`${formatCount(failures.length, "source")} failed`] : []),
      ];
      if (found.length === 0) found.push("no problems");
      const isUnmatched = filter !== undefined && entries.length === 0;
      const list = [...renderTools(entries, decisions, output, perTool)];
      const lines = [
        ...list,
        ...(list.length === 0 ? [] : [""]),
        `${tools}, ${found.join(", ")}`,
        ...(isUnmatched ? [`No tool has a name that matches ${filterText(filter)}.`] : []),
        ...renderProblems(listed, loaded.howToPrefix, output),
        ...(counted === undefined ? [] : ["", ...counted.lines]),
      ];
      const [only] = entries;
      // A request for one tool usually precedes its call.
      if (filter !== undefined && entries.length === 1 && only !== undefined) {
        lines.push("", ...renderArguments(argumentsSchemaOf(only.tool), output));
      }
      await writeList(lines, pager, io, output);
    }
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    if (failures.length > 0) return exitCode.sourceFailed;
    return problems.some(isCollision) ? exitCode.collision : exitCode.completed;
  } finally {
    await registry.close();
  }
}

function isCollision({ nameTakenBy }: RegistryProblem): boolean {
  return nameTakenBy !== undefined;
}

function filterText(globs: readonly string[]): string {
  return globs.map((glob) => safeValue(JSON.stringify(glob))).join(" or ");
}

async function parseTokenFormat(
  written: string | true | undefined,
): Promise<TokenFormat | undefined> {
  if (written === undefined) return undefined;
  const { tokenFormats } = await import("./token-counts.ts");
  const format = written === true ? tokenFormats[0] : tokenFormats.find((one) => one === written);
  if (format !== undefined) return format;
  throw new UsageError(`--tokens must be one of ${tokenFormats.join(", ")}.`);
}

/** Counts, and formats the totals. The tokenizer is loaded only here. */
async function countTokens(
  tools: Toolset,
  format: TokenFormat,
  io: CliIo,
): Promise<{ readonly counts: TokenCounts; readonly lines: readonly string[] }> {
  const { countToolTokens, renderTotals } = await import("./token-counts.ts");
  const done = showProgress(io, "Counting tokens …");
  const counts = await countToolTokens(tools).finally(done);
  return { counts, lines: [...renderTotals(counts, format)] };
}

const maxValues = 8;

/** Lists the arguments of one tool, one a line: name, type, whether it is required, what it is. */
function* renderArguments(schema: JsonSchema, { style }: Pick<Output, "style">): Generator<string> {
  const view = new SchemaView(schema);
  const names = view.propertyNames;
  if (names.length === 0) {
    yield "The tool takes no arguments.";
    return;
  }
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const rows = names.map((name) => ({
    name: safeValue(name),
    type: typeLabel(view.property(name), schema, name),
    need: required.has(name) ? "required" : "",
    about: safeLine(getDescription(schema, name)),
  }));
  const width = (column: "name" | "type"): number =>
    Math.min(40, Math.max(...rows.map((row) => row[column].length)));
  yield "Arguments:";
  for (const { name, type, need, about } of rows) {
    const left = `  ${style("bold", name.padEnd(width("name")))}  ${type.padEnd(width("type"))}`;
    yield `${left}  ${need.padEnd(8)}  ${about}`.trimEnd();
  }
}

function typeLabel(view: SchemaView | undefined, schema: JsonSchema, name: string): string {
  const values = view?.values ?? [];
  if (values.length > 0) {
    const listed = values.slice(0, maxValues).map((value) => safeValue(formatPlain(value)));
    return listed.join("|") + (values.length > listed.length ? "|…" : "");
  }
  const declared = getProperty(schema, name)["type"];
  if (typeof declared === "string") return safeValue(declared);
  return view?.types === undefined ? "any" : [...view.types].join("|");
}

function formatPlain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function getDescription(schema: JsonSchema, name: string): string {
  const { description } = getProperty(schema, name);
  const [first = ""] = typeof description === "string" ? description.trim().split("\n", 1) : [];
  return first;
}

function getProperty({ properties }: JsonSchema, name: string): JsonSchema {
  const property = (properties as JsonSchema | undefined)?.[name];
  return typeof property === "object" && property !== null && !Array.isArray(property)
    ? (property as JsonSchema)
    : {};
}
