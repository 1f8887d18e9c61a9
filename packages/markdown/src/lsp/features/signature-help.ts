import { MarkupKind } from "vscode-languageserver-protocol";
import type { SignatureHelp } from "vscode-languageserver-protocol";
import type { LanguageDocument } from "../document.ts";
import { readCursor } from "../language/cursor.ts";
import { calledFunction } from "../language/types.ts";

/** The signature of the innermost call around an offset, and the parameter that is written there. */
export function findSignature(
  document: LanguageDocument,
  offset: number,
): SignatureHelp | undefined {
  const region = document.regionAt(offset);
  if (region === undefined) return undefined;
  const at = region.toScript(offset);
  const { context, model } = readCursor(region.text, at, document.getModelOptions(region));
  const open = context.brackets.findLast(({ kind }) => kind === "(");
  if (context.isComment || open === undefined) return undefined;
  const call = model.callAt(open.start);
  const callable = call === undefined ? undefined : calledFunction(model, call.callee);
  if (callable === undefined) return undefined;
  const { doc, label, parameters } = callable;
  const rest = parameters.findIndex(({ isRest }) => isRest);
  const active =
    open.keyword === undefined
      ? rest !== -1 && open.commas > rest
        ? rest
        : open.commas
      : parameters.findIndex(({ name }) => name === open.keyword);
  return {
    activeSignature: 0,
    signatures: [
      {
        label,
        documentation: { kind: MarkupKind.Markdown, value: doc },
        parameters: parameters.map((parameter) => ({
          label: parameter.label,
          ...(parameter.doc !== undefined && {
            documentation: { kind: MarkupKind.Markdown, value: parameter.doc },
          }),
        })),
        ...(active >= 0 && active < parameters.length && { activeParameter: active }),
      },
    ],
  };
}
