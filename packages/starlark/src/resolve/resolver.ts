import type {
  Argument,
  Binding,
  ComprehensionExpression,
  Expression,
  FunctionScope,
  LoadStatement,
  NameExpression,
  Parameter,
  SourceFile,
  Statement,
} from "../syntax/ast.ts";
import type { Dialect } from "../syntax/dialect.ts";
import type { SyntaxProblem } from "../syntax/source-text.ts";
import type { SourceText } from "../syntax/source-text.ts";
import { formatPosition } from "../values/error.ts";
import { checkArguments, layOutParameters } from "./parameters.ts";
import { FunctionBuilder, findLexical, goTypeNames } from "./scope.ts";
import type { Block, Environment, ModuleVariable } from "./scope.ts";
import { nearestName } from "../values/nearest-name.ts";

/** A resolved file: the scope of its statements, and the variables of the module in the order of their slots. */
export interface ResolvedFile {
  readonly topLevel: FunctionScope;
  readonly variables: readonly ModuleVariable[];
  readonly problems: readonly SyntaxProblem[];
}

const unsupported = "this Starlark dialect does not support";

/** Gives every name its binding and checks the rules that hold before a file runs. */
export function resolveFile(
  file: SourceFile,
  options: {
    readonly source: SourceText;
    readonly dialect: Dialect;
    readonly environment: Environment;
  },
): ResolvedFile {
  return new Resolver(options).resolve(file);
}

interface Use {
  readonly name: NameExpression;
  readonly block: Block;
}

class Resolver {
  readonly #source: SourceText;
  readonly #dialect: Dialect;
  readonly #environment: Environment;
  readonly #problems: SyntaxProblem[] = [];
  readonly #topLevel = new FunctionBuilder("<toplevel>", 0, undefined);
  readonly #file: Block = { outer: undefined, owner: this.#topLevel, names: new Map() };
  readonly #globals = new Map<string, ModuleVariable>();
  readonly #loaded = new Map<string, ModuleVariable>();
  readonly #variables: ModuleVariable[] = [];
  readonly #uses: Use[] = [];
  #block: Block = this.#file;
  #loops = 0;
  #conditions = 0;

  constructor(options: {
    readonly source: SourceText;
    readonly dialect: Dialect;
    readonly environment: Environment;
  }) {
    this.#source = options.source;
    this.#dialect = options.dialect;
    this.#environment = options.environment;
  }

  resolve(file: SourceFile): ResolvedFile {
    this.#statements(file.statements);
    for (const use of this.#uses) {
      const binding = findLexical(use.name.name, use.block) ?? this.#findOuter(use);
      if (binding !== undefined) use.name.binding = binding;
    }
    const problems = this.#problems.toSorted((left, right) => left.offset - right.offset);
    return { topLevel: this.#topLevel, variables: this.#variables, problems };
  }

  #report(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }

  get #inFunction(): boolean {
    return this.#block.owner !== this.#topLevel;
  }

  // Bindings

  #bind(name: NameExpression): void {
    if (this.#block !== this.#file) {
      this.#bindLocal(name);
      return;
    }
    const known = this.#loaded.get(name.name) ?? this.#globals.get(name.name);
    if (known === undefined) this.#addVariable(name, "global");
    else {
      name.binding = known.binding;
      if (this.#dialect.globalReassign !== true) {
        const first = formatPosition(this.#source.position(known.first.start));
        this.#report(name.start, `cannot reassign ${known.kind} ${name.name} declared at ${first}`);
      }
    }
  }

  #bindLocal(name: NameExpression): void {
    const known = this.#block.names.get(name.name);
    name.binding = known ?? this.#block.owner.addLocal(name.name);
    if (known === undefined) this.#block.names.set(name.name, name.binding);
  }

  #addVariable(name: NameExpression, kind: "global" | "local"): void {
    const binding: Binding = { scope: "module", index: this.#variables.length };
    const variable: ModuleVariable = { name: name.name, kind, first: name, binding };
    this.#variables.push(variable);
    (kind === "global" ? this.#globals : this.#loaded).set(name.name, variable);
    name.binding = binding;
  }

  #use(name: NameExpression): void {
    const use: Use = { name, block: this.#block };
    // With this option a global must be assigned above its use.
    if (this.#dialect.globalReassign !== true || this.#block !== this.#file) this.#uses.push(use);
    else {
      const binding = this.#findOuter(use);
      if (binding !== undefined) name.binding = binding;
    }
  }

  #findOuter(use: Use): Binding | undefined {
    const { name, start } = use.name;
    const variable = this.#loaded.get(name) ?? this.#globals.get(name);
    if (variable !== undefined) return variable.binding;
    if (this.#environment.predeclared(name)) return { scope: "predeclared", index: 0 };
    if (this.#environment.universal(name)) {
      if (name === "set" && this.#dialect.set !== true) this.#report(start, `${unsupported} sets`);
      return { scope: "universal", index: 0 };
    }
    const nearest = this.#nearest(use);
    this.#report(
      start,
      `undefined: ${name}${nearest === undefined ? "" : ` (did you mean ${nearest}?)`}`,
    );
    return undefined;
  }

  #nearest(use: Use): string | undefined {
    const names = [...this.#globals.keys(), ...this.#loaded.keys()];
    for (let block: Block | undefined = use.block; block !== undefined; block = block.outer) {
      names.push(...block.names.keys());
    }
    return nearestName(use.name.name, names) ?? nearestName(use.name.name, this.#environment.names);
  }

  // Statements

  #statements(statements: readonly Statement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: Statement): void {
    switch (statement.kind) {
      case "expression":
        this.#expression(statement.value);
        return;
      case "pass":
        return;
      case "break":
      case "continue":
        if (this.#loops === 0) this.#report(statement.start, `${statement.kind} not in a loop`);
        return;
      case "if":
        this.#requireFunction(statement.start, "if statement");
        this.#conditions++;
        for (const branch of statement.branches) {
          this.#expression(branch.condition);
          this.#statements(branch.body);
        }
        this.#statements(statement.otherwise ?? []);
        this.#conditions--;
        return;
      case "assign":
        this.#expression(statement.value);
        this.#assign(statement.target, statement.operator !== "=");
        return;
      case "def":
        this.#bind(statement.name);
        statement.code = this.#function(
          statement.name.name,
          statement.start,
          statement.parameters,
          () => this.#statements(statement.body),
        );
        return;
      case "for":
        this.#requireFunction(statement.start, "for loop");
        this.#expression(statement.iterable);
        this.#assign(statement.target, false);
        this.#loop(statement.body);
        return;
      case "while":
        if (this.#dialect.while !== true)
          this.#report(statement.start, `${unsupported} while loops`);
        this.#requireFunction(statement.start, "while loop");
        this.#expression(statement.condition);
        this.#loop(statement.body);
        return;
      case "return":
        if (!this.#inFunction)
          this.#report(statement.start, "return statement not within a function");
        if (statement.value !== undefined) this.#expression(statement.value);
        return;
      case "load":
        this.#load(statement);
    }
  }

  #requireFunction(offset: number, what: string): void {
    if (this.#inFunction || this.#dialect.topLevelControl === true) return;
    this.#report(offset, `${what} not within a function`);
  }

  #loop(body: readonly Statement[]): void {
    this.#loops++;
    this.#statements(body);
    this.#loops--;
  }

  #load(statement: LoadStatement): void {
    if (this.#inFunction) this.#report(statement.start, "load statement within a function");
    else if (this.#loops > 0) this.#report(statement.start, "load statement within a loop");
    else if (this.#conditions > 0)
      this.#report(statement.start, "load statement within a conditional");
    for (const { from, to } of statement.names) {
      if (from.name === "") this.#report(from.start, "load: empty identifier");
      else if (from.name.startsWith("_")) {
        this.#report(
          from.start,
          `load: names with leading underscores are not exported: ${from.name}`,
        );
      }
      if (this.#inFunction || this.#dialect.loadBindsGlobally === true) this.#bind(to);
      else {
        const known = this.#loaded.get(to.name);
        if (known === undefined) this.#addVariable(to, "local");
        else {
          to.binding = known.binding;
          if (this.#dialect.globalReassign !== true)
            this.#report(to.start, `cannot reassign top-level ${to.name}`);
        }
      }
    }
  }

  #assign(target: Expression, augmented: boolean): void {
    switch (target.kind) {
      case "name":
        this.#bind(target);
        return;
      case "parenthesized":
        this.#assign(target.value, augmented);
        return;
      case "index":
      case "dot":
        this.#expression(target);
        return;
      case "tuple":
      case "list":
        if (augmented)
          this.#report(target.start, `can't use ${target.kind} expression in augmented assignment`);
        else for (const item of target.items) this.#assign(item, false);
        return;
      default:
        this.#report(target.start, `can't assign to ${goTypeNames[target.kind] ?? target.kind}`);
    }
  }

  // Expressions

  #expressions(expressions: readonly (Expression | undefined)[]): void {
    for (const expression of expressions)
      if (expression !== undefined) this.#expression(expression);
  }

  #expression(expression: Expression): void {
    switch (expression.kind) {
      case "name":
        this.#use(expression);
        return;
      case "literal":
        return;
      case "format":
        this.#expressions(
          expression.parts.map((part) => (typeof part === "string" ? undefined : part.value)),
        );
        return;
      case "parenthesized":
        this.#expression(expression.value);
        return;
      case "tuple":
      case "list":
        this.#expressions(expression.items);
        return;
      case "dict":
        for (const entry of expression.entries) this.#expressions([entry.key, entry.value]);
        return;
      case "comprehension":
        this.#comprehension(expression);
        return;
      case "conditional":
        this.#expressions([expression.condition, expression.whenTrue, expression.whenFalse]);
        return;
      case "unary":
        this.#expression(expression.operand);
        return;
      case "binary": {
        // A chain of operators is a deep tree to the left: it is followed without recursion.
        const rights: Expression[] = [];
        let left: Expression = expression;
        for (; left.kind === "binary"; left = left.left) rights.push(left.right);
        this.#expressions([left, ...rights.toReversed()]);
        return;
      }
      case "dot":
        this.#expression(expression.object);
        return;
      case "index":
        this.#expressions([expression.object, expression.index]);
        return;
      case "slice":
        this.#expressions([expression.object, expression.low, expression.high, expression.step]);
        return;
      case "call":
        this.#expression(expression.callee);
        this.#arguments(expression.arguments, expression.at);
        return;
      case "lambda":
        expression.code = this.#function("lambda", expression.start, expression.parameters, () =>
          this.#expression(expression.body),
        );
    }
  }

  #arguments(list: readonly Argument[], at: number): void {
    for (const problem of checkArguments(list, at)) this.#report(problem.offset, problem.message);
    this.#expressions(list.map((argument) => argument.value));
  }

  #comprehension(expression: ComprehensionExpression): void {
    const first = expression.clauses[0];
    if (first?.kind === "for") this.#expression(first.iterable);
    const outer = this.#block;
    this.#block = { outer, owner: outer.owner, names: new Map() };
    for (const clause of expression.clauses) {
      if (clause.kind === "if") this.#expression(clause.condition);
      else {
        if (clause !== first) this.#expression(clause.iterable);
        this.#assign(clause.target, false);
      }
    }
    const { body } = expression;
    if ("key" in body) this.#expressions([body.key, body.value]);
    else this.#expression(body);
    this.#block = outer;
  }

  #function(
    name: string,
    start: number,
    parameters: readonly Parameter[],
    body: () => void,
  ): FunctionScope {
    this.#expressions(parameters.map((parameter) => parameter.fallback));
    const outer = this.#block;
    const owner = new FunctionBuilder(name, start, outer.owner);
    const saved = { loops: this.#loops, conditions: this.#conditions };
    this.#block = { outer, owner, names: new Map() };
    this.#loops = 0;
    this.#conditions = 0;
    const layout = layOutParameters(parameters);
    for (const problem of layout.problems) this.#report(problem.offset, problem.message);
    owner.parameters.push(...layout.ordered);
    owner.keywordOnly = layout.keywordOnly;
    for (const parameter of layout.ordered) {
      const variable = parameter.name;
      if (variable === undefined) continue;
      if (this.#block.names.has(variable.name))
        this.#report(variable.start, `duplicate parameter: ${variable.name}`);
      this.#bindLocal(variable);
    }
    body();
    this.#block = outer;
    this.#loops = saved.loops;
    this.#conditions = saved.conditions;
    return owner;
  }
}
