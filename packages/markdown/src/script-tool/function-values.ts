import type { JsonObject, JsonSchema, JsonValue, Toolset } from "@toolweave/core";
import { argumentsSchemaOf, isObject } from "@toolweave/core/adapter";
import {
  hostFunction,
  hostModule,
  type HostFunction,
  type HostMember,
  type HostValue,
  type Value,
} from "@toolweave/starlark";
import type { ScriptScope } from "../builtins/builtin.ts";
import { toJsonValue } from "../builtins/to-json.ts";
import type { FunctionIndex, ScriptFunction } from "./function-index.ts";
import { languageValues } from "./session-values.ts";
import { fault } from "../builtins/fault.ts";

/** Characters of a description in `meta.list_tools()`. */
const maxLineLength = 160;

/** Functions with which a script finds members by text: all members need values then. */
const dynamicAccess: readonly string[] = ["getattr", "hasattr", "dir"];

/**
 * The predeclared values of one script: those of the language, and the tools that its text names. Others have no value, so
 * that a call costs what it uses, be the toolset as large as it may.
 */
export function scriptValues(
  text: string,
  index: FunctionIndex,
  toolset: Toolset,
  mayCall: (name: string) => boolean,
): Readonly<Record<string, Value>> {
  const used = new Set(text.match(/[A-Za-z_]\w*/g) ?? []);
  const isDynamic = dynamicAccess.some((name) => used.has(name));
  const values: [string, Value][] = Object.entries(languageValues());
  const toMembers = (members: ReadonlyMap<string, ScriptFunction>): Record<string, HostMember> =>
    Object.fromEntries(
      Array.from(members).flatMap(([name, fn]): [string, HostMember][] =>
        (isDynamic || used.has(name)) && mayCall(fn.tool)
          ? [[name, toolFunction(fn, toolset)]]
          : [],
      ),
    );
  for (const name of used) {
    const found = index.globals.get(name);
    const fn = found !== undefined && mayCall(found.tool) ? found : undefined;
    const members = index.modules.get(name);
    if (members !== undefined) {
      const call = fn === undefined ? {} : { call: toHostFunction(fn, toolset) };
      values.push([name, hostModule(name, toMembers(members), call)]);
    } else if (fn !== undefined) values.push([name, toolFunction(fn, toolset)]);
  }
  const callTool = hostFunction("call_tool", callByName);
  const listTools = hostFunction("meta.list_tools", () => listAll(index, toolset, mayCall));
  values.push(
    ["tools", hostModule("tools", used.has("tools") ? toMembers(index.members) : {})],
    ["call_tool", callTool],
    ["meta", hostModule("meta", { call_tool: callTool, list_tools: listTools })],
  );
  return Object.fromEntries(values);
}

function toolFunction(fn: ScriptFunction, toolset: Toolset): Value {
  return hostFunction(fn.expression ?? fn.tool, toHostFunction(fn, toolset));
}

/** The call of a tool with arguments by name; its failure is the failure of the script. */
function toHostFunction(
  { tool, expression = tool }: ScriptFunction,
  toolset: Toolset,
): HostFunction {
  return async (positional, { named, context }) => {
    const schema = readSchema(tool, toolset);
    if (positional.length > 0) throw fault(`${expression}: ${byName(schema)}`);
    const answer = await (context as ScriptScope).callTool(tool, toArguments(named, schema));
    if (answer.ok) return answer.value as HostValue;
    throw fault(`${expression}: ${answer.error ?? "the call failed"}`);
  };
}

const callByName: HostFunction = async (positional, { named, context }) => {
  const [name, args] = [positional[0] ?? named["name"], positional[1] ?? named["args"] ?? {}];
  const unknown = Object.keys(named).find((key) => key !== "name" && key !== "args");
  if (typeof name !== "string" || positional.length > 2 || unknown !== undefined)
    throw fault('call_tool: write call_tool("name", {"argument": value})');
  const given = toJsonValue(args, "args");
  if (!isObject(given)) throw fault("call_tool: args is no dict with strings as keys");
  const { ok, value, error, code } = await (context as ScriptScope).callTool(name, given);
  // The text of an error is its message already.
  const result = !ok && value === error ? null : value;
  return { ok, value: result, error: error ?? null, code: code ?? null } as HostValue;
};

function listAll(
  { functions }: FunctionIndex,
  toolset: Toolset,
  mayCall: (name: string) => boolean,
): HostValue {
  return Array.from(functions.values())
    .filter(({ tool }) => mayCall(tool))
    .map(({ tool, expression }) => ({
      name: tool,
      function: expression ?? null,
      description: firstLine(toolset.callable(tool)?.tool.spec.description ?? ""),
    }));
}

/** The first line of a description, cut. */
function firstLine(text: string): string {
  const line = (/^\s*([^\n]*)/.exec(text)?.[1] ?? "").trim();
  return line.length <= maxLineLength ? line : `${line.slice(0, maxLineLength - 1)}…`;
}

/** A schema that cannot be read costs only what it would have decided: the executor validates the arguments. */
function readSchema(name: string, toolset: Toolset): JsonSchema | undefined {
  try {
    const tool = toolset.callable(name)?.tool;
    return tool === undefined ? undefined : argumentsSchemaOf(tool);
  } catch {
    return undefined;
  }
}

/** The arguments as JSON. `None` leaves out an argument that cannot be null. */
function toArguments(
  named: Readonly<Record<string, HostValue>>,
  schema: JsonSchema | undefined,
): JsonObject {
  const properties = isObject(schema?.["properties"]) ? schema["properties"] : {};
  const entries: [string, JsonValue][] = [];
  for (const [name, given] of Object.entries(named)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (given === null && isObject(property) && !allowsNull(property)) continue;
    entries.push([name, toJsonValue(given, name)]);
  }
  return Object.fromEntries(entries);
}

function allowsNull(schema: JsonObject): boolean {
  const { type, enum: values, nullable } = schema;
  if (nullable === true) return true;
  if (Array.isArray(values)) return values.includes(null);
  if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"));
  return true;
}

function byName(schema: JsonSchema | undefined): string {
  const properties = isObject(schema?.["properties"]) ? Object.keys(schema["properties"]) : [];
  const names = properties.slice(0, 8).map((name) => `${name}=…`);
  return `write its arguments by name${names.length === 0 ? "" : `: ${names.join(", ")}`}`;
}
