import type { Expression, FunctionScope, SourceFile, Statement } from "../syntax/ast.ts";
import { type Dialect, type SyntaxNode, walkSyntax } from "../syntax/tree.ts";
import type { SourceText, SyntaxProblem } from "../syntax/source-text.ts";
import { formatPosition, nameHint } from "../values/error.ts";
import { bindLocal, checkArguments, findLexical, openBlock, openFunction } from "./scope.ts";
import type { Block, ModuleVariable } from "./scope.ts";

/** A resolved file: the scope of its statements, and the variables of the module in the order of their slots. */
export interface ResolvedFile {
  readonly topLevel: FunctionScope;
  readonly variables: readonly ModuleVariable[];
  readonly problems: readonly SyntaxProblem[];
}

type Name = Expression<"name">;

interface ResolverOptions {
  readonly source: SourceText;
  readonly dialect: Dialect;
  /** The names that the host and the language define. */
  readonly predeclared: ReadonlySet<string>;
  readonly universal: ReadonlySet<string>;
}

/** Gives every name its binding and checks the rules that hold before a file runs. */
export function resolveFile(file: SourceFile, options: ResolverOptions): ResolvedFile {
  return new Resolver(options).resolve(file);
}

/** How many faults are reported, and how many of them may propose another name, which takes long. */
const maxProblems = 100;
const maxHints = 10;
const unsupported = "this Starlark dialect does not support";

/** The names of starlark-go for kinds of expressions; the others are like `callexpr`. */
const goTypeNames: Readonly<Record<string, string>> = {
  literal: "literal",
  format: "f-string",
  comprehension: "comprehension",
  conditional: "condexpr",
};

/** The nodes whose parts are not visited in the order of the text, or in the same block. */
const visitsItsParts: ReadonlySet<string> = new Set(
  "assign comprehension def for lambda load".split(" "),
);

class Resolver {
  readonly #options: ResolverOptions;
  readonly #problems: SyntaxProblem[] = [];
  readonly #report = (offset: number, message: string): void => {
    if (this.#problems.length < maxProblems) this.#problems.push({ offset, message });
  };
  readonly #file: Block = openBlock(openFunction("<toplevel>", 0, [], this.#report));
  readonly #variables: ModuleVariable[] = [];
  /** The uses of names that are resolved at the end, with their blocks. */
  readonly #uses: (readonly [Name, Block])[] = [];
  #block: Block = this.#file;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  resolve({ statements }: SourceFile): ResolvedFile {
    this.#visit(statements);
    for (const [name, block] of this.#uses)
      if (this.#problems.length < maxProblems) this.#resolveUse(name, block);
    const problems = this.#problems.toSorted((left, right) => left.offset - right.offset);
    return { topLevel: this.#file.owner, variables: this.#variables, problems };
  }

  get #inFunction(): boolean {
    return this.#block.owner !== this.#file.owner;
  }

  #bind(name: Name): void {
    if (this.#block === this.#file) this.#bindModuleVariable(name, "global");
    else name.binding = bindLocal(name.name, this.#block);
  }

  /** A name that `load` binds hides a global one. */
  #bindModuleVariable(node: Name, kind: ModuleVariable["kind"]): void {
    const { name, start } = node;
    const { names } = this.#file;
    node.binding = names.get(name);
    const known = this.#variables[node.binding?.index ?? -1];
    if (known === undefined || (kind === "local" && known.kind === "global")) {
      node.binding = { scope: "module", index: this.#variables.length };
      this.#variables.push({ name, kind, start });
      names.set(name, node.binding);
    } else if (this.#options.dialect.globalReassign !== true) {
      const first = formatPosition(this.#options.source.position(known.start));
      const declared = `${known.kind} ${name} declared at ${first}`;
      this.#report(start, `cannot reassign ${kind === "global" ? declared : `top-level ${name}`}`);
    }
  }

  #resolveUse(node: Name, block: Block): void {
    const { dialect, predeclared, universal } = this.#options;
    const { name, start } = node;
    node.binding = findLexical(name, block);
    if (node.binding !== undefined) return;
    if (predeclared.has(name)) node.binding = { scope: "predeclared", index: 0 };
    else if (universal.has(name)) {
      node.binding = { scope: "universal", index: 0 };
      if (name === "set" && dialect.set !== true) this.#report(start, `${unsupported} sets`);
    } else {
      const hint = this.#problems.length < maxHints ? this.#findHint(name, block) : "";
      this.#report(start, `undefined: ${name}${hint}`);
    }
  }

  #findHint(name: string, block: Block): string {
    const { predeclared, universal } = this.#options;
    const names: string[] = [];
    for (let from: Block | undefined = block; from !== undefined; from = from.outer)
      for (const known of from.names.keys()) names.push(known);
    return nameHint(name, names) || nameHint(name, [...universal, ...predeclared]);
  }

  #visit(root: SyntaxNode | readonly SyntaxNode[]): void {
    for (const node of walkSyntax(root, ({ kind }) => !visitsItsParts.has(kind))) this.#node(node);
  }

  #node(node: SyntaxNode): void {
    const { start } = node;
    switch (node.kind) {
      case "name":
        // With this option a global must be assigned above its use.
        if (this.#options.dialect.globalReassign === true && this.#block === this.#file)
          this.#resolveUse(node, this.#block);
        else this.#uses.push([node, this.#block]);
        return;
      case "call":
        return checkArguments(node, this.#report);
      case "comprehension":
        return this.#comprehension(node);
      case "lambda":
        return this.#function("lambda", node);
      case "def":
        this.#bind(node.name);
        return this.#function(node.name.name, node);
      case "load":
        return this.#load(node);
      case "assign":
        this.#visit(node.value);
        return this.#assign(node.target, node.operator !== "=");
      case "if":
        if ("branches" in node) this.#enter(node, "if statement", "conditionEnd");
        return;
      case "while":
        if (this.#options.dialect.while !== true) this.#report(start, `${unsupported} while loops`);
        return this.#enter(node, "while loop", "loopEnd");
      case "for":
        if ("body" in node) this.#enter(node, "for loop", "loopEnd");
        this.#visit(node.iterable);
        this.#assign(node.target, false);
        if ("body" in node) this.#visit(node.body);
        return;
      case "break":
      case "continue":
        if (start >= this.#block.loopEnd) this.#report(start, `${node.kind} not in a loop`);
        return;
      case "return":
        if (!this.#inFunction) this.#report(start, "return statement not within a function");
    }
  }

  #enter({ start, end }: SyntaxNode, name: string, place: "loopEnd" | "conditionEnd"): void {
    if (!this.#inFunction && this.#options.dialect.topLevelControl !== true)
      this.#report(start, `${name} not within a function`);
    this.#block[place] = Math.max(this.#block[place], end);
  }

  #load({ start, names }: Statement<"load">): void {
    const { loopEnd, conditionEnd } = this.#block;
    if (this.#inFunction) this.#report(start, "load statement within a function");
    else if (start < loopEnd) this.#report(start, "load statement within a loop");
    else if (start < conditionEnd) this.#report(start, "load statement within a conditional");
    for (const { from, to } of names) {
      const { name } = from;
      if (name === "") this.#report(from.start, "load: empty identifier");
      else if (name.startsWith("_"))
        this.#report(from.start, `load: names with leading underscores are not exported: ${name}`);
      if (this.#inFunction || this.#options.dialect.loadBindsGlobally === true) this.#bind(to);
      else this.#bindModuleVariable(to, "local");
    }
  }

  #assign(target: Expression, augmented: boolean): void {
    switch (target.kind) {
      case "name":
        return this.#bind(target);
      case "parenthesized":
        return this.#assign(target.value, augmented);
      case "index":
      case "dot":
        return this.#visit(target);
      case "tuple":
      case "list":
        if (augmented)
          this.#report(target.start, `can't use ${target.kind} expression in augmented assignment`);
        else for (const item of target.items) this.#assign(item, false);
        return;
      default: {
        const name = goTypeNames[target.kind] ?? `${target.kind}expr`;
        this.#report(target.start, `can't assign to ${name}`);
      }
    }
  }

  #comprehension({ body, clauses }: Expression<"comprehension">): void {
    const [first, ...rest] = clauses;
    // The first iterable is evaluated outside of the comprehension.
    if (first?.kind === "for") this.#visit(first.iterable);
    this.#withBlock(this.#block.owner, () => {
      if (first?.kind === "for") this.#assign(first.target, false);
      this.#visit(rest);
      this.#visit("key" in body ? [body.key, body.value] : body);
    });
  }

  #withBlock(owner: FunctionScope, visit: () => void): void {
    const outer = this.#block;
    this.#block = openBlock(owner, outer);
    visit();
    this.#block = outer;
  }

  #function(name: string, node: Statement<"def"> | Expression<"lambda">): void {
    const { start, parameters, body } = node;
    this.#visit(parameters.flatMap(({ fallback }) => fallback ?? []));
    const owner = openFunction(name, start, parameters, this.#report);
    this.#withBlock(owner, () => {
      for (const variable of owner.parameters.flatMap((parameter) => parameter.name ?? [])) {
        if (this.#block.names.has(variable.name))
          this.#report(variable.start, `duplicate parameter: ${variable.name}`);
        variable.binding = bindLocal(variable.name, this.#block);
      }
      this.#visit(body);
    });
    node.code = owner;
  }
}
