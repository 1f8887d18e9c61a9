import type { Argument, Parameter } from "../syntax/ast.ts";
import type { SyntaxProblem } from "../syntax/source-text.ts";

const maxArguments = 255;

/** The parameters in the order of their slots: positional ones, keyword-only ones, `*args`, `**kwargs`. */
export function layOutParameters(parameters: readonly Parameter[]): {
  readonly ordered: Parameter[];
  readonly keywordOnly: number;
  readonly problems: SyntaxProblem[];
} {
  const problems: SyntaxProblem[] = [];
  const positional: Parameter[] = [];
  const keywordOnly: Parameter[] = [];
  let star: Parameter | undefined;
  let starStar: Parameter | undefined;
  let optional = false;
  for (const parameter of parameters) {
    const report = (message: string): void => void problems.push({ offset: parameter.at, message });
    switch (parameter.kind) {
      case "required":
        if (starStar !== undefined)
          report(`required parameter may not follow **${starStar.name?.name}`);
        else if (star === undefined && optional)
          report("required parameter may not follow optional");
        (star === undefined ? positional : keywordOnly).push(parameter);
        break;
      case "optional":
        optional = true;
        if (starStar !== undefined)
          report(`optional parameter may not follow **${starStar.name?.name}`);
        (star === undefined ? positional : keywordOnly).push(parameter);
        break;
      case "*":
        if (starStar !== undefined) report(`* parameter may not follow **${starStar.name?.name}`);
        else if (star !== undefined) report("multiple * parameters not allowed");
        else star = parameter;
        break;
      case "**":
        if (starStar !== undefined) report("multiple ** parameters not allowed");
        starStar = parameter;
    }
  }
  if (star !== undefined && star.name === undefined && keywordOnly.length === 0) {
    problems.push({
      offset: star.at,
      message: "bare * must be followed by keyword-only parameters",
    });
  }
  const ordered = [...positional, ...keywordOnly];
  if (star?.name !== undefined) ordered.push(star);
  if (starStar !== undefined) ordered.push(starStar);
  return { ordered, keywordOnly: keywordOnly.length, problems };
}

/** The faults of a list of arguments. `at` is the place of the call. */
export function checkArguments(list: readonly Argument[], at: number): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  const names = new Set<string>();
  let star = false;
  let starStar = false;
  let positional = 0;
  let named = 0;
  for (const argument of list) {
    const report = (message: string): void =>
      void problems.push({ offset: argument.start, message });
    switch (argument.kind) {
      case "**":
        if (starStar) report("multiple **kwargs not allowed");
        starStar = true;
        break;
      case "*":
        if (starStar) report("*args may not follow **kwargs");
        else if (star) report("multiple *args not allowed");
        star = true;
        break;
      case "named":
        named++;
        if (starStar) report("keyword argument may not follow **kwargs");
        else if (star) report("keyword argument may not follow *args");
        if (names.has(argument.name ?? ""))
          report(`keyword argument "${argument.name}" is repeated`);
        names.add(argument.name ?? "");
        break;
      case "positional":
        positional++;
        if (star) report("positional argument may not follow *args");
        else if (starStar) report("positional argument may not follow **kwargs");
        else if (named > 0) report("positional argument may not follow named");
    }
  }
  for (const [count, kind] of [
    [positional, "positional"],
    [named, "keyword"],
  ] as const) {
    if (count >= maxArguments + 1) {
      problems.push({
        offset: at,
        message: `${count} ${kind} arguments in call, limit is ${maxArguments}`,
      });
    }
  }
  return problems;
}
