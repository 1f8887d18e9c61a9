import { walkSyntax } from "@toolweave/starlark";
import type { SyntaxNode } from "@toolweave/starlark";
import { boundNames, isOutside, targetNames } from "./script-view.ts";
import type { Definition, ScriptView } from "./script-view.ts";

/** Reports code and names that have no effect, and rules that only hold when a script runs. */
export function lintFlow(view: ScriptView): void {
  for (const node of view.walk()) {
    if (node.kind === "def") lintDefinition(view, node);
    for (const block of getBlocks(node)) lintBlock(view, block);
  }
  lintUnusedNames(view);
  if (view.dialect.recursion !== true) lintRecursion(view);
  lintShadowing(view);
}

function getBlocks(node: SyntaxNode): readonly (readonly SyntaxNode[])[] {
  if (node.kind === "def" || node.kind === "while") return [node.body];
  if (node.kind === "for") return "body" in node ? [node.body] : [];
  if (node.kind !== "if" || !("branches" in node)) return [];
  return [...node.branches.map(({ body }) => body), node.otherwise ?? []];
}

function lintBlock(view: ScriptView, block: readonly SyntaxNode[]): void {
  const end = block.findIndex(endsBlock);
  const next = block[end + 1];
  if (end === -1 || next === undefined) return;
  view.report(next, {
    code: "unreachable",
    severity: "warning",
    message: "this line is never executed",
    hint: "The line before it ends the block. Remove one of the two.",
  });
}

function endsBlock(node: SyntaxNode): boolean {
  if (node.kind === "return" || node.kind === "break" || node.kind === "continue") return true;
  return (
    node.kind === "expression" &&
    node.value.kind === "call" &&
    node.value.callee.kind === "name" &&
    node.value.callee.name === "fail"
  );
}

/** The names that a node reads, with those of functions in it. */
function usedNames(nodes: readonly SyntaxNode[] | SyntaxNode): ReadonlySet<string> {
  const targets = new Set<SyntaxNode>();
  const used = new Set<string>();
  for (const node of walkSyntax(nodes)) {
    if (node.kind === "assign" && node.operator === "=")
      for (const name of targetNames(node.target)) targets.add(name);
    else if (node.kind === "for") for (const name of targetNames(node.target)) targets.add(name);
    else if (node.kind === "def") targets.add(node.name);
    else if (node.kind === "load") for (const { from, to } of node.names) targets.add(from).add(to);
    else if (node.kind === "name" && !targets.has(node)) used.add(node.name);
  }
  return used;
}

function lintDefinition(view: ScriptView, definition: Definition): void {
  const bound = boundNames(definition.body);
  const used = usedNames(definition.body);
  for (const [name, { by, node }] of bound) {
    if (by === "augment" && view.globals.has(name)) {
      view.report(node, {
        code: "global_assignment",
        severity: "error",
        message: `${name} is a variable of the file: a function cannot change it`,
        hint: "Return the new value, or use a variable of the function.",
      });
    } else if (by === "assign" && !used.has(name) && !name.startsWith("_"))
      view.report(node, {
        code: "unused_variable",
        severity: "warning",
        message: `the variable ${name} is never used`,
        hint: "Remove it, or start its name with _.",
      });
  }
  const parameters = new Set(definition.parameters.map(({ name }) => name?.name));
  lintFrozen(view, definition, (name) => bound.has(name) || parameters.has(name));
}

const mutating = new Set(
  "append clear extend insert pop remove popitem setdefault update add discard".split(" "),
);

/** A value of the file cannot be changed by a function: it is frozen when the file has been loaded. */
function lintFrozen(
  view: ScriptView,
  definition: Definition,
  isLocal: (name: string) => boolean,
): void {
  const report = (node: SyntaxNode, changed: SyntaxNode): void => {
    if (changed.kind !== "name" || isLocal(changed.name)) return;
    if (!view.globals.has(changed.name) || view.definitions.has(changed.name)) return;
    view.report(node, {
      code: "frozen_global",
      severity: "error",
      message: `${changed.name} cannot be changed: values of the file are frozen when a function runs`,
      hint: "Make the value in the function; cache.set keeps values for other scripts of the run.",
    });
  };
  for (const node of walkSyntax(definition.body, isOutside)) {
    if (node.kind === "assign" && node.target.kind === "index") report(node, node.target.object);
    if (node.kind === "call" && node.callee.kind === "dot" && mutating.has(node.callee.name))
      report(node, node.callee.object);
  }
}

function lintUnusedNames(view: ScriptView): void {
  const entry = view.kind === "hook" ? "handle" : "run";
  const used = usedNames(view.tree.statements);
  for (const { by, node } of boundNames(view.tree.statements).values()) {
    if (by !== "load" || used.has(node.name)) continue;
    view.report(node, {
      code: "unused_load",
      severity: "warning",
      message: `the loaded name ${node.name} is never used`,
      hint: "Remove it.",
    });
  }
  // A script without its entry has another finding, which may be about any of its functions.
  if (!view.definitions.has(entry)) return;
  for (const [name, { name: node }] of view.definitions) {
    if (name === entry || used.has(name) || name.startsWith("_")) continue;
    view.report(node, {
      code: "unused_function",
      severity: "warning",
      message: `the function ${name} is never called`,
      hint: "Remove it, or start its name with _.",
    });
  }
}

function lintRecursion(view: ScriptView): void {
  const calls = new Map<string, ReadonlySet<string>>();
  for (const [name, definition] of view.definitions) calls.set(name, usedNames(definition.body));
  for (const [name, definition] of view.definitions) {
    if (!reaches(calls, name, name)) continue;
    view.report(definition.name, {
      code: "recursion",
      severity: "error",
      message: `the function ${name} calls itself${calls.get(name)?.has(name) === true ? "" : " through another one"}`,
      hint: "Starlark has no recursion: write a loop with a list of what remains.",
    });
  }
}

function reaches(
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  from: string,
  to: string,
): boolean {
  const seen = new Set<string>();
  const waiting = [...(calls.get(from) ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === to) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...(calls.get(name) ?? []));
  }
  return false;
}

/** A name of the file or of a function that hides a module. */
function lintShadowing(view: ScriptView): void {
  const report = (node: SyntaxNode & { readonly kind: "name" }): void => {
    const isBuiltin = view.modules.has(node.name) || view.modules.get("")?.has(node.name) === true;
    if (!isBuiltin) return;
    view.report(node, {
      code: "hidden_module",
      severity: "warning",
      message: `${node.name} hides the built-in ${node.name}`,
      hint: "Use another name.",
    });
  };
  for (const { node } of boundNames(view.tree.statements).values()) report(node);
  for (const node of view.walk()) {
    if (node.kind !== "def") continue;
    for (const { name } of node.parameters) if (name !== undefined) report(name);
    for (const bound of boundNames(node.body).values()) report(bound.node);
  }
}
