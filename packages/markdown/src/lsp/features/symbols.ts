import { FoldingRangeKind, SymbolKind } from "vscode-languageserver-protocol";
import type { DocumentSymbol, FoldingRange } from "vscode-languageserver-protocol";
import { walkSyntax } from "@toolweave/starlark";
import { targetNames } from "../../check/script-view.ts";
import type { LanguageDocument } from "../document.ts";
import { fromDefinition } from "../language/callable.ts";
import type { OutlineEntry } from "../front-matter/outline.ts";
import type { ScriptRegion } from "../language/script-region.ts";

/** The keys of front matter, and the functions and variables of scripts. */
export function findSymbols(document: LanguageDocument): readonly DocumentSymbol[] {
  if (document.kind === "star")
    return document.regions.flatMap((region) => scriptSymbols(document, region));
  const { entries } = document.outline;
  const fences = document.regions.filter(({ range }) => range[0] >= document.outline.bodyStart);
  return [
    ...toSymbols(document, entries, []),
    ...fences.flatMap((region) => scriptSymbols(document, region)),
  ];
}

function toSymbols(
  document: LanguageDocument,
  entries: readonly OutlineEntry[],
  parent: OutlineEntry["path"],
): readonly DocumentSymbol[] {
  const groups = new Map<string | number, OutlineEntry[]>();
  for (const entry of entries) {
    const step = entry.path[parent.length];
    if (step === undefined) continue;
    const group = groups.get(step);
    if (group === undefined) groups.set(step, [entry]);
    else group.push(entry);
  }
  return [...groups].map(([step, group]) => {
    const path = [...parent, step];
    const [first] = group as [OutlineEntry];
    const own = first.path.length === path.length ? first : undefined;
    const end = Math.max(...group.map((entry) => entry.end));
    const region = document.regions.find(
      ({ range }) => own?.block !== undefined && range[0] === own.block.range[0],
    );
    const [from, to] = own?.keyRange ?? [first.keyRange[0], first.keyRange[1]];
    const name = group.find(
      ({ key, path: each }) => key === "name" && each.length === path.length + 1,
    );
    const value = name === undefined ? "" : document.text.slice(...name.valueRange);
    return {
      name: typeof step === "number" ? value || `[${step}]` : step,
      kind:
        typeof step === "number"
          ? SymbolKind.Object
          : region === undefined
            ? SymbolKind.Property
            : SymbolKind.Module,
      range: document.range(from, Math.max(end, to)),
      selectionRange: document.range(from, to),
      children: [
        ...toSymbols(
          document,
          group.filter((entry) => entry.path.length > path.length),
          path,
        ),
        ...(region === undefined ? [] : scriptSymbols(document, region)),
      ],
    };
  });
}

function scriptSymbols(
  document: LanguageDocument,
  region: ScriptRegion,
): readonly DocumentSymbol[] {
  const model = document.getModel(region);
  const toRange = (start: number, end: number) => document.scriptRange(region, start, end);
  return model.tree.statements.flatMap((statement): readonly DocumentSymbol[] => {
    if (statement.kind === "def") {
      const { end, name, start } = statement;
      return [
        {
          name: name.name,
          detail: fromDefinition(statement, model.text).label.slice(name.name.length),
          kind: SymbolKind.Function,
          range: toRange(start, end),
          selectionRange: toRange(name.start, name.end),
        },
      ];
    }
    if (statement.kind !== "assign") return [];
    return targetNames(statement.target).map((node) => ({
      name: node.name,
      kind: SymbolKind.Variable,
      range: toRange(statement.start, statement.end),
      selectionRange: toRange(node.start, node.end),
    }));
  });
}

/** The parts that an editor can fold: front matter, its keys, and the blocks and comments of scripts. */
export function findFoldings(document: LanguageDocument): readonly FoldingRange[] {
  const foldings: FoldingRange[] = [];
  const add = (start: number, end: number, kind?: FoldingRangeKind): void => {
    const range = document.range(start, end);
    const [startLine, endLine] = [range.start.line, range.end.line];
    if (endLine > startLine)
      foldings.push({ startLine, endLine, ...(kind !== undefined && { kind }) });
  };
  const { entries, range } = document.outline;
  if (range !== undefined) add(Math.max(range[0] - 1, 0), range[1], FoldingRangeKind.Region);
  for (const { end, key, keyRange } of entries) if (key !== undefined) add(keyRange[0], end);
  for (const region of document.regions) {
    for (const node of walkSyntax(document.getModel(region).tree.statements)) {
      const isBlock =
        ["def", "if", "while", "dict", "list", "call", "comprehension"].includes(node.kind) ||
        (node.kind === "for" && "body" in node);
      if (!isBlock) continue;
      const text = region.text.slice(node.start, node.end).trimEnd();
      if (text.includes("\n"))
        add(region.toDocument(node.start), region.toDocument(node.start + text.length));
    }
  }
  return foldings;
}
