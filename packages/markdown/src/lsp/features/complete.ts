import { CompletionItemKind, InsertTextFormat, MarkupKind } from "vscode-languageserver-protocol";
import type { CompletionItem } from "vscode-languageserver-protocol";
import { languageConstants } from "../../builtins/language-modules.ts";
import { walkSyntax } from "@toolweave/starlark";
import type { SyntaxNode } from "@toolweave/starlark";
import type { LanguageDocument } from "../document.ts";
import { typeText } from "../front-matter/keys.ts";
import { fromBuiltin } from "../language/callable.ts";
import type { Callable } from "../language/callable.ts";
import { readCursor } from "../language/cursor.ts";
import type { CursorModel } from "../language/cursor.ts";
import type { ScriptModel } from "../language/script-model.ts";
import type { ScriptRegion } from "../language/script-region.ts";
import {
  calledFunction,
  readProperties,
  inferSchema,
  testModule,
  getType,
} from "../language/types.ts";
import { keywords, methods, universeConstants, universeFunctions } from "../language/universe.ts";
import { completeKeys } from "./complete-keys.ts";
import { describeCallable, describeModule, describeProperty, describeVariable } from "./hover.ts";

/** A completion without the text that it replaces. */
type Item = Omit<CompletionItem, "textEdit">;

/** Everything that can be written at an offset. */
export function findCompletions(
  document: LanguageDocument,
  offset: number,
): readonly CompletionItem[] {
  const region = document.regionAt(offset);
  if (region === undefined) return completeKeys(document, offset);
  const at = region.toScript(offset);
  const cursor = readCursor(region.text, at, document.getModelOptions(region));
  if (cursor.context.isComment) return [];
  const start = cursor.context.string?.start ?? cursor.context.word.start;
  return itemsAt(document, region, cursor, at).map((item) => ({
    ...item,
    textEdit: {
      range: document.scriptRange(region, start, at),
      newText: item.insertText ?? item.label,
    },
  }));
}

function itemsAt(
  document: LanguageDocument,
  region: ScriptRegion,
  { context, model }: CursorModel,
  at: number,
): readonly Item[] {
  if (context.string !== undefined) return stringItems(document, model, context, at);
  if (context.dot !== undefined) return memberItems(model, context.dot, context.word.text);
  const before = region.text.slice(Math.max(0, context.word.start - 200), context.word.start);
  // A number, such as `1e`, or the name of a new function.
  if (/(?:^|[^\w.])\d[\w.]*$/.test(before)) return [];
  if (/\bdef\s+$/.test(before)) return entryItems(model);
  return [...argumentItems(model, context), ...nameItems(model, at)];
}

/** The members of a module, or the methods of a type. Of a value of an unknown type, the methods of all types. */
function memberItems(model: ScriptModel, dot: number, word: string): readonly Item[] {
  const node = findDot(model, dot);
  if (node === undefined) return [];
  const { object } = node;
  const test = testModule(model, object);
  if (test !== undefined) return [...test].map(([name, callable]) => functionItem(name, callable));
  if (object.kind === "name" && model.variable(object) === undefined) {
    const members = model.modules.get(object.name);
    if (members !== undefined && object.name !== "") {
      const constants = Object.entries(languageConstants[object.name] ?? {});
      return [
        ...[...members.values()]
          .filter(({ name }) => name !== object.name)
          .map((fn) => functionItem(fn.name, fromBuiltin(fn))),
        ...constants.map(([name, doc]) => ({
          label: name,
          kind: CompletionItemKind.Constant,
          documentation: doc,
        })),
      ];
    }
  }
  const type = getType(model, object);
  const known = methods.get(type);
  if (known !== undefined)
    return [...known].map(([name, callable]) =>
      functionItem(name, callable, CompletionItemKind.Method),
    );
  // A type that is known has no methods; with an unknown one, a beginning of the name is needed.
  if (type !== "unknown" || (word === "" && object.kind === "literal")) return [];
  return [...methods].flatMap(([owner, each]) =>
    [...each].map(([name, callable]) => ({
      ...functionItem(name, callable, CompletionItemKind.Method),
      label: name,
      labelDetails: { description: owner },
      sortText: `~${name}`,
    })),
  );
}

function findDot(
  model: ScriptModel,
  dot: number,
): Extract<SyntaxNode, { kind: "dot" }> | undefined {
  for (const node of walkSyntax(model.tree.statements))
    if (node.kind === "dot" && node.at === dot) return node;
  return undefined;
}

/** The names of the parameters that a call has not set yet. */
function argumentItems(
  model: ScriptModel,
  { brackets, word }: CursorModel["context"],
): readonly Item[] {
  const open = brackets.at(-1);
  if (open?.kind !== "(" || open.keyword !== undefined) return [];
  if (model.text.slice(open.argument, word.start).trim() !== "") return [];
  const call = model.callAt(open.start);
  const callable = call === undefined ? undefined : calledFunction(model, call.callee);
  if (callable === undefined) return [];
  const positional = open.keywords.length === 0 ? open.commas : 0;
  return callable.parameters
    .filter(
      ({ isNamed, name }, index) => isNamed && index >= positional && !open.keywords.includes(name),
    )
    .map(({ doc, label, name }) => ({
      label: `${name}=`,
      kind: CompletionItemKind.Property,
      detail: label,
      sortText: `!${name}`,
      ...(doc !== undefined && { documentation: doc }),
    }));
}

/** Variables, built-in names, and the words of the language. */
function nameItems(model: ScriptModel, at: number): readonly Item[] {
  const items = new Map<string, Item>();
  const add = (item: Item): void => {
    if (!items.has(item.label) && item.label !== "_") items.set(item.label, item);
  };
  for (const variable of model.scopes.variablesAt(at)) {
    const callable = calledFunction(model, variable.node);
    if (callable !== undefined) add(functionItem(variable.name, callable));
    else
      add({
        label: variable.name,
        kind: CompletionItemKind.Variable,
        documentation: { kind: MarkupKind.Markdown, value: describeVariable(model, variable) },
      });
  }
  for (const name of model.options.names ?? [])
    add({ label: name, kind: CompletionItemKind.Variable });
  for (const [module, members] of model.modules) {
    if (module === "") {
      for (const fn of members.values()) add(functionItem(fn.name, fromBuiltin(fn)));
      continue;
    }
    const own = members.get(module);
    if (own !== undefined && members.size === 1) add(functionItem(module, fromBuiltin(own)));
    else
      add({
        label: module,
        kind: CompletionItemKind.Module,
        documentation: { kind: MarkupKind.Markdown, value: describeModule(model, module) ?? "" },
      });
  }
  for (const [name, callable] of universeFunctions) add(functionItem(name, callable));
  for (const name of universeConstants) add({ label: name, kind: CompletionItemKind.Constant });
  for (const name of keywords)
    add({ label: name, kind: CompletionItemKind.Keyword, sortText: `~${name}` });
  return [...items.values()];
}

/** The function that the host calls, while the script has none. */
function entryItems(model: ScriptModel): readonly Item[] {
  const { kind } = model.options;
  if (kind !== "tool" && kind !== "hook") return [];
  const signature = kind === "tool" ? "run(args)" : "handle(event, payload)";
  return [
    {
      label: signature,
      kind: CompletionItemKind.Function,
      insertText: `${signature}:`,
      detail: "The host calls this function.",
    },
  ];
}

/** The keys of `args["…"]`, and the files and names of `load("…", "…")`. */
function stringItems(
  document: LanguageDocument,
  model: ScriptModel,
  { brackets, string }: CursorModel["context"],
  at: number,
): readonly Item[] {
  const open = brackets.at(-1);
  if (open === undefined || string === undefined) return [];
  const nodes = model.nodesAt(at);
  const load = nodes.findLast(({ kind }) => kind === "load");
  const isLoad = /\bload\s*$/.test(model.text.slice(Math.max(0, open.start - 20), open.start));
  if (open.kind === "(" && (load !== undefined || isLoad)) {
    if (open.commas === 0)
      return document.context.files
        .listPrograms(document.folder)
        .filter((name) => !document.path.replaceAll("\\", "/").endsWith(`/${name}`))
        .map((name) => ({ label: name, kind: CompletionItemKind.File }));
    const file = /^\s*["']([^"'\n]*)["']/.exec(model.text.slice(open.start + 1))?.[1] ?? "";
    return loadedItems(document.loaded(file)?.mainModel);
  }
  const node =
    open.kind === "["
      ? nodes.findLast((each) => each.kind === "index" && each.at === open.start)
      : nodes.findLast((each) => each.kind === "call" && each.at === open.start);
  const object =
    node?.kind === "index"
      ? node.object
      : node?.kind === "call" &&
          node.callee.kind === "dot" &&
          /^(?:get|pop|setdefault)$/.test(node.callee.name) &&
          open.commas === 0
        ? node.callee.object
        : undefined;
  if (object === undefined) return [];
  return Object.entries(readProperties(inferSchema(model, object))).map(([name, schema]) => ({
    label: name,
    kind: CompletionItemKind.Field,
    detail: typeText(schema),
    documentation: { kind: MarkupKind.Markdown, value: describeProperty(name, schema) },
  }));
}

function loadedItems(model: ScriptModel | undefined): readonly Item[] {
  if (model === undefined) return [];
  return [...model.scopes.root.variables.values()]
    .filter(({ load, name }) => load === undefined && !name.startsWith("_"))
    .map((variable) => {
      const callable = calledFunction(model, variable.node);
      return callable === undefined
        ? { label: variable.name, kind: CompletionItemKind.Variable }
        : functionItem(variable.name, callable);
    });
}

function functionItem(
  name: string,
  callable: Callable,
  kind: CompletionItemKind = CompletionItemKind.Function,
): Item {
  return {
    label: name,
    kind,
    detail: callable.label,
    documentation: { kind: MarkupKind.Markdown, value: describeCallable(callable) },
    insertTextFormat: InsertTextFormat.PlainText,
  };
}
