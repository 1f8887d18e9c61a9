import type { Binding, Expression, FunctionScope, SourceFile, Statement } from "../syntax/ast.ts";
import { type Dialect, type SyntaxNode, walkSyntax } from "../syntax/tree.ts";
import type { SourceText, SyntaxProblem } from "../syntax/source-text.ts";
import { formatPosition, nameHint } from "../values/error.ts";
import { bindLocal, checkArguments, findLexical, openFunction } from "./scope.ts";
import type { Block, ModuleVariable, OpenFunction } from "./scope.ts";

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
  /** The names that are defined outside of the file; `names` are for hints. */
  readonly environment: {
    readonly predeclared: (name: string) => boolean;
    readonly universal: (name: string) => boolean;
    readonly names: readonly string[];
  };
}

/** Gives every name its binding and checks the rules that hold before a file runs. */
export function resolveFile(file: SourceFile, options: ResolverOptions): ResolvedFile {
  return new Resolver(options).resolve(file);
}

const unsupported = "this Starlark dialect does not support";

/** The names of starlark-go for kinds of expressions; the others are like `callexpr`. */
const goTypeNames: Readonly<Record<string, string>> = {
  literal: "literal",
  format: "f-string",
  comprehension: "comprehension",
  conditional: "condexpr",
};

/** Comprehensions and functions have scopes of their own. */
function hasNoScope({ kind }: SyntaxNode): boolean {
  return kind !== "comprehension" && kind !== "lambda";
}

class Resolver {
  readonly #options: ResolverOptions;
  readonly #problems: SyntaxProblem[] = [];
  readonly #report = (offset: number, message: string): void => {
    this.#problems.push({ offset, message });
  };
  readonly #topLevel = openFunction("<toplevel>", 0, [], this.#report);
  readonly #file: Block = { outer: undefined, owner: this.#topLevel, names: new Map() };
  readonly #variables: ModuleVariable[] = [];
  /** The variables that names refer to: a loaded one hides a global one. */
  readonly #visible = new Map<string, ModuleVariable>();
  /** The uses of names that are resolved at the end, with their blocks. */
  readonly #uses: (readonly [Name, Block])[] = [];
  #block: Block = this.#file;

  constructor(options: ResolverOptions) {
    this.#options = options;
  }

  resolve(file: SourceFile): ResolvedFile {
    this.#statements(file.statements);
    for (const [name, block] of this.#uses) this.#resolveUse(name, block);
    const problems = this.#problems.toSorted((left, right) => left.offset - right.offset);
    return { topLevel: this.#topLevel, variables: this.#variables, problems };
  }

  get #owner(): OpenFunction {
    return this.#block.owner;
  }

  get #inFunction(): boolean {
    return this.#owner !== this.#topLevel;
  }

  #bind(name: Name): void {
    if (this.#block === this.#file) this.#bindModuleVariable(name, "global");
    else name.binding = bindLocal(name.name, this.#block);
  }

  #bindModuleVariable(name: Name, kind: ModuleVariable["kind"]): void {
    const known = this.#visible.get(name.name);
    if (known === undefined || (kind === "local" && known.kind === "global")) {
      name.binding = { scope: "module", index: this.#variables.length };
      const variable = { name: name.name, kind, first: name, binding: name.binding };
      this.#variables.push(variable);
      this.#visible.set(name.name, variable);
      return;
    }
    name.binding = known.binding;
    if (this.#options.dialect.globalReassign === true) return;
    const first = formatPosition(this.#options.source.position(known.first.start));
    const declared = `${known.kind} ${name.name} declared at ${first}`;
    const what = kind === "global" ? declared : `top-level ${name.name}`;
    this.#report(name.start, `cannot reassign ${what}`);
  }

  #use(name: Name): void {
    // With this option a global must be assigned above its use.
    if (this.#options.dialect.globalReassign === true && this.#block === this.#file)
      this.#resolveUse(name, this.#block);
    else this.#uses.push([name, this.#block]);
  }

  #resolveUse(name: Name, block: Block): void {
    const binding = findLexical(name.name, block) ?? this.#findOuter(name);
    if (binding === undefined) this.#reportUndefined(name, block);
    else name.binding = binding;
  }

  #reportUndefined({ name, start }: Name, from: Block): void {
    const names = [...this.#visible.keys()];
    for (let block: Block | undefined = from; block !== undefined; block = block.outer)
      names.push(...block.names.keys());
    const hint = nameHint(name, names) || nameHint(name, this.#options.environment.names);
    this.#report(start, `undefined: ${name}${hint}`);
  }

  #findOuter({ name, start }: Name): Binding | undefined {
    const { dialect, environment } = this.#options;
    const variable = this.#visible.get(name);
    if (variable !== undefined) return variable.binding;
    if (environment.predeclared(name)) return { scope: "predeclared", index: 0 };
    if (!environment.universal(name)) return undefined;
    if (name === "set" && dialect.set !== true) this.#report(start, `${unsupported} sets`);
    return { scope: "universal", index: 0 };
  }

  #statements(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    const { start } = statement;
    switch (statement.kind) {
      case "expression":
        return this.#expression(statement.value);
      case "break":
      case "continue":
        if (this.#owner.loops === 0) this.#report(start, `${statement.kind} not in a loop`);
        return;
      case "if":
        this.#requireFunction(start, "if statement");
        this.#owner.conditions++;
        for (const branch of statement.branches) {
          this.#expression(branch.condition);
          this.#statements(branch.body);
        }
        this.#statements(statement.otherwise ?? []);
        this.#owner.conditions--;
        return;
      case "assign":
        this.#expression(statement.value);
        return this.#assign(statement.target, statement.operator !== "=");
      case "def":
        this.#bind(statement.name);
        return this.#function(statement);
      case "for":
        this.#requireFunction(start, "for loop");
        this.#expression(statement.iterable);
        this.#assign(statement.target, false);
        return this.#loop(statement.body);
      case "while":
        if (this.#options.dialect.while !== true) this.#report(start, `${unsupported} while loops`);
        this.#requireFunction(start, "while loop");
        this.#expression(statement.condition);
        return this.#loop(statement.body);
      case "return":
        if (!this.#inFunction) this.#report(start, "return statement not within a function");
        return this.#expressions([statement.value]);
      case "load":
        this.#load(statement);
    }
  }

  #requireFunction(offset: number, what: string): void {
    if (this.#inFunction || this.#options.dialect.topLevelControl === true) return;
    this.#report(offset, `${what} not within a function`);
  }

  #loop(body: readonly Statement[]): void {
    this.#owner.loops++;
    this.#statements(body);
    this.#owner.loops--;
  }

  #load({ start, names }: Statement<"load">): void {
    const { loops, conditions } = this.#owner;
    if (this.#inFunction) this.#report(start, "load statement within a function");
    else if (loops > 0) this.#report(start, "load statement within a loop");
    else if (conditions > 0) this.#report(start, "load statement within a conditional");
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
        return this.#expression(target);
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

  #expressions(expressions: readonly (Expression | undefined)[]): void {
    for (const expression of expressions)
      if (expression !== undefined) this.#expression(expression);
  }

  #expression(expression: Expression): void {
    for (const node of walkSyntax(expression, hasNoScope)) {
      if (node.kind === "name") this.#use(node);
      else if (node.kind === "comprehension") this.#comprehension(node);
      else if (node.kind === "lambda") this.#function(node);
      else if (node.kind === "call") checkArguments(node.arguments, node.at, this.#report);
    }
  }

  #comprehension({ body, clauses }: Expression<"comprehension">): void {
    const [first] = clauses;
    // The first iterable is evaluated outside of the comprehension.
    if (first?.kind === "for") this.#expression(first.iterable);
    this.#withBlock(this.#owner, () => {
      for (const clause of clauses) {
        if (clause.kind === "if") this.#expression(clause.condition);
        else if (clause !== first) this.#expression(clause.iterable);
        if (clause.kind === "for") this.#assign(clause.target, false);
      }
      this.#expressions("key" in body ? [body.key, body.value] : [body]);
    });
  }

  #withBlock(owner: OpenFunction, visit: () => void): void {
    const outer = this.#block;
    this.#block = { outer, owner, names: new Map() };
    visit();
    this.#block = outer;
  }

  #function(node: Statement<"def"> | Expression<"lambda">): void {
    const { start, parameters } = node;
    this.#expressions(parameters.map((parameter) => parameter.fallback));
    const name = node.kind === "def" ? node.name.name : "lambda";
    const owner = openFunction(name, start, parameters, this.#report);
    this.#withBlock(owner, () => {
      for (const { name: variable } of owner.parameters) {
        if (variable === undefined) continue;
        if (this.#block.names.has(variable.name))
          this.#report(variable.start, `duplicate parameter: ${variable.name}`);
        variable.binding = bindLocal(variable.name, this.#block);
      }
      if (node.kind === "def") this.#statements(node.body);
      else this.#expression(node.body);
    });
    node.code = owner;
  }
}
