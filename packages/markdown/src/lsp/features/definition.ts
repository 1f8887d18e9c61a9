import { pathToFileURL } from "node:url";
import type { Location } from "vscode-languageserver-protocol";
import { readText } from "../../check/script-view.ts";
import type { LanguageDocument } from "../document.ts";
import { entryAt } from "../front-matter/key-context.ts";
import type { ScriptModel } from "../language/script-model.ts";
import type { Variable } from "../language/scopes.ts";
import { readProperties, inferSchema } from "../language/types.ts";
import { targetAt } from "./target.ts";

/** The place where a name, a loaded file, a fence, the file of a script or a parameter is defined. */
export function findDefinition(document: LanguageDocument, offset: number): Location | undefined {
  const region = document.regionAt(offset);
  if (region === undefined) return fromFrontMatter(document, offset);
  const target = targetAt(document, offset);
  const model = document.getModel(region);
  if (target?.variable !== undefined) return toLocation(document, target.variable);
  const nodes = model.nodesAt(region.toScript(offset));
  const load = nodes.findLast(({ kind }) => kind === "load");
  if (load?.kind === "load") {
    const loaded = document.loaded(readText(load.module) ?? "");
    if (loaded === undefined) return undefined;
    const named = load.names.find(({ from }) => nodes.includes(from));
    const variable =
      named === undefined
        ? undefined
        : loaded.mainModel?.scopes.root.variables.get(named.from.name);
    return variable === undefined ? getStart(loaded) : toLocation(loaded, variable);
  }
  const literal = nodes.at(-1);
  const parent = nodes.at(-2);
  if (literal?.kind === "literal" && parent?.kind === "index")
    return toParameter(document, model, parent.object, readText(literal) ?? "");
  return undefined;
}

function toLocation(document: LanguageDocument, variable: Variable): Location | undefined {
  if (variable.load !== undefined) {
    const loaded = document.loaded(readText(variable.load.statement.module) ?? "");
    const other = loaded?.mainModel?.scopes.root.variables.get(variable.load.from.name);
    if (loaded !== undefined && other !== undefined) return toLocation(loaded, other);
  }
  const region = document.regions.find(
    (each) => document.getModel(each).scopes.findVariable(variable.node) === variable,
  );
  return region === undefined
    ? undefined
    : {
        uri: document.source.uri,
        range: document.scriptRange(region, variable.node.start, variable.node.end),
      };
}

function getStart(document: LanguageDocument): Location {
  return { uri: document.source.uri, range: document.range(0, 0) };
}

/** The declaration of a parameter: of the markdown file itself, or of the one whose script the program is. */
function toParameter(
  document: LanguageDocument,
  model: ScriptModel,
  object: Parameters<typeof inferSchema>[1],
  name: string,
): Location | undefined {
  const schema = inferSchema(model, object);
  if (!Object.hasOwn(readProperties(schema), name) || schema !== model.options.inputSchema)
    return undefined;
  const owner = document.kind === "star" ? document.owner : document;
  const above = document.kind === "star" ? [] : (model.options.owner ?? []);
  const entry = owner?.outline.entries.find(
    ({ path }) =>
      path.at(-1) === name &&
      (path.at(-2) === "parameters" || path.at(-2) === "properties") &&
      above.every((key, index) => path[index] === key),
  );
  return owner === undefined || entry === undefined
    ? undefined
    : { uri: owner.source.uri, range: owner.range(...entry.keyRange) };
}

function fromFrontMatter(document: LanguageDocument, offset: number): Location | undefined {
  const entry = entryAt(document.outline, offset);
  if (entry === undefined) return undefined;
  const value = document.text.slice(...entry.valueRange).replace(/^(["'])(.*)\1$/, "$2");
  if (entry.key === "script" && value.startsWith("#")) {
    const fence = document.fence(value.slice(1));
    if (fence === undefined) return undefined;
    const start = document.offsetAt({ line: fence.line - 1, character: fence.column - 1 });
    return { uri: document.source.uri, range: document.range(start, start) };
  }
  if (entry.key !== "script_file") return undefined;
  const path = document.context.files.resolveInside(document.folder, value);
  const zero = { line: 0, character: 0 };
  return path === undefined
    ? undefined
    : {
        uri: document.context.documentAt(path)?.source.uri ?? pathToFileURL(path).href,
        range: { start: zero, end: zero },
      };
}
