import type { JsonObject, JsonSchema } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { walkSyntax } from "@toolweave/starlark";
import type { SyntaxNode } from "@toolweave/starlark";
import { findArgument, readText } from "../../check/script-view.ts";
import type { Definition } from "../../check/script-view.ts";
import { fromBuiltin, fromDefinition } from "./callable.ts";
import type { Callable, ValueType } from "./callable.ts";
import type { Variable } from "./scopes.ts";
import type { ScriptModel } from "./script-model.ts";
import { methods, universeFunctions } from "./universe.ts";

/** Expressions in expressions, for the stack. */
const maxDepth = 50;

/** The types that are known, each computed once; unknown while it is computed, as in a function that calls itself. */
const known = new WeakMap<SyntaxNode, ValueType>();

/** The payload of the events of tools. */
const payloadSchema: JsonSchema = {
  type: "object",
  properties: {
    id: { type: "string", description: "The id of the call." },
    name: { type: "string", description: "The name of the tool." },
    args: { type: "object", description: "The arguments of the call." },
    arguments: { type: "string", description: "tool.pre: the arguments as JSON." },
    call_id: { type: "string", description: "tool.post: the id of the call." },
    content: { type: "string", description: "tool.post: the text of the result." },
    is_error: { type: "boolean", description: "tool.post: whether the call failed." },
    result: { description: "tool.post: the structured result, or None." },
  },
};

const literalTypes = {
  "int literal": "int",
  "float literal": "float",
  "string literal": "string",
  "bytes literal": "bytes",
} as const;

/** The type of an expression, as far as the text shows it. */
export function getType(model: ScriptModel, node: SyntaxNode, depth = 0): ValueType {
  const type = known.get(node);
  if (type !== undefined) return type;
  if (depth > maxDepth) return "unknown";
  known.set(node, "unknown");
  const found = inferType(model, node, depth);
  known.set(node, found);
  return found;
}

function inferType(model: ScriptModel, node: SyntaxNode, depth: number): ValueType {
  const inner = (each: SyntaxNode): ValueType => getType(model, each, depth + 1);
  switch (node.kind) {
    case "literal":
      return literalTypes[node.token];
    case "format":
      return "string";
    case "list":
    case "dict":
    case "tuple":
      return node.kind;
    case "comprehension":
      return "kind" in node.body ? "list" : "dict";
    case "lambda":
      return "function";
    case "parenthesized":
      return inner(node.value);
    case "conditional":
      return same([inner(node.whenTrue), inner(node.whenFalse)]);
    case "unary":
      return node.operator === "not" ? "bool" : inner(node.operand);
    case "binary":
      return binaryType(node.operator, inner(node.left), () => inner(node.right));
    case "slice":
      return inner(node.object);
    case "call": {
      const callable = calledFunction(model, node.callee, depth + 1);
      if (callable !== undefined && callable.returns !== "unknown") return callable.returns;
      const found = model.definition(node.callee);
      if (found !== undefined) return returnType(found.model, found.definition, depth + 1);
      return schemaType(inferSchema(model, node));
    }
    case "index": {
      const type = schemaType(inferSchema(model, node));
      return type === "unknown" && inner(node.object) === "string" ? "string" : type;
    }
    case "name": {
      if (node.name === "True" || node.name === "False") return "bool";
      if (node.name === "None") return "None";
      const variable = model.variable(node);
      return variable === undefined
        ? conditionType(model, node.name)
        : variableType(model, variable, depth + 1);
    }
    default:
      return "unknown";
  }
}

function binaryType(operator: string, left: ValueType, right: () => ValueType): ValueType {
  if (/^(?:==|!=|<|>|<=|>=|in|not in)$/.test(operator)) return "bool";
  if (operator === "%" && left === "string") return "string";
  return same([left, right()]);
}

function same(types: readonly ValueType[]): ValueType {
  const distinct = new Set(types.filter((type) => type !== "None"));
  return distinct.size === 1 ? ([...distinct][0] as ValueType) : "unknown";
}

function conditionType(model: ScriptModel, name: string): ValueType {
  if (!(model.options.names ?? []).includes(name)) return "unknown";
  return name === "event" || name === "platform" ? "string" : "dict";
}

function variableType(model: ScriptModel, variable: Variable, depth: number): ValueType {
  if (variable.definition !== undefined) return "function";
  if (variable.by === "parameter") {
    const schema = parameterSchema(model, variable);
    if (schema !== undefined) return schemaType(schema);
    const parameter = variable.owner?.parameters.find(({ name }) => name === variable.node);
    if (parameter?.kind === "*") return "tuple";
    if (parameter?.kind === "**") return "dict";
    if (parameter !== undefined && variable.owner === model.entry) return "string";
    return parameter?.fallback === undefined
      ? "unknown"
      : getType(model, parameter.fallback, depth + 1);
  }
  const values = model.findValues(variable);
  if (variable.by !== "assign" || values.length === 0) return "unknown";
  return same(values.map((value) => getType(model, value, depth + 1)));
}

function returnType(model: ScriptModel, definition: Definition, depth: number): ValueType {
  const types: ValueType[] = [];
  for (const node of walkSyntax(definition.body, ({ kind }) => kind !== "def" && kind !== "lambda"))
    if (node.kind === "return" && node.value !== undefined)
      types.push(getType(model, node.value, depth + 1));
  return same(types);
}

/** The function that an expression names, with its signature. */
export function calledFunction(
  model: ScriptModel,
  callee: SyntaxNode,
  depth = 0,
): Callable | undefined {
  const builtin = model.builtin(callee);
  if (builtin !== undefined) return fromBuiltin(builtin);
  const found = model.definition(callee);
  if (found !== undefined) return fromDefinition(found.definition, found.model.text);
  if (callee.kind === "name" && model.variable(callee) === undefined)
    return universeFunctions.get(callee.name);
  if (callee.kind !== "dot" || depth > maxDepth) return undefined;
  const test = testModule(model, callee.object)?.get(callee.name);
  if (test !== undefined) return test;
  return methods.get(getType(model, callee.object, depth + 1))?.get(callee.name);
}

/** The functions behind the parameter of a test: `t` of `def test_x(t)`. */
export function testModule(
  model: ScriptModel,
  node: SyntaxNode,
): ReadonlyMap<string, Callable> | undefined {
  if (node.kind !== "name" || model.options.kind !== "test") return undefined;
  const variable = model.variable(node);
  if (variable?.by !== "parameter" || variable.owner?.name.name.startsWith("test") !== true)
    return undefined;
  const members = (model.options.functions ?? []).filter(({ module }) => module !== undefined);
  return new Map(members.map((member) => [member.name, fromBuiltin(member)]));
}

/** The JSON Schema of an expression that comes from the arguments of a tool or the payload of a hook. */
export function inferSchema(
  model: ScriptModel,
  node: SyntaxNode,
  depth = 0,
): JsonSchema | undefined {
  if (depth > maxDepth) return undefined;
  switch (node.kind) {
    case "parenthesized":
      return inferSchema(model, node.value, depth + 1);
    case "name": {
      const variable = model.variable(node);
      if (variable === undefined)
        return node.name === "payload" && model.options.names?.includes("payload") === true
          ? payloadSchema
          : undefined;
      if (variable.by === "parameter") return parameterSchema(model, variable);
      const [value, other] = model.findValues(variable);
      return value === undefined || other !== undefined
        ? undefined
        : inferSchema(model, value, depth + 1);
    }
    case "index":
      return memberSchema(inferSchema(model, node.object, depth + 1), readText(node.index));
    case "call": {
      if (node.callee.kind !== "dot" || node.callee.name !== "get") return undefined;
      const object = inferSchema(model, node.callee.object, depth + 1);
      return memberSchema(object, readText(findArgument(node, "key", 0)));
    }
    default:
      return undefined;
  }
}

function parameterSchema(model: ScriptModel, variable: Variable): JsonSchema | undefined {
  const { entry, options } = model;
  if (entry === undefined || variable.owner !== entry) return undefined;
  const index = entry.parameters.findIndex(({ name }) => name === variable.node);
  if (options.kind === "hook") return index === 1 ? payloadSchema : undefined;
  return index === 0 ? (options.inputSchema ?? { type: "object" }) : undefined;
}

/** The properties of a schema, by name. */
export function readProperties(
  schema: JsonSchema | undefined,
): Readonly<Record<string, JsonObject>> {
  const properties = schema?.["properties"];
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isObject(property) ? [[name, property] as const] : [],
    ),
  );
}

function memberSchema(
  schema: JsonSchema | undefined,
  name: string | undefined,
): JsonSchema | undefined {
  if (name === undefined) return undefined;
  const properties = readProperties(schema);
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

const schemaTypes: Readonly<Record<string, ValueType>> = {
  string: "string",
  integer: "int",
  boolean: "bool",
  object: "dict",
  array: "list",
};

function schemaType(schema: JsonSchema | undefined): ValueType {
  const type = schema?.["type"];
  return typeof type === "string" ? (schemaTypes[type] ?? "unknown") : "unknown";
}
