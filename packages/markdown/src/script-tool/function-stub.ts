import type { JsonObject, ToolSpec } from "@toolweave/core";
import { isObject, resolveReference } from "@toolweave/core/adapter";
import { toLiteral } from "../builtins/stubs.ts";
import { isIdentifier, type ScriptFunction } from "./function-index.ts";
import { writeType } from "./type-text.ts";

const maxDocLength = 400;
const maxParameterDocLength = 100;
const maxParameterDocs = 12;
const inputBounds = { maxLength: 400, maxDepth: 4 };
const outputBounds = { maxLength: 1_200, maxDepth: 5 };

/**
 * The stub of a function: `def github.get_issue(owner: str, number: int, page: int = 1) -> {"title": str}`, with the
 * description of the tool and of its parameters. Descriptions and types are cut: they come from outside.
 */
export function writeStub({ tool, expression }: ScriptFunction, spec: ToolSpec): string {
  const { properties, required } = readParameters(spec.inputSchema);
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((name) => required.has(name)),
    ...names.filter((name) => !required.has(name)),
  ];
  const named = ordered.filter(isIdentifier);
  const others = ordered.filter((name) => !isIdentifier(name));
  const parameters = [
    ...named.map((name) => `${name}: ${parameter(spec, properties[name], required.has(name))}`),
    ...(others.length === 0
      ? []
      : [
          `**{${others.map((name) => `${JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${writeType(properties[name], inputBounds)}`).join(", ")}}`,
        ]),
  ];
  const signature =
    expression === undefined
      ? `call_tool(${JSON.stringify(tool)}, {${parameters.join(", ")}})`
      : `def ${expression}(${parameters.join(", ")})`;
  const docs = [
    oneLine(spec.description, maxDocLength),
    ...ordered.slice(0, maxParameterDocs).flatMap((name) => {
      const { description } = asObject(properties[name]);
      return typeof description === "string" && description.trim() !== ""
        ? [`${name}: ${oneLine(description, maxParameterDocLength)}`]
        : [];
    }),
  ].filter((line) => line !== "");
  const body = docs.length === 0 ? "" : `\n    """${docs.join("\n    ")}"""`;
  return `${signature} -> ${result(spec)}${body}`;
}

/** The result of a tool without an output schema is its structured value, if it has one, else its text. */
function result({ outputSchema }: ToolSpec): string {
  return outputSchema === undefined ? "Any" : writeType(outputSchema, outputBounds);
}

function parameter(spec: ToolSpec, schema: unknown, isRequired: boolean): string {
  // References lead into the whole schema.
  const type = writeType(withDefinitions(spec.inputSchema, schema), inputBounds);
  if (isRequired) return type;
  const { default: fallback } = asObject(schema);
  return fallback === undefined
    ? `${type} = None`
    : `${type} = ${toLiteral(fallback).slice(0, 80)}`;
}

function withDefinitions(root: JsonObject, schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { $defs, definitions } = root;
  return {
    ...schema,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function readParameters(schema: JsonObject): {
  readonly properties: JsonObject;
  readonly required: ReadonlySet<unknown>;
} {
  const target =
    schema["$ref"] === undefined ? schema : asObject(resolveReference(schema, schema["$ref"]));
  return {
    properties: asObject(target["properties"]),
    required: new Set(Array.isArray(target["required"]) ? target["required"] : []),
  };
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** A text of several lines could pass for another function. */
function oneLine(text: unknown, maxLength: number): string {
  if (typeof text !== "string") return "";
  const start = text.slice(0, 10 * maxLength);
  const line = start
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replaceAll('"""', "'''")
    .trim();
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
