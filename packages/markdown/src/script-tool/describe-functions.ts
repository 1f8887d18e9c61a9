import {
  defineTool,
  text,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type ToolSpec,
  type Toolset,
} from "@toolweave/core";
import { byName, globMatcher, ToolsetSnapshot, type RegisteredTool } from "@toolweave/core/adapter";
import { ToolIndex } from "@toolweave/core/search";
import { listFunctions } from "./describe-scripts.ts";
import {
  callableBy,
  functionIndex,
  scriptAdapter,
  type FunctionIndex,
  type ScriptFunction,
} from "./function-index.ts";
import { writeStub } from "./function-stub.ts";
import type { ScriptSettings } from "./script-options.ts";

/** Characters of all stubs of one answer. */
const maxLength = 24_000;
const maxFound = 8;
const maxListed = 400;

/** The tool with which a model reads the parameters and results of the functions that its scripts can call. */
export function describeFunctionsTool({ describeName, name }: ScriptSettings): Tool {
  const tool = defineTool({
    name: describeName,
    description: `Describe the functions that scripts of ${name} can call, as typed Python stubs: by names or globs (github.*, filesystem.read_file), or by a query in words. Without either: all names.`,
    input: {
      type: "object",
      properties: {
        names: { type: "array", items: { type: "string" }, description: "Names or globs." },
        query: { type: "string", description: "What the function should do." },
      },
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    execute: ({ names = [], query }, ctx) => describe(ctx, names, query),
  });
  return withProvenance(tool);
}

/** A tool with this folder as its origin: scripts cannot call it. */
export function withProvenance(tool: Tool): Tool {
  const spec = Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(tool.spec),
      provenance: { value: Object.freeze({ adapter: scriptAdapter }), enumerable: true },
    },
  ) as ToolSpec;
  return { ...tool, spec };
}

function describe(
  ctx: ToolContext,
  names: readonly string[],
  query: string | undefined,
): ToolOutput {
  const { toolset } = ctx.scope;
  const index = functionIndex(toolset);
  const mayCall = callableBy(ctx);
  if (names.length === 0 && (query === undefined || query.trim() === ""))
    return toOutput(listFunctions(index, mayCall, maxListed));
  const found = new Map<string, ScriptFunction>();
  if (names.length > 0) {
    const isMeant = globMatcher(names);
    for (const fn of index.functions.values())
      if (
        (isMeant(fn.tool) || (fn.expression !== undefined && isMeant(fn.expression))) &&
        mayCall(fn.tool)
      )
        found.set(fn.tool, fn);
  }
  if (query !== undefined && query.trim() !== "") {
    for (const { name } of searchIndex(toolset).search(
      query,
      maxFound,
      (tool) => index.functions.has(tool) && mayCall(tool),
    ))
      found.set(name, index.functions.get(name) as ScriptFunction);
  }
  if (found.size === 0) {
    return toOutput(`No function matches. The names are:\n${listFunctions(index, mayCall)}`);
  }
  return toOutput(writeStubs([...found.values()], toolset, index));
}

function writeStubs(
  functions: readonly ScriptFunction[],
  toolset: Toolset,
  { functions: all }: FunctionIndex,
): string {
  const stubs: string[] = [];
  let length = 0;
  for (const fn of functions) {
    const stub = stubFor(fn, toolset);
    if (length + stub.length > maxLength) break;
    length += stub.length + 1;
    stubs.push(stub);
  }
  const more = functions.length - stubs.length;
  const rest = functions
    .slice(stubs.length, stubs.length + 20)
    .map(({ expression, tool }) => expression ?? tool);
  return [
    ...stubs,
    ...(more > 0
      ? [
          `# ${more} of ${all.size} functions are left out, ask for fewer: ${rest.join(", ")}${more > rest.length ? ", …" : ""}`,
        ]
      : []),
  ].join("\n");
}

/** A tool whose schemas cannot be read hides no other. */
function stubFor(fn: ScriptFunction, toolset: Toolset): string {
  try {
    const entry = toolset.callable(fn.tool);
    return entry === undefined ? "" : writeStub(fn, entry.tool.spec);
  } catch {
    return `# ${fn.expression ?? fn.tool}: its schemas cannot be read`;
  }
}

function toOutput(written: string): ToolOutput {
  return { content: [text(written)] };
}

const searchIndexes = new WeakMap<Toolset, ToolIndex>();

/** The search over everything that can be called, listed or not. Made at the first query. */
function searchIndex(toolset: Toolset): ToolIndex {
  let index = searchIndexes.get(toolset);
  if (index === undefined) {
    const entries = new Map<string, RegisteredTool>();
    for (const name of toolset.callableNames()) {
      const entry = toolset.callable(name);
      if (entry !== undefined) entries.set(name, entry);
    }
    index = new ToolIndex();
    index.update(new ToolsetSnapshot(toolset.version, byName(entries)));
    searchIndexes.set(toolset, index);
  }
  return index;
}
