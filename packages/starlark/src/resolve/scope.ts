import type { Binding, Expression, FunctionScope, Parameter } from "../syntax/ast.ts";
import { layOutParameters, type Report } from "./parameters.ts";

/** A function while it is resolved. */
export interface OpenFunction extends FunctionScope {
  /** How many loops and conditional statements are around the current statement. */
  loops: number;
  conditions: number;
  /** The captured variables by their place in the function directly around this one. */
  readonly captured: Map<Binding, Binding>;
}

/** A lexical block: the body of a function, a comprehension, or the file. */
export interface Block {
  readonly outer: Block | undefined;
  readonly owner: OpenFunction;
  readonly names: Map<string, Binding>;
}

/** A variable of the module: a global, or a name that `load` binds in this file only. */
export interface ModuleVariable {
  readonly name: string;
  readonly kind: "global" | "local";
  readonly first: Expression<"name">;
  readonly binding: Binding;
}

export function openFunction(
  name: string,
  start: number,
  parameters: readonly Parameter[],
  report: Report,
): OpenFunction {
  const empty = { locals: [], free: [], loops: 0, conditions: 0, captured: new Map() };
  return { name, start, ...layOutParameters(parameters, report), ...empty };
}

/** The binding of a name in a block, which becomes a local variable if it is new. */
export function bindLocal(name: string, { names, owner }: Block): Binding {
  let binding = names.get(name);
  if (binding === undefined) {
    binding = { scope: "local", index: owner.locals.length };
    owner.locals.push({ name, binding });
    names.set(name, binding);
  }
  return binding;
}

/**
 * The binding of a name in the blocks from `block` outwards, without the variables of the module. If the variable belongs
 * to an enclosing function, it becomes a cell, and every function between captures it.
 */
export function findLexical(name: string, { outer, owner, names }: Block): Binding | undefined {
  const local = names.get(name);
  if (local !== undefined || outer === undefined) return local;
  const found = findLexical(name, outer);
  if (found === undefined || outer.owner === owner) return found;
  if (found.scope === "local") found.scope = "cell";
  let captured = owner.captured.get(found);
  if (captured === undefined) {
    captured = { scope: "free", index: owner.free.length };
    owner.captured.set(found, captured);
    owner.free.push({ name, outer: found });
  }
  return captured;
}
