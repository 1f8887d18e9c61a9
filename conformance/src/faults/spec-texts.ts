import type { JsonObject, JsonValue, ToolSpec } from "@toolweave/core";
import { collectSubschemas, isObject } from "../schema/subschemas.ts";
import type { SpecText } from "./hidden-characters.ts";

const textKeywords = ["title", "description", "$comment"];

/**
 * The texts of a spec that are written for a reader: its name and texts, and the names and texts of
 * its input schema.
 */
export function getWrittenTexts({ name, title, description, inputSchema }: ToolSpec): SpecText[] {
  const found: SpecText[] = [];
  const add = (path: string, text: unknown): void => {
    if (typeof text === "string") found.push({ path, text });
  };
  add("/name", name);
  add("/title", title);
  add("/description", description);
  if (!isObject(inputSchema)) return found;
  for (const { schema, path } of collectSubschemas(inputSchema)) {
    const at = `/inputSchema${path}`;
    for (const keyword of textKeywords) add(`${at}/${keyword}`, schema[keyword]);
    const { properties } = schema;
    if (isObject(properties)) {
      for (const property of Object.keys(properties)) add(`${at}/properties`, property);
    }
  }
  return found;
}

/** All texts of the part of a spec that a model receives, keys and values alike. */
export function getAllTexts({ name, title, description, inputSchema }: ToolSpec): SpecText[] {
  const found: SpecText[] = [];
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
