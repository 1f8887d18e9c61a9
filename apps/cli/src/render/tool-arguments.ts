import { styleText } from "node:util";
import type { JsonSchema, JsonValue } from "@toolweave/core";
import { SchemaView } from "../input/schema-view.ts";
import type { TerminalOutput } from "../process/cli-io.ts";
import { safeLine, safeValue } from "./safe-text.ts";

const maxValues = 8;

/** Lists the arguments of one tool, one a line: name, type, whether it is required, what it is. */
export function* renderArguments(schema: JsonSchema, stream: TerminalOutput): Generator<string> {
  const view = new SchemaView(schema);
  const names = view.propertyNames;
  if (names.length === 0) {
    yield "The tool takes no arguments.";
    return;
  }
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
  const rows = names.map((name) => ({
    name: safeValue(name),
    type: typeLabel(view.property(name), schema, name),
    need: required.has(name) ? "required" : "",
    about: safeLine(getDescription(schema, name)),
  }));
  const width = (column: "name" | "type"): number =>
    Math.min(40, Math.max(...rows.map((row) => row[column].length)));
  yield "Arguments:";
  for (const { name, type, need, about } of rows) {
    const left = `  ${styleText("bold", name.padEnd(width("name")), { stream })}  ${type.padEnd(width("type"))}`;
    yield `${left}  ${need.padEnd(8)}  ${about}`.trimEnd();
  }
}

function typeLabel(view: SchemaView | undefined, schema: JsonSchema, name: string): string {
  const values = view?.values ?? [];
  if (values.length > 0) {
    const listed = values.slice(0, maxValues).map((value) => safeValue(formatPlain(value)));
    return listed.join("|") + (values.length > listed.length ? "|…" : "");
  }
  const declared = getProperty(schema, name)["type"];
  if (typeof declared === "string") return safeValue(declared);
  return view?.types === undefined ? "any" : [...view.types].join("|");
}

function formatPlain(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function getDescription(schema: JsonSchema, name: string): string {
  const { description } = getProperty(schema, name);
  const [first = ""] = typeof description === "string" ? description.trim().split("\n", 1) : [];
  return first;
}

function getProperty({ properties }: JsonSchema, name: string): JsonSchema {
  const property = (properties as JsonSchema | undefined)?.[name];
  return typeof property === "object" && property !== null && !Array.isArray(property)
    ? (property as JsonSchema)
    : {};
}
