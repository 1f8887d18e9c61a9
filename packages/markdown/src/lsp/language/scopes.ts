import { walkSyntax } from "@toolweave/starlark";
import type { SyntaxNode, SyntaxTree } from "@toolweave/starlark";
import { boundNames, targetNames } from "../../check/script-view.ts";
import type { Bound, Definition } from "../../check/script-view.ts";

/** A node of one kind. */
export type NodeOf<Kind extends SyntaxNode["kind"]> = Extract<SyntaxNode, { readonly kind: Kind }>;

type Name = NodeOf<"name">;
type Load = NodeOf<"load">;

/** A variable of a script, and the places in which its name is written. */
export interface Variable {
  readonly name: string;
  readonly by: Bound["by"] | "parameter" | "comprehension";
  /** The first place that binds it. */
  readonly node: Name;
  /** All places, the ones that bind it included, in the order of the text. */
  readonly references: Name[];
  /** The function behind the name, if a `def` binds it. */
  readonly definition?: Definition;
  /** The function whose parameter it is. */
  readonly owner?: Definition;
  /** The statement that loads it, and its name in the other file. */
  readonly load?: { readonly statement: Load; readonly from: Name };
}

/** The part of a text in which variables are known. */
export interface Scope {
  readonly start: number;
  readonly end: number;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly parent?: Scope;
  readonly definition?: Definition;
}

/** The variables of a script. Names that no statement binds belong to the host or the language. */
export class Scopes {
  readonly root: Scope;
  readonly #scopes: Scope[] = [];
  readonly #byName = new Map<Name, Variable>();

  constructor(tree: SyntaxTree) {
    this.root = this.#addScope({ start: 0, end: tree.text.length }, tree.statements);
    this.#resolve(tree.statements, this.root);
    for (const { variables } of this.#scopes)
      for (const { references } of variables.values())
        references.sort((left, right) => left.start - right.start);
  }

  /** The variable of a name in the text; undefined: the script does not bind it. */
  findVariable(node: Name): Variable | undefined {
    return this.#byName.get(node);
  }

  /** The scope that has a variable. */
  findScope(variable: Variable): Scope | undefined {
    return this.#scopes.find(({ variables }) => variables.get(variable.name) === variable);
  }

  /** The innermost scope at an offset. */
  scopeAt(offset: number): Scope {
    let found = this.root;
    for (const scope of this.#scopes)
      if (scope.start <= offset && offset <= scope.end && scope.start >= found.start) found = scope;
    return found;
  }

  /** The variable that a name means at an offset. */
  lookUp(name: string, offset: number): Variable | undefined {
    for (let scope: Scope | undefined = this.scopeAt(offset); scope; scope = scope.parent) {
      const variable = scope.variables.get(name);
      if (variable !== undefined) return variable;
    }
    return undefined;
  }

  /** The variables that are known at an offset, the inner ones first; each name once. */
  variablesAt(offset: number): readonly Variable[] {
    const found = new Map<string, Variable>();
    for (let scope: Scope | undefined = this.scopeAt(offset); scope; scope = scope.parent)
      for (const variable of scope.variables.values())
        if (!found.has(variable.name)) found.set(variable.name, variable);
    return [...found.values()];
  }

  #addScope(
    range: { readonly start: number; readonly end: number },
    statements: readonly SyntaxNode[],
    more: readonly Variable[] = [],
    around: { readonly parent?: Scope; readonly definition?: Definition } = {},
  ): Scope {
    const variables = new Map(more.map((variable) => [variable.name, variable]));
    const definitions = new Map<Name, Definition>();
    const loads = new Map<Name, NonNullable<Variable["load"]>>();
    for (const node of walkSyntax(statements, ({ kind }) => kind !== "def")) {
      if (node.kind === "def") definitions.set(node.name, node);
      if (node.kind === "load")
        for (const { from, to } of node.names) loads.set(to, { statement: node, from });
    }
    for (const [name, { by, node }] of boundNames(statements)) {
      if (variables.has(name)) continue;
      const [definition, load] = [definitions.get(node), loads.get(node)];
      variables.set(name, {
        name,
        by,
        node,
        references: [],
        ...(definition !== undefined && { definition }),
        ...(load !== undefined && { load }),
      });
    }
    const scope: Scope = { start: range.start, end: range.end, variables, ...around };
    this.#scopes.push(scope);
    return scope;
  }

  #resolve(root: SyntaxNode | readonly SyntaxNode[], scope: Scope): void {
    const loaded = new Set<Name>();
    for (const node of walkSyntax(root, (each) => !this.#hasScope(each))) {
      if (node.kind === "load") for (const { from } of node.names) loaded.add(from);
      if (node.kind === "name") this.#addReference(node, scope, loaded);
      else if (node.kind === "def" || node.kind === "lambda") this.#resolveFunction(node, scope);
      else if (node.kind === "comprehension") this.#resolveComprehension(node, scope);
    }
  }

  #hasScope({ kind }: SyntaxNode): boolean {
    return kind === "def" || kind === "lambda" || kind === "comprehension";
  }

  #addReference(node: Name, scope: Scope, loaded: ReadonlySet<Name>): void {
    // The name in the other file is no name of this one.
    if (loaded.has(node) || this.#byName.has(node)) return;
    for (let each: Scope | undefined = scope; each; each = each.parent) {
      const variable = each.variables.get(node.name);
      if (variable === undefined) continue;
      variable.references.push(node);
      this.#byName.set(node, variable);
      return;
    }
  }

  #resolveFunction(node: Definition | NodeOf<"lambda">, outer: Scope): void {
    if (node.kind === "def") this.#addReference(node.name, outer, new Set());
    const owner = node.kind === "def" ? { owner: node } : {};
    const parameters: Variable[] = [];
    for (const { fallback, name } of node.parameters) {
      if (fallback !== undefined) this.#resolve(fallback, outer);
      if (name !== undefined)
        parameters.push({ name: name.name, by: "parameter", node: name, references: [], ...owner });
    }
    const body = node.kind === "def" ? node.body : [node.body];
    const inner = this.#addScope(node, node.kind === "def" ? node.body : [], parameters, {
      parent: outer,
      ...(node.kind === "def" && { definition: node }),
    });
    for (const { name } of node.parameters)
      if (name !== undefined) this.#addReference(name, inner, new Set());
    this.#resolve(body, inner);
  }

  #resolveComprehension(node: NodeOf<"comprehension">, outer: Scope): void {
    const [first] = node.clauses;
    if (first?.kind === "for") this.#resolve(first.iterable, outer);
    const variables = node.clauses.flatMap((clause) =>
      clause.kind === "for"
        ? targetNames(clause.target).map((name): Variable => {
            return { name: name.name, by: "comprehension", node: name, references: [] };
          })
        : [],
    );
    const inner = this.#addScope(node, [], variables, { parent: outer });
    for (const clause of node.clauses) {
      if (clause.kind === "if") this.#resolve(clause.condition, inner);
      else {
        this.#resolve(clause.target, inner);
        if (clause !== first) this.#resolve(clause.iterable, inner);
      }
    }
    const { body } = node;
    if ("kind" in body) this.#resolve(body, inner);
    else {
      this.#resolve(body.key, inner);
      this.#resolve(body.value, inner);
    }
  }
}
