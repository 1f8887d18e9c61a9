import { parse, walkSyntax } from "@toolweave/starlark";
import type { Dialect, SyntaxNode, SyntaxTree } from "@toolweave/starlark";
import type { ScriptText } from "../artifact/artifact.ts";
import type { BuiltinFunction, ScriptKind } from "../builtins/builtin.ts";
import { builtinsFor } from "../builtins/table.ts";
import type { Finding } from "../text/finding.ts";

/** A node of one kind. */
type NodeOf<Kind extends SyntaxNode["kind"]> = Extract<SyntaxNode, { readonly kind: Kind }>;
export type Definition = NodeOf<"def">;
export type Call = NodeOf<"call">;

/** A script as the checks read it: its tree, its functions, and the findings so far. */
export class ScriptView {
  readonly script: ScriptText;
  readonly kind: ScriptKind;
  readonly dialect: Dialect;
  readonly tree: SyntaxTree;
  readonly findings: Finding[];
  /** The functions of the file, by name. */
  readonly definitions: ReadonlyMap<string, Definition>;
  /** The names that the statements of the file bind. */
  readonly globals: ReadonlySet<string>;
  /** The members of each module that scripts of this kind have; global functions are members of "". */
  readonly modules: ReadonlyMap<string, ReadonlyMap<string, BuiltinFunction>>;

  constructor(script: ScriptText, kind: ScriptKind, dialect: Dialect, findings: Finding[]) {
    const { file, line, column } = script.place;
    this.script = script;
    this.kind = kind;
    this.dialect = dialect;
    this.findings = findings;
    this.tree = parse(script.text, { file, start: { line, column }, dialect });
    this.definitions = new Map(
      this.tree.statements.flatMap((statement) =>
        statement.kind === "def" ? [[statement.name.name, statement] as const] : [],
      ),
    );
    this.globals = new Set(boundNames(this.tree.statements).keys());
    this.modules = modulesFor(kind);
  }

  report(
    node: { readonly start: number },
    finding: Omit<Finding, "file" | "line" | "column">,
  ): void {
    this.findings.push({ ...this.tree.position(node.start), ...finding });
  }

  /** The built-in function that a call names; undefined: it calls something else. */
  builtin(callee: SyntaxNode): BuiltinFunction | undefined {
    if (callee.kind === "name") {
      if (this.globals.has(callee.name)) return undefined;
      return (
        this.modules.get("")?.get(callee.name) ?? this.modules.get(callee.name)?.get(callee.name)
      );
    }
    if (callee.kind !== "dot" || callee.object.kind !== "name") return undefined;
    const module = callee.object.name;
    if (this.globals.has(module) || callee.name === module) return undefined;
    return this.modules.get(module)?.get(callee.name);
  }

  /** All nodes of the script. */
  walk(): Generator<SyntaxNode> {
    return walkSyntax(this.tree.statements);
  }
}

const modulesByKind = new Map<ScriptKind, ReadonlyMap<string, Map<string, BuiltinFunction>>>();

function modulesFor(kind: ScriptKind): ReadonlyMap<string, ReadonlyMap<string, BuiltinFunction>> {
  const known = modulesByKind.get(kind);
  if (known !== undefined) return known;
  const modules = new Map<string, Map<string, BuiltinFunction>>();
  for (const builtin of builtinsFor(kind)) {
    const module = builtin.module ?? "";
    const members = modules.get(module) ?? new Map<string, BuiltinFunction>();
    modules.set(module, members.set(builtin.name, builtin));
  }
  modulesByKind.set(kind, modules);
  return modules;
}

/** A variable and the way in which it gets its first value. */
export interface Bound {
  readonly node: SyntaxNode & { readonly kind: "name" };
  readonly by: "assign" | "augment" | "unpack" | "loop" | "def" | "load";
}

/** The names that statements bind, without those of the functions in them. */
export function boundNames(statements: readonly SyntaxNode[]): ReadonlyMap<string, Bound> {
  const bound = new Map<string, Bound>();
  const add = (node: Bound["node"], by: Bound["by"]): void => {
    const known = bound.get(node.name);
    if (known === undefined || (known.by === "augment" && by !== "augment"))
      bound.set(node.name, { node, by });
  };
  for (const node of walkSyntax(statements, isOutside)) {
    if (node.kind === "def") add(node.name, "def");
    else if (node.kind === "load") for (const { to } of node.names) add(to, "load");
    else if (node.kind === "assign")
      for (const name of targetNames(node.target))
        add(
          name,
          node.operator !== "=" ? "augment" : node.target.kind === "name" ? "assign" : "unpack",
        );
    else if (node.kind === "for" && "body" in node)
      for (const name of targetNames(node.target)) add(name, "loop");
  }
  return bound;
}

/** Whether the parts of a node belong to the function around it. */
export function isOutside(node: SyntaxNode): boolean {
  return node.kind !== "def" && node.kind !== "lambda" && node.kind !== "comprehension";
}

/** The names that an assignment to a target binds. */
export function targetNames(target: SyntaxNode): readonly Bound["node"][] {
  switch (target.kind) {
    case "name":
      return [target];
    case "parenthesized":
      return targetNames(target.value);
    case "tuple":
    case "list":
      return target.items.flatMap(targetNames);
    default:
      return [];
  }
}

/** The text of a string literal; undefined for every other node. */
export function readText(node: SyntaxNode | undefined): string | undefined {
  if (node?.kind !== "literal" || node.token !== "string literal") return undefined;
  // Literals hold the bytes of UTF-8.
  return Buffer.from(String(node.value), "latin1").toString("utf8");
}

/** The value of an argument, by name or by position. */
export function findArgument(call: Call, name: string, index: number): SyntaxNode | undefined {
  const named = call.arguments.find((each) => each.kind === "named" && each.name === name);
  const positional = call.arguments.filter((each) => each.kind === "positional")[index];
  return (named ?? positional)?.value;
}
