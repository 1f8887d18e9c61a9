import type { Toolset } from "@toolweave/core";
import { functionIndex, type FunctionIndex, type ScriptFunction } from "./function-index.ts";
import { sessionNames } from "./session-values.ts";
import type { ScriptSettings } from "./script-options.ts";

const maxNames = 60;
const maxModules = 40;

/** The rules of a script, for the model that writes it. */
export function describeRules({ describeName, readOnly }: ScriptSettings): string {
  return [
    "Run a Starlark script (a subset of Python) that calls your tools as functions. Loops, filters and intermediate results stay out of the conversation: you read its result alone. Prefer it if several calls are needed, or if a result is long and you need a part of it.",
    `- Arguments by name: module.function(name=value). Names that are no identifiers: **{"x-y": 1}. A call that fails ends the script; call_tool("tool", {…}) returns {ok, value, error, code} instead.`,
    "- The result is the variable `result`, else the value of the last expression. What print() writes is returned, too.",
    `- Results are dicts, lists, strings and numbers: issue["title"], not issue.title; d.get("key"). ${describeName} gives parameters and result types: use it before you guess a field.`,
    `- There are top-level for, if and while, def, comprehensions, f"{x}" without format specifications, sorted(key=), sum, and the modules ${sessionNames.join(", ")}. There is no import, class, try, with, is, ** or recursion.`,
    ...(readOnly ? ["- Only tools that change nothing can be called."] : []),
  ].join("\n");
}

/** The names of the functions by module, at most so many. */
export function listFunctions(
  index: FunctionIndex,
  mayCall: (name: string) => boolean = () => true,
  limit: number = maxNames,
): string {
  const namesIn = (members: ReadonlyMap<string, ScriptFunction>): readonly string[] =>
    Array.from(members).flatMap(([name, { tool }]) => (mayCall(tool) ? [name] : []));
  const modules = [
    ...(index.globals.size === 0 ? [] : [["", namesIn(index.globals)] as const]),
    ...Array.from(index.modules, ([name, members]) => [name, namesIn(members)] as const),
  ].filter(([, members]) => members.length > 0);
  const others = Array.from(index.functions.values()).filter(
    ({ tool, expression, module }) =>
      module === undefined && expression?.startsWith("tools.") === true && mayCall(tool),
  );
  if (others.length > 0) modules.push(["tools", others.map(({ name }) => name)]);
  if (modules.length === 0) return "There are no functions.";
  // Every module gets a share: a large one hides no other.
  let left = limit;
  const lines = modules.slice(0, maxModules).map(([name, members], position) => {
    const share = Math.max(1, Math.ceil(left / (Math.min(modules.length, maxModules) - position)));
    const listed = members.slice(0, Math.min(share, left));
    left -= listed.length;
    const more = members.length - listed.length;
    const count = more === 0 ? "" : `${listed.length === 0 ? "" : ", "}… ${more} more`;
    return `${name === "" ? "" : `${name}: `}${listed.join(", ")}${count}`;
  });
  const rest = modules.length - lines.length;
  return [...lines, ...(rest > 0 ? [`… ${rest} more modules`] : [])].join("\n");
}

/** The description of the tool for a toolset: the rules, and the first names of its functions. */
export function describeScriptTool(settings: ScriptSettings, toolset: Toolset): string {
  const index = functionIndex(toolset);
  return `${describeRules(settings)}\nFunctions (${index.functions.size}):\n${listFunctions(index)}`;
}
