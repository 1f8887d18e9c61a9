import type { Argument, FunctionScope, Parameter } from "../syntax/ast.ts";

/** Reports a fault at an offset. */
export type Report = (offset: number, message: string) => void;

const maxArguments = 255;

/** The parameters in the order of their slots, and how many of them are keyword-only. */
export function layOutParameters(
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

/** Checks the arguments of a call at an offset. */
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
