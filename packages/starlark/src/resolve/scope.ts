import type {
  Binding,
  FunctionScope,
  NameExpression,
  Parameter,
} from "../syntax/ast.ts";

/** A function while it is resolved. */
export class FunctionBuilder implements FunctionScope {
  readonly name: string;
  readonly start: number;
  readonly outer: FunctionBuilder | undefined;
  readonly parameters: Parameter[] = [];
  keywordOnly = 0;
  readonly locals: FunctionScope["locals"] = [];
  readonly free: { readonly name: string; readonly outer: Binding }[] = [];
  readonly #captured = new Map<Binding, Binding>();

  constructor(name: string, start: number, outer: FunctionBuilder | undefined) {
    this.name = name;
    this.start = start;
    this.outer = outer;
  }

  addLocal(name: string): Binding {
    const binding: Binding = { scope: "local", index: this.locals.length };
    this.locals.push({ name, binding });
    return binding;
  }

  /** The binding of a variable of an enclosing function, as a captured cell of this one. */
  capture(name: string, outer: Binding): Binding {
    let binding = this.#captured.get(outer);
    if (binding === undefined) {
      binding = { scope: "free", index: this.free.length };
      this.#captured.set(outer, binding);
      this.free.push({ name, outer });
    }
    return binding;
  }
}

/** A lexical block: the body of a function, a comprehension, or the file. */
export interface Block {
  readonly outer: Block | undefined;
  readonly owner: FunctionBuilder;
  readonly names: Map<string, Binding>;
}

/** A variable of the module: a global, or a name that `load` binds in this file only. */
export interface ModuleVariable {
  readonly name: string;
  readonly kind: "global" | "local";
  readonly first: NameExpression;
  readonly binding: Binding;
}

/**
 * The binding of a name in the blocks from `block` outwards, without the variables of the module. If the variable belongs
 * to an enclosing function, it becomes a cell, and every function between captures it.
 */
export function findLexical(name: string, block: Block): Binding | undefined {
  let found: Block | undefined = block;
  while (found !== undefined && !found.names.has(name)) found = found.outer;
  const binding = found?.names.get(name);
  if (found === undefined || binding === undefined) return undefined;
  const between: FunctionBuilder[] = [];
  for (
    let owner: FunctionBuilder = block.owner;
    owner !== found.owner;
    owner = owner.outer as FunctionBuilder
  ) {
    between.push(owner);
  }
  if (between.length === 0) return binding;
  binding.scope = "cell";
  let current = binding;
  for (const owner of between.toReversed()) {
    const inOwner = owner.capture(name, current);
    current = inOwner;
  }
  return current;
}

/** The names that are defined outside of the file. */
export interface Environment {
  readonly predeclared: (name: string) => boolean;
  readonly universal: (name: string) => boolean;
  /** Names for hints. */
  readonly names: readonly string[];
}

/** The names of starlark-go for expressions that cannot be assigned. */
export const goTypeNames: Readonly<Record<string, string>> = {
  literal: "literal",
  format: "f-string",
  dict: "dictexpr",
  comprehension: "comprehension",
  conditional: "condexpr",
  unary: "unaryexpr",
  binary: "binaryexpr",
  slice: "sliceexpr",
  call: "callexpr",
  lambda: "lambdaexpr",
};
