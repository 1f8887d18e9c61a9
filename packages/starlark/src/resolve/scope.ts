import type { Argument, Binding, Expression, FunctionScope, Parameter } from "../syntax/ast.ts";

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

type Report = (offset: number, message: string) => void;

const maxArguments = 255;

/** The parameters in the order of their slots, and how many of them are keyword-only. */
function layOutParameters(
  parameters: readonly Parameter[],
  report: Report,
): Pick<FunctionScope, "parameters" | "keywordOnly"> {
  const positional: Parameter[] = [];
  const keywordOnly: Parameter[] = [];
  let star: Parameter | undefined;
  let starStar: Parameter | undefined;
  let optional = false;
  for (const parameter of parameters) {
    const { kind, at } = parameter;
    if (starStar !== undefined && kind !== "**")
      report(at, `${kind} parameter may not follow **${starStar.name?.name}`);
    else if (starStar !== undefined || (kind === "*" && star !== undefined))
      report(at, `multiple ${kind} parameters not allowed`);
    else if (kind === "required" && optional && star === undefined)
      report(at, "required parameter may not follow optional");
    if (kind === "*") star ??= starStar === undefined ? parameter : undefined;
    else if (kind === "**") starStar = parameter;
    else (star === undefined ? positional : keywordOnly).push(parameter);
    optional ||= kind === "optional";
  }
  if (star !== undefined && star.name === undefined && keywordOnly.length === 0)
    report(star.at, "bare * must be followed by keyword-only parameters");
  const rest = [star, starStar].filter((parameter) => parameter?.name !== undefined);
  const ordered = [...positional, ...keywordOnly, ...rest] as Parameter[];
  return { parameters: ordered, keywordOnly: keywordOnly.length };
}

type ArgumentKind = Argument["kind"];

/** How messages name a kind of arguments, and the kinds that may not be before it, the most important first. */
const argumentRules: Readonly<
  Record<ArgumentKind, { readonly name: string; readonly notAfter: readonly ArgumentKind[] }>
> = {
  positional: { name: "positional argument", notAfter: ["*", "**", "named"] },
  named: { name: "keyword argument", notAfter: ["**", "*"] },
  "*": { name: "*args", notAfter: ["**", "*"] },
  "**": { name: "**kwargs", notAfter: ["**"] },
};

export function checkArguments(list: readonly Argument[], at: number, report: Report): void {
  const counts = { positional: 0, named: 0, "*": 0, "**": 0 };
  const names = new Set<string>();
  for (const { kind, name, start } of list) {
    const rule = argumentRules[kind];
    const before = rule.notAfter.find((other) => counts[other] > 0);
    if (before === kind) report(start, `multiple ${rule.name} not allowed`);
    else if (before !== undefined) {
      const other = before === "named" ? "named" : argumentRules[before].name;
      report(start, `${rule.name} may not follow ${other}`);
    }
    counts[kind]++;
    if (name === undefined) continue;
    if (names.has(name)) report(start, `keyword argument "${name}" is repeated`);
    names.add(name);
  }
  for (const kind of ["positional", "named"] as const) {
    const count = counts[kind];
    if (count > maxArguments)
      report(at, `${count} ${argumentRules[kind].name}s in call, limit is ${maxArguments}`);
  }
}
