import { MarkupKind } from "vscode-languageserver-protocol";
import type { Hover } from "vscode-languageserver-protocol";
import { languageConstants } from "../../builtins/language-modules.ts";
import type { JsonObject } from "@toolweave/core";
import type { SyntaxNode } from "@toolweave/starlark";
import { readText } from "../../check/script-view.ts";
import type { LanguageDocument } from "../document.ts";
import { keyDoc, typeAt, typeText } from "../front-matter/keys.ts";
import { keyPathAt } from "../front-matter/key-context.ts";
import type { Callable } from "../language/callable.ts";
import type { ScriptModel } from "../language/script-model.ts";
import type { ScriptRegion } from "../language/script-region.ts";
import type { Variable } from "../language/scopes.ts";
import {
  calledFunction,
  readProperties,
  inferSchema,
  testModule,
  getType,
} from "../language/types.ts";

/** The signature and the documentation of what is at an offset. */
export function findHover(document: LanguageDocument, offset: number): Hover | undefined {
  const region = document.regionAt(offset);
  return region === undefined
    ? hoverKey(document, offset)
    : hoverScript(document, region, region.toScript(offset));
}

/** A signature as code, and a text below it. */
function toMarkdown(code: string, doc: string): string {
  return [`\`\`\`python\n${code}\n\`\`\``, doc].filter((part) => part !== "").join("\n\n");
}

/** The documentation of a function. */
export function describeCallable({ doc, label }: Callable): string {
  return toMarkdown(`def ${label}`, doc);
}

/** The type and the meaning of a parameter of a tool, or of a member of a payload. */
export function describeProperty(name: string, schema: JsonObject): string {
  const description = schema["description"];
  const fallback = schema["default"];
  return toMarkdown(
    `${name}: ${typeText(schema)}${fallback === undefined ? "" : ` = ${JSON.stringify(fallback)}`}`,
    typeof description === "string" ? description : "",
  );
}

/** A variable with its type, as far as the text shows it. */
export function describeVariable(model: ScriptModel, variable: Variable): string {
  const callable = calledFunction(model, variable.node);
  if (callable !== undefined) return describeCallable(callable);
  const type = getType(model, variable.node);
  const kind = variable.by === "parameter" ? "(parameter)" : "(variable)";
  const code = `${kind} ${variable.name}${type === "unknown" ? "" : `: ${type}`}`;
  const isArguments = variable.by === "parameter" && variable.owner === model.entry;
  const properties = isArguments
    ? Object.entries(readProperties(inferSchema(model, variable.node)))
    : [];
  const list = properties.map(([name, schema]) => {
    const { description } = schema;
    return `- \`${name}\`: ${typeText(schema)}${typeof description === "string" ? `. ${description}` : ""}`;
  });
  return toMarkdown(code, list.join("\n"));
}

/** The members of a module. */
export function describeModule(model: ScriptModel, name: string): string | undefined {
  const members = model.modules.get(name);
  if (name === "" || members === undefined) return undefined;
  const names = [...Object.keys(languageConstants[name] ?? {}), ...members.keys()];
  return toMarkdown(`(module) ${name}`, names.map((each) => `\`${name}.${each}\``).join(", "));
}

function hoverScript(
  document: LanguageDocument,
  region: ScriptRegion,
  offset: number,
): Hover | undefined {
  const model = document.getModel(region);
  const nodes = model.nodesAt(offset);
  const toHover = (text: string | undefined, start: number, end: number): Hover | undefined =>
    text === undefined || text === ""
      ? undefined
      : {
          contents: { kind: MarkupKind.Markdown, value: text },
          range: document.scriptRange(region, start, end),
        };
  const literal = nodes.at(-1);
  if (literal?.kind === "literal") {
    const property = propertyAt(model, nodes);
    return property === undefined ? undefined : toHover(property, literal.start, literal.end);
  }
  const named = nodes.findLast(({ kind }) => kind === "named");
  if (named?.kind === "named" && offset <= named.start + (named.name ?? "").length) {
    const call = nodes.findLast(({ kind }) => kind === "call");
    const callable = call?.kind === "call" ? calledFunction(model, call.callee) : undefined;
    const parameter = callable?.parameters.find(({ name }) => name === named.name);
    if (parameter === undefined) return undefined;
    const text = toMarkdown(`(parameter) ${parameter.label}`, parameter.doc ?? "");
    return toHover(text, named.start, named.start + parameter.name.length);
  }
  const node = model.wordAt(offset);
  if (node === undefined || node.name === "") return undefined;
  const start = node.kind === "dot" ? node.end - node.name.length : node.start;
  return toHover(describeNode(model, node), start, node.end);
}

function describeNode(model: ScriptModel, node: SyntaxNode): string | undefined {
  const callable = calledFunction(model, node);
  if (callable !== undefined) return describeCallable(callable);
  if (node.kind === "dot") {
    if (node.object.kind !== "name" || model.variable(node.object) !== undefined) return undefined;
    const doc = languageConstants[node.object.name]?.[node.name];
    return doc === undefined
      ? undefined
      : toMarkdown(`${node.object.name}.${node.name}: float`, doc);
  }
  if (node.kind !== "name") return undefined;
  const variable = model.variable(node);
  if (variable === undefined) {
    if (model.options.names?.includes(node.name) === true)
      return toMarkdown(`(variable) ${node.name}: ${getType(model, node)}`, "Given by the host.");
    return describeModule(model, node.name);
  }
  if (testModule(model, node) !== undefined)
    return toMarkdown(`(parameter) ${variable.name}`, "The checks, mocks and calls of a test.");
  return describeVariable(model, variable);
}

/** The key of `args["name"]` or `args.get("name")`. */
function propertyAt(model: ScriptModel, nodes: readonly SyntaxNode[]): string | undefined {
  const literal = nodes.at(-1);
  const name = readText(literal);
  if (name === undefined) return undefined;
  const parent = nodes.findLast((node) => node.kind === "index" || node.kind === "call");
  const schema =
    parent?.kind === "index"
      ? inferSchema(model, parent.object)
      : parent?.kind === "call" && parent.callee.kind === "dot"
        ? inferSchema(model, parent.callee.object)
        : undefined;
  const properties = readProperties(schema);
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return property === undefined ? undefined : describeProperty(name, property);
}

function hoverKey(document: LanguageDocument, offset: number): Hover | undefined {
  const { kind, outline, text } = document;
  if (kind === undefined || kind === "star") return undefined;
  const found = keyPathAt(text, outline, offset);
  if (found === undefined) return undefined;
  const { path, range } = found;
  const [doc, type] = [keyDoc(kind, path), typeAt(kind, path)];
  if (doc === "" && type === "") return undefined;
  const name = String(path.at(-1));
  return {
    contents: {
      kind: MarkupKind.Markdown,
      value: toMarkdown(type === "" ? name : `${name}: ${type}`, doc),
    },
    range: document.range(...range),
  };
}
