import { CompletionItemKind, InsertTextMode, MarkupKind } from "vscode-languageserver-protocol";
import type { CompletionItem } from "vscode-languageserver-protocol";
import type { LanguageDocument } from "../document.ts";
import { readKeyContext } from "../front-matter/key-context.ts";
import { keyDoc, keysAt, typeText, valuesAt } from "../front-matter/keys.ts";

/** The keys of front matter, or the values of a key, at an offset. */
export function completeKeys(
  document: LanguageDocument,
  offset: number,
): readonly CompletionItem[] {
  const { kind, outline, text } = document;
  const { range } = outline;
  if (kind === undefined || kind === "star" || range === undefined) return [];
  if (offset < range[0] || offset > range[1]) return [];
  const context = readKeyContext(text, offset);
  if (context === undefined) return [];
  const { path, start } = context;
  const edit = (newText: string) => ({ range: document.range(start, offset), newText });
  if (context.kind === "key")
    return keysAt(kind, path)
      .filter(({ name }) => !context.siblings.includes(name))
      .map(({ doc, isRequired, name, schema }, index) => ({
        label: name,
        kind: CompletionItemKind.Property,
        detail: typeText(schema),
        documentation: { kind: MarkupKind.Markdown, value: doc },
        insertTextMode: InsertTextMode.asIs,
        sortText: `${isRequired ? 0 : 1}${String(index).padStart(3, "0")}`,
        textEdit: edit(`${name}:${suffix(name, typeText(schema), path.length, context.isFlow)}`),
      }));
  if (path.at(-1) === "script_file")
    return document.context.files
      .listPrograms(document.folder)
      .map((name) => ({ label: name, kind: CompletionItemKind.File, textEdit: edit(name) }));
  return valuesAt(kind, path).map((value) => ({
    label: value,
    kind: CompletionItemKind.Value,
    documentation: { kind: MarkupKind.Markdown, value: keyDoc(kind, path) },
    textEdit: edit(value),
  }));
}

/** The text behind the colon of a key. */
function suffix(name: string, type: string, depth: number, isFlow: boolean): string {
  if (isFlow) return " ";
  const indentation = " ".repeat(2 * depth + 2);
  if (name === "script") return ` |\n${indentation}`;
  return type === "object" && name !== "default" ? `\n${indentation}` : " ";
}
