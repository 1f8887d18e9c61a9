import { defineLazy } from "../contract/lazy.ts";
import { argumentsSchemaOf, type Tool } from "../contract/tool.ts";
import { unmatchedWarning } from "../contract/near-globs.ts";
import { globMatcher } from "../text/glob.ts";
import { isToolName, prefixName } from "../contract/tool-names.ts";
import type { ToolSource } from "./tool-source.ts";
import { ToolError } from "../contract/tool-error.ts";
import { callback, filledText, record } from "../contract/option-checks.ts";
import { isSource, noToolHint } from "./registry-input.ts";

/**
 * The source with `prefix__` before every name: `read_file` → `filesystem__read_file`. A name that
 * grows over 64 characters is cut with a short stable hash.
 *
 * @throws ToolError `invalid_configuration` when the prefix cannot begin a tool's name.
 */
export function prefix(source: ToolSource, first: string): ToolSource {
  if (!isToolName(first)) {
    throw new ToolError(
      "invalid_configuration",
      `"${first}" cannot be a prefix: use letters, digits, _ and -, with a letter or _ first.`,
    );
  }
  return mapSource("prefix", source, (tool) => renamed(tool, prefixName(first, tool.spec.name)));
}

/**
 * The source with only the tools that `keep` accepts.
 *
 * @throws ToolError `invalid_configuration` for what is no source or no function, as the other combinators.
 */
export function filter(source: ToolSource, keep: (tool: Tool) => boolean): ToolSource {
  callback.check("filter: keep", keep);
  return mapSource("filter", source, (tool) => (keep(tool) ? tool : undefined));
}

/** The source with some tools under other names, without the old names. */
export function rename(source: ToolSource, names: Readonly<Record<string, string>>): ToolSource {
  record(filledText).check("rename: names", names);
  const renames = new Map(Object.entries(names));
  const map = (tool: Tool): Tool => {
    const name = renames.get(tool.spec.name);
    return name === undefined ? tool : renamed(tool, name);
  };
  return mapSource("rename", source, map, (all) =>
    [...renames.keys()]
      .filter((old) => !all.includes(old))
      .map((old) => unmatchedWarning("rename", old, all, "tool of the source")),
  );
}

/** The source without the tools whose names match one of the globs (`delete_*`). */
export function hide(source: ToolSource, ...globs: readonly string[]): ToolSource {
  for (const [index, glob] of globs.entries()) filledText.check(`hide: globs[${index}]`, glob);
  const matches = globMatcher(globs);
  const map = (tool: Tool): Tool | undefined => (matches(tool.spec.name) ? undefined : tool);
  return mapSource("hide", source, map, (all) =>
    globs
      .filter((glob) => !all.some(globMatcher([glob])))
      .map((glob) => unmatchedWarning("hide", glob, all, "tool of the source")),
  );
}

/**
 * The same tool under another name. Its own code still sees the registered name in `ctx.toolName`; schemas stay lazy.
 */
function renamed(tool: Tool, name: string): Tool {
  const spec = defineLazy(tool.spec, { name });
  return {
    spec,
    get argumentsSchema() {
      return argumentsSchemaOf(tool);
    },
    ...(tool.fingerprint === undefined ? {} : { fingerprint: `${name}:${tool.fingerprint}` }),
    ...(tool.acceptsBigint === undefined ? {} : { acceptsBigint: tool.acceptsBigint }),
    ...(tool.outputValidation === undefined ? {} : { outputValidation: tool.outputValidation }),
    ...(tool.argumentsValidation === undefined
      ? {}
      : { argumentsValidation: tool.argumentsValidation }),
    get availability() {
      return tool.availability ?? { status: "available" };
    },
    delegates: tool.delegates === true,
    ...(tool.localTools === undefined ? {} : { localTools: tool.localTools }),
    ...(tool.validate ? { validate: tool.validate.bind(tool) } : {}),
    ...(tool.parseOutput ? { parseOutput: tool.parseOutput.bind(tool) } : {}),
    ...(tool.preflight ? { preflight: tool.preflight.bind(tool) } : {}),
    invoke: tool.invoke.bind(tool),
  };
}

/**
 * @param where the combinator, for the error.
 * @param warn returns the warnings about options that have no effect on tools of these names.
 */
function mapSource(
  where: string,
  source: ToolSource,
  map: (tool: Tool) => Tool | undefined,
  warn?: (names: readonly string[]) => readonly string[],
): ToolSource {
  if (!isSource(source)) {
    throw new ToolError("invalid_configuration", `${where} takes a source${noToolHint(source)}.`);
  }
  let seen: readonly Tool[] | undefined;
  let mapped: readonly Tool[] = [];
  // The same tool maps to the same object, so that a change elsewhere is not a change of it.
  const memo = new WeakMap<Tool, { to: Tool | undefined }>();
  const mapOnce = (tool: Tool): Tool | undefined => {
    let entry = memo.get(tool);
    if (entry === undefined) memo.set(tool, (entry = { to: map(tool) }));
    return entry.to;
  };
  return {
    id: source.id,
    ready: source.ready,
    get problems() {
      const names = warn === undefined ? [] : source.tools().map(({ spec }) => spec.name);
      // It has no tools before it has loaded.
      if (warn === undefined || names.length === 0) return source.problems;
      const warnings = warn(names).map((message) => ({
        subject: source.id,
        message,
        severity: "warning" as const,
      }));
      return [...(source.problems ?? []), ...warnings];
    },
    get failures() {
      return source.failures ?? source.problems ?? [];
    },
    trustAnnotations: source.trustAnnotations ?? false,
    ...(source.secrets === undefined ? {} : { secrets: source.secrets }),
    tools() {
      const tools = source.tools();
      if (tools !== seen) {
        seen = tools;
        mapped = tools.map(mapOnce).filter((tool) => tool !== undefined);
      }
      return mapped;
    },
    onChange: (listener) => source.onChange(listener),
    close: () => source.close(),
    [Symbol.asyncDispose]: () => source.close(),
  };
}
