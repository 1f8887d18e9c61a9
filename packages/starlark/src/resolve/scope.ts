import type { Binding, Expression, FunctionScope, Parameter } from "../syntax/ast.ts";

/** A lexical block: the body of a function, a comprehension, or the file. */
export interface Block {
  readonly outer: Block | undefined;
  readonly owner: FunctionScope;
  readonly names: Map<string, Binding>;
  /** The ends of the last loop and of the last conditional statement that no other one is around. */
  loopEnd: number;
  conditionEnd: number;
}

/** A variable of the module: a global, or a name that `load` binds in this file only. */
export interface ModuleVariable {
  readonly name: string;
  readonly kind: "global" | "local";
  /** The place where it is bound first. */
  readonly start: number;
}

export function openBlock(owner: FunctionScope, outer?: Block): Block {
  return { outer, owner, names: new Map(), loopEnd: 0, conditionEnd: 0 };
}

/** The binding of a name in a block, which becomes a local variable if it is new. */
export function bindLocal(name: string, { names, owner }: Block): Binding {
  let binding = names.get(name);
  if (binding === undefined) {
    binding = { scope: "local", index: owner.locals.length };
    owner.locals.push(binding);
    names.set(name, binding);
  }
  return binding;
}

/**
 * The binding of a name in the blocks from `block` outwards. If the variable belongs to an enclosing function, it becomes a
 * cell, and every function between captures it.
 */
export function findLexical(name: string, { outer, owner, names }: Block): Binding | undefined {
  const known = names.get(name);
  if (known !== undefined || outer === undefined) return known;
  const found = findLexical(name, outer);
  if (found === undefined || found.scope === "module" || outer.owner === owner) return found;
  if (found.scope === "local") found.scope = "cell";
  const captured: Binding = { scope: "free", index: owner.free.length };
  owner.free.push(found);
  names.set(name, captured);
  return captured;
}

type Report = (offset: number, message: string) => void;

/** Kinds, a kind before each, and the message if it must not be there; `%s` is the name of the one before. */
type OrderRules = readonly (readonly [kind: string, before: string, message?: string])[];

/** An argument or a parameter; without a name, the text is empty. */
type OrderedItem = readonly [kind: string, offset: number, name: string];

/** Reports what may not follow something before it. The first rule that holds decides. */
function checkOrder(list: readonly OrderedItem[], rules: OrderRules, report: Report): void {
  const names = new Map<string, string>();
  for (const [kind, offset, name] of list) {
    const rule = rules.find(([item, before]) => item === kind && names.has(before));
    const [, before = "", message] = rule ?? [];
    if (message !== undefined) report(offset, message.replace("%s", names.get(before) ?? ""));
    names.set(kind, name);
  }
}

const parameterRules: OrderRules = [
  ["required", "**", "required parameter may not follow **%s"],
  ["required", "*"],
  ["required", "optional", "required parameter may not follow optional"],
  ["optional", "**", "optional parameter may not follow **%s"],
  ["*", "**", "* parameter may not follow **%s"],
  ["*", "*", "multiple * parameters not allowed"],
  ["**", "**", "multiple ** parameters not allowed"],
];

/** A function whose body is not resolved yet. */
export function openFunction(
  name: string,
  start: number,
  list: readonly Parameter[],
  report: Report,
): FunctionScope {
  const order = list.map(({ kind, at, name: node }) => [kind, at, node?.name ?? ""] as const);
  checkOrder(order, parameterRules, report);
  const named = list.filter(({ kind }) => kind === "required" || kind === "optional");
  const starred = list.filter(({ kind }) => kind === "*" || kind === "**");
  const star = starred[0]?.kind === "*" ? starred[0] : undefined;
  const starStar = starred.findLast(({ kind }) => kind === "**");
  const keywordOnly = star === undefined ? 0 : named.length - list.indexOf(star);
  if (star !== undefined && star.name === undefined && keywordOnly === 0)
    report(star.at, "bare * must be followed by keyword-only parameters");
  const rest = [star, starStar].flatMap((each) => (each?.name === undefined ? [] : each));
  return { name, start, parameters: [...named, ...rest], keywordOnly, locals: [], free: [] };
}

const argumentRules: OrderRules = [
  ["positional", "*", "positional argument may not follow *args"],
  ["positional", "**", "positional argument may not follow **kwargs"],
  ["positional", "named", "positional argument may not follow named"],
  ["named", "**", "keyword argument may not follow **kwargs"],
  ["named", "*", "keyword argument may not follow *args"],
  ["*", "**", "*args may not follow **kwargs"],
  ["*", "*", "multiple *args not allowed"],
  ["**", "**", "multiple **kwargs not allowed"],
];

const maxArguments = 255;

export function checkArguments({ arguments: list, at }: Expression<"call">, report: Report): void {
  const order = list.map(({ kind, start }) => [kind, start, ""] as const);
  checkOrder(order, argumentRules, report);
  const names = new Set<string>();
  for (const { name, start } of list) {
    if (name === undefined) continue;
    if (names.has(name)) report(start, `keyword argument "${name}" is repeated`);
    names.add(name);
  }
  for (const [kind, what] of Object.entries({ positional: "positional", named: "keyword" })) {
    const count = list.filter((argument) => argument.kind === kind).length;
    if (count > maxArguments)
      report(at, `${count} ${what} arguments in call, limit is ${maxArguments}`);
  }
}
