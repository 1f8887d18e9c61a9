import { walkSyntax } from "@toolweave/starlark";
import type { SyntaxNode, SyntaxTree } from "@toolweave/starlark";
import type { JsonSchema } from "@toolweave/core";
import type { BuiltinFunction } from "../../builtins/builtin.ts";
import { ScriptView, readText } from "../../check/script-view.ts";
import type { Definition } from "../../check/script-view.ts";
import type { RegionOptions } from "./script-region.ts";
import { Scopes } from "./scopes.ts";
import type { NodeOf, Variable } from "./scopes.ts";

/** Files that load files that load files. */
const maxLoads = 8;

/** The surroundings of a script that its text does not show. */
export interface ModelOptions extends RegionOptions {
  /** The arguments of the tool. */
  readonly inputSchema?: JsonSchema | undefined;
  /** The members of the parameter of a test. */
  readonly functions?: readonly BuiltinFunction[];
  /** The script behind `load(name, …)`; undefined: there is none. */
  readonly load?: (name: string) => ScriptModel | undefined;
}

/** A function and the script that has it. */
export interface LocatedDefinition {
  readonly model: ScriptModel;
  readonly definition: Definition;
}

/** The text of a script with its tree and its names. Each part is made when it is first used. */
export class ScriptModel {
  readonly text: string;
  readonly options: ModelOptions;
  readonly view: ScriptView;
  #scopes: Scopes | undefined;
  #values: ReadonlyMap<SyntaxNode, SyntaxNode> | undefined;

  constructor(text: string, options: ModelOptions) {
    const { dialect = {}, kind } = options;
    this.text = text;
    this.options = options;
    const place = { file: "script.star", line: 1, column: 1 };
    const isFree = kind === "session" || kind === "test";
    this.view = new ScriptView(
      { text, place },
      kind,
      isFree ? { ...dialect, fstrings: true } : dialect,
      [],
    );
  }

  get tree(): SyntaxTree {
    return this.view.tree;
  }

  get scopes(): Scopes {
    return (this.#scopes ??= new Scopes(this.tree));
  }

  /** The members of each module; global functions are members of "". */
  get modules(): ScriptView["modules"] {
    return this.view.modules;
  }

  /** The nodes around an offset, from the outermost to the innermost. */
  nodesAt(offset: number): readonly SyntaxNode[] {
    const contains = ({ start, end }: SyntaxNode): boolean => start <= offset && offset <= end;
    return [...walkSyntax(this.tree.statements, contains)].filter(contains);
  }

  /** The name, or the member behind a dot, at an offset. */
  wordAt(offset: number): NodeOf<"name"> | NodeOf<"dot"> | undefined {
    const found = this.nodesAt(offset).findLast(
      (node) =>
        node.kind === "name" ||
        (node.kind === "dot" && offset >= node.end - node.name.length && offset <= node.end),
    );
    return found?.kind === "name" || found?.kind === "dot" ? found : undefined;
  }

  /** The call whose opening parenthesis is at an offset. */
  callAt(parenthesis: number): NodeOf<"call"> | undefined {
    for (const node of walkSyntax(this.tree.statements))
      if (node.kind === "call" && node.at === parenthesis) return node;
    return undefined;
  }

  /** The built-in function that an expression names. */
  builtin(node: SyntaxNode): BuiltinFunction | undefined {
    if (node.kind === "name") {
      if (this.scopes.findVariable(node) !== undefined) return undefined;
      return this.modules.get("")?.get(node.name) ?? this.modules.get(node.name)?.get(node.name);
    }
    if (node.kind !== "dot" || node.object.kind !== "name") return undefined;
    if (this.scopes.findVariable(node.object) !== undefined) return undefined;
    return node.name === node.object.name
      ? undefined
      : this.modules.get(node.object.name)?.get(node.name);
  }

  /** The variable that a name means. */
  variable(node: SyntaxNode): Variable | undefined {
    if (node.kind !== "name") return undefined;
    return this.scopes.findVariable(node) ?? this.scopes.lookUp(node.name, node.start);
  }

  /** The values that are assigned to a variable, each by a statement of its own. */
  findValues({ references }: Variable): readonly SyntaxNode[] {
    if (this.#values === undefined) {
      const values = new Map<SyntaxNode, SyntaxNode>();
      for (const node of walkSyntax(this.tree.statements))
        if (node.kind === "assign") values.set(node.target, node.value);
      this.#values = values;
    }
    return references.flatMap((name) => this.#values?.get(name) ?? []);
  }

  /** A variable where it is made: behind a `load`, that of the other file. Absent: the other file has none. */
  origin(
    variable: Variable,
    depth = 0,
  ): { readonly model: ScriptModel; readonly variable: Variable } | undefined {
    if (variable.load === undefined) return { model: this, variable };
    const { from, statement } = variable.load;
    const model = this.loaded(readText(statement.module) ?? "");
    const found = model?.scopes.root.variables.get(from.name);
    return model === undefined || found === undefined || depth > maxLoads
      ? undefined
      : model.origin(found, depth + 1);
  }

  /** The script of a file that this one loads. */
  loaded(name: string): ScriptModel | undefined {
    return this.options.load?.(name);
  }

  /** The function that an expression names. */
  definition(node: SyntaxNode): LocatedDefinition | undefined {
    const variable = this.variable(node);
    const origin = variable === undefined ? undefined : this.origin(variable);
    const definition = origin?.variable.definition;
    return origin === undefined || definition === undefined
      ? undefined
      : { model: origin.model, definition };
  }

  /** The function whose parameters the host sets: `run` or `handle`. */
  get entry(): Definition | undefined {
    return this.view.definitions.get(this.options.kind === "hook" ? "handle" : "run");
  }
}
