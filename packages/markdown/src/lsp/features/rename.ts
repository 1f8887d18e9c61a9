import { LSPErrorCodes, ResponseError } from "vscode-languageserver-protocol";
import type { Range, TextEdit } from "vscode-languageserver-protocol";
import { walkSyntax } from "@toolweave/starlark";
import { targetAt } from "./target.ts";
import type { Target } from "./target.ts";
import type { LanguageDocument } from "../document.ts";
import type { Variable } from "../language/scopes.ts";
import { keywords, reservedWords, universeConstants } from "../language/universe.ts";

/** The name that a rename at an offset would change; undefined: it is no variable of the script. */
export function prepareRename(document: LanguageDocument, offset: number): Range | undefined {
  const target = variableAt(document, offset);
  if (target === undefined) return undefined;
  return document.scriptRange(target.region, target.node.start, target.node.end);
}

/**
 * The edits that give a variable another name, in its file.
 *
 * @throws ResponseError `RequestFailed` if the name is invalid, is in use, or belongs to the host.
 */
export function rename(
  document: LanguageDocument,
  offset: number,
  name: string,
): readonly TextEdit[] {
  const target = variableAt(document, offset);
  if (target === undefined) throw failure("There is no variable of the script here.");
  const { model, region, variable } = target;
  if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)) throw failure(`"${name}" is no name.`);
  if ([...keywords, ...reservedWords, ...universeConstants].includes(name))
    throw failure(`${name} is a word of the language.`);
  if (variable.definition !== undefined && variable.definition === model.entry)
    throw failure(`The host calls ${variable.name}: it has no other name.`);
  if (name === variable.name) return [];
  for (const { start } of variable.references) {
    const other = model.scopes.lookUp(name, start);
    if (other !== undefined) throw failure(`${name} is the name of another variable here.`);
  }
  const own = model.scopes.findScope(variable);
  const isHidden = [...walkSyntax(model.tree.statements)].some(
    (node) =>
      node.kind === "name" &&
      node.name === name &&
      own !== undefined &&
      node.start >= own.start &&
      node.end <= own.end,
  );
  if (isHidden) throw failure(`${name} is in use where ${variable.name} is known.`);
  const toEdit = (start: number, end: number, newText: string): TextEdit => ({
    range: document.scriptRange(region, start, end),
    newText,
  });
  return [
    ...variable.references.map(({ start, end }) => {
      // `load("x.star", "a")` loads the name as it is written.
      const isQuoted = variable.load?.from.start === start;
      return isQuoted
        ? toEdit(start - 1, end + 1, `${name}="${variable.name}"`)
        : toEdit(start, end, name);
    }),
    ...keywordArguments(target).map((start) => toEdit(start, start + variable.name.length, name)),
  ];
}

/** The places in which calls name a parameter. */
function keywordArguments({ model, variable }: VariableTarget): readonly number[] {
  const { owner } = variable;
  if (owner === undefined) return [];
  const places: number[] = [];
  for (const node of walkSyntax(model.tree.statements)) {
    if (node.kind !== "call" || model.variable(node.callee)?.definition !== owner) continue;
    for (const argument of node.arguments)
      if (argument.kind === "named" && argument.name === variable.name) places.push(argument.start);
  }
  return places;
}

type VariableTarget = Target & { readonly variable: Variable };

function variableAt(document: LanguageDocument, offset: number): VariableTarget | undefined {
  const target = targetAt(document, offset);
  return target?.variable === undefined || target.node.kind !== "name"
    ? undefined
    : { ...target, variable: target.variable };
}

function failure(message: string): ResponseError {
  return new ResponseError(LSPErrorCodes.RequestFailed, message);
}
