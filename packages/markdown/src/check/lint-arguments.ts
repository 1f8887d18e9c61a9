import type { JsonObject } from "@toolweave/core";
import { isObject, nearNames } from "@toolweave/core/adapter";
import { walkSyntax } from "@toolweave/starlark";
import type { SyntaxNode } from "@toolweave/starlark";
import type { ToolArtifact } from "../artifact/artifact.ts";
import type { Fields } from "../artifact/fields.ts";
import { boundNames, readText } from "./script-view.ts";
import type { Definition, ScriptView } from "./script-view.ts";

/** How a script reads its arguments. */
interface ArgumentUses {
  /** Keys of `args["key"]`. */
  readonly indexed: readonly { readonly key: string; readonly node: SyntaxNode }[];
  /** Keys of `args.get("key")` and `"key" in args`. */
  readonly guarded: ReadonlyMap<string, SyntaxNode>;
  /** Whether `args` is used in another way, so that every key may be read. */
  readonly isEscaping: boolean;
}

/** The declared schemas of the arguments, by name; undefined: the schema is open in another way. */
function declaredParameters(tool: ToolArtifact): JsonObject | undefined {
  const { inputSchema } = tool;
  const composed = ["allOf", "anyOf", "oneOf", "$ref", "patternProperties", "if"];
  if (composed.some((keyword) => Object.hasOwn(inputSchema, keyword))) return undefined;
  const properties = inputSchema["properties"];
  return isObject(properties) ? properties : {};
}

/** The name of the first parameter of `run`. */
export function argumentsName(run: Definition | undefined): string | undefined {
  return run?.parameters[0]?.name?.name;
}

/** Compares the arguments that `run` reads with the declared parameters. */
export function lintArguments(view: ScriptView, tool: ToolArtifact, fields: Fields): void {
  const run = view.definitions.get("run");
  const name = argumentsName(run);
  const declared = declaredParameters(tool);
  if (run === undefined || name === undefined || declared === undefined) return;
  // After an assignment, the name means another value.
  if (boundNames(run.body).has(name)) return;
  const uses = readUses(view, run, name);
  const required = new Set(
    Array.isArray(tool.inputSchema["required"]) ? tool.inputSchema["required"] : [],
  );
  // Without a declaration the host decides what the arguments are.
  const isDeclared = fields.has("parameters") || fields.has("input");
  const names = Object.keys(declared);
  const reported = new Set<string>();
  const keys = [...uses.indexed, ...[...uses.guarded].map(([key, node]) => ({ key, node }))];
  for (const { key, node } of keys) {
    if (names.includes(key) || reported.has(key) || !isDeclared) continue;
    reported.add(key);
    const [near] = nearNames(key, names, 1);
    view.report(node, {
      code: "undeclared_parameter",
      severity: "warning",
      message: `the parameter ${JSON.stringify(key)} is not declared`,
      hint:
        near === undefined
          ? `Declare it under parameters.`
          : `Did you mean ${JSON.stringify(near)}?`,
    });
  }
  for (const { key, node } of uses.indexed) {
    if (!names.includes(key) || required.has(key) || uses.guarded.has(key)) continue;
    view.report(node, {
      code: "optional_parameter",
      severity: "warning",
      message: `${name}[${JSON.stringify(key)}] fails if a call leaves the parameter out: it is not required`,
      hint: `Write ${name}.get(${JSON.stringify(key)}, default), or required: true.`,
    });
  }
  if (uses.isEscaping) return;
  const read = new Set(keys.map(({ key }) => key));
  const section = fields.has("parameters") ? ["parameters"] : ["input", "properties"];
  for (const key of names) {
    // Hosts apply a parameter of this name to the call.
    if (read.has(key) || key === "timeout_ms") continue;
    fields.reportKey([...section, key], {
      code: "unused_parameter",
      severity: "warning",
      message: `the script never reads the parameter ${JSON.stringify(key)}`,
      hint: `Read ${name}.get(${JSON.stringify(key)}), or remove the parameter: the model may set it.`,
    });
  }
}

function readUses(view: ScriptView, run: Definition, name: string): ArgumentUses {
  const indexed: { key: string; node: SyntaxNode }[] = [];
  const guarded = new Map<string, SyntaxNode>();
  const understood = new Set<SyntaxNode>();
  let isEscaping = false;
  const isArgs = (node: SyntaxNode): boolean => node.kind === "name" && node.name === name;
  const guard = (key: string | undefined, node: SyntaxNode, args: SyntaxNode): void => {
    understood.add(args);
    if (key === undefined) isEscaping = true;
    else if (!guarded.has(key)) guarded.set(key, node);
  };
  const assigned = new Set<SyntaxNode>();
  const callees = new Set<SyntaxNode>();
  for (const node of walkSyntax(run.body)) {
    if (node.kind === "call") callees.add(node.callee);
    if (node.kind === "assign" && node.target.kind === "index") assigned.add(node.target);
    if (node.kind === "index" && isArgs(node.object)) {
      const key = readText(node.index);
      // A key that the script sets exists afterwards.
      if (assigned.has(node)) guard(key, node.index, node.object);
      else if (key === undefined) isEscaping = true;
      else indexed.push({ key, node: node.index });
      understood.add(node.object);
    } else if (node.kind === "call" && node.callee.kind === "dot" && isArgs(node.callee.object)) {
      const [first] = node.arguments;
      if (["get", "pop", "setdefault"].includes(node.callee.name) && first !== undefined)
        guard(readText(first.value), first.value, node.callee.object);
    } else if (
      node.kind === "binary" &&
      (node.operator === "in" || node.operator === "not in") &&
      isArgs(node.right)
    )
      guard(readText(node.left), node.left, node.right);
    else if (node.kind === "dot" && isArgs(node.object) && !callees.has(node))
      reportAttribute(view, node, name);
    else if (isArgs(node) && !understood.has(node)) isEscaping = true;
  }
  return { indexed, guarded, isEscaping };
}

const dictMethods = new Set("clear get items keys pop popitem setdefault update values".split(" "));

function reportAttribute(
  view: ScriptView,
  node: Extract<SyntaxNode, { readonly kind: "dot" }>,
  name: string,
): void {
  if (dictMethods.has(node.name)) return;
  view.report(node, {
    code: "unknown_member",
    severity: "error",
    message: `${name} is a dict and has no attribute ${node.name}`,
    hint: `Write ${name}["${node.name}"].`,
  });
}
