import type { ToolContext, Toolset } from "@toolweave/core";
import type { RegisteredTool, SearchContext } from "@toolweave/core/adapter";
import { reservedNames } from "./session-values.ts";

/** A tool as a function of a script. */
export interface ScriptFunction {
  /** The name of the tool. */
  readonly tool: string;
  /** The module that the function is a member of; absent: a global function, or one that only `tools` has. */
  readonly module?: string;
  /** The name in its module. */
  readonly name: string;
  /** How a script names it: `filesystem.read_file`. Undefined: only `call_tool` calls it, since another tool has the name. */
  readonly expression: string | undefined;
}

/** The adapter of the tools in this folder. Scripts cannot call them. */
export const scriptAdapter = "script";

const keywords: ReadonlySet<string> = new Set(
  (
    "and as assert async await break class continue def del elif else except finally for from global if import in is " +
    "lambda load nonlocal not or pass raise return try while with yield None True False"
  ).split(" "),
);

/** The separator of a prefix and a name in the names of tools. */
const separator = "__";

const indexes = new WeakMap<Toolset, FunctionIndex>();

/** The functions of a toolset. Made once for each: only names are read. */
export function functionIndex(toolset: Toolset): FunctionIndex {
  let index = indexes.get(toolset);
  if (index === undefined) indexes.set(toolset, (index = new FunctionIndex(toolset)));
  return index;
}

/**
 * The tools that a toolset can call as functions, grouped by the prefix of their names. A name that belongs to the language
 * or to two tools is a member of `tools` alone, or of nothing: then `call_tool` calls the tool.
 */
export class FunctionIndex {
  /** All functions, by the name of the tool, in order of name. */
  readonly functions: ReadonlyMap<string, ScriptFunction>;
  /** The members of the modules. */
  readonly modules: ReadonlyMap<string, ReadonlyMap<string, ScriptFunction>>;
  readonly globals: ReadonlyMap<string, ScriptFunction>;
  /** The members of the module `tools`: every function. */
  readonly members: ReadonlyMap<string, ScriptFunction>;

  constructor(toolset: Toolset) {
    const names = Array.from(toolset.callableNames())
      .filter((name) => isCallable(toolset.callable(name)))
      .sort();
    const members = new Map<string, string | undefined>();
    for (const name of names) {
      const id = toIdentifier(name);
      // A tool whose name is the identifier itself has it; of two others, neither has it.
      const before = members.get(id);
      if (!members.has(id) || name === id) members.set(id, name);
      else if (before !== id) members.set(id, undefined);
    }
    const functions = new Map<string, ScriptFunction>();
    const modules = new Map<string, Map<string, ScriptFunction>>();
    const globals = new Map<string, ScriptFunction>();
    const all = new Map<string, ScriptFunction>();
    for (const tool of names) {
      const id = toIdentifier(tool);
      const isMember = members.get(id) === tool;
      const at = id.indexOf(separator);
      const [module, name] =
        at > 0 && at + separator.length < id.length
          ? [id.slice(0, at), toIdentifier(id.slice(at + separator.length))]
          : [undefined, id];
      let entry: ScriptFunction;
      if (!isMember) entry = { tool, name: id, expression: undefined };
      else if (module === undefined && !reservedNames.has(id))
        globals.set(id, (entry = { tool, name, expression: id }));
      else if (
        module !== undefined &&
        !reservedNames.has(module) &&
        !keywords.has(module) &&
        !modules.get(module)?.has(name)
      ) {
        entry = { tool, module, name, expression: `${module}.${name}` };
        modules.set(module, (modules.get(module) ?? new Map()).set(name, entry));
      } else entry = { tool, name: id, expression: `tools.${id}` };
      functions.set(tool, entry);
      if (isMember) all.set(id, entry);
    }
    this.functions = functions;
    this.modules = modules;
    this.globals = globals;
    this.members = all;
  }
}

/** Whether scripts may call it: everything but the tools that run other calls themselves, and a tool that cannot be read. */
function isCallable(entry: RegisteredTool | undefined): boolean {
  if (entry === undefined) return false;
  try {
    const { name, provenance } = entry.tool.spec;
    const { adapter } = provenance;
    // `call_tool` of the tool search would be the call of another tool.
    return adapter !== scriptAdapter && !(adapter === "toolweave" && name === "call_tool");
  } catch {
    return false;
  }
}

/** Whether a call of a tool may run, made by the call of `ctx`: a host can give a run tools that its policy denies. */
export function callableBy(ctx: ToolContext): (name: string) => boolean {
  const { mayCall } = ctx as ToolContext & Partial<SearchContext>;
  return mayCall === undefined ? () => true : (name) => mayCall.call(ctx, name);
}

/** Whether a script can write the text as a name. */
export function isIdentifier(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !keywords.has(text);
}

/** A name of a tool as an identifier. */
function toIdentifier(name: string): string {
  const plain = name.replaceAll("-", "_");
  const id = /^\d/.test(plain) ? `_${plain}` : plain;
  return keywords.has(id) ? `${id}_` : id;
}
