import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { everySubschema } from "../schema/every-subschema.ts";
import { isObject } from "../schema/subschemas.ts";
import type { ReadText } from "./hidden-characters.ts";

const wording = ["title", "description", "$comment"];

/** What is written for a reader in a spec: its name and texts, the texts and names in its input. */
export function readTexts({ name, title, description, inputSchema }: ToolSpec): ReadText[] {
  const found: ReadText[] = [];
  const add = (path: string, text: unknown): void => {
    if (typeof text === "string") found.push({ path, text });
  };
  add("/name", name);
  add("/title", title);
  add("/description", description);
  if (!isObject(inputSchema)) return found;
  for (const { schema, path } of everySubschema(inputSchema)) {
    const at = `/inputSchema${path}`;
    for (const keyword of wording) add(`${at}/${keyword}`, schema[keyword]);
    const { properties } = schema;
    if (isObject(properties)) {
      for (const property of Object.keys(properties)) add(`${at}/properties`, property);
    }
  }
  return found;
}

/** Every text of what a model sees of a spec, keys and values alike. */
export function allTexts({ name, title, description, inputSchema }: ToolSpec): ReadText[] {
  const found: ReadText[] = [];
  const seen = new Set<object>();
  const visit = (value: JsonValue | undefined, path: string): void => {
    if (typeof value === "string") found.push({ path, text: value });
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [key, member] of Object.entries(value as JsonObject)) {
      found.push({ path, text: key });
      visit(member, `${path}/${key}`);
    }
  };
  visit(name, "/name");
  visit(title, "/title");
  visit(description, "/description");
  visit(inputSchema, "/inputSchema");
  return found;
}
