import { isToolName } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";
import type { OfferOptions } from "./mcp-options.ts";

/** What cannot be meant by the options that say what of a server is offered; `undefined`: they are fine. */
export function findSelectionFault({
  include,
  exclude,
  rename = {},
  resources,
  prompts,
}: OfferOptions): string | undefined {
  for (const [option, globs] of Object.entries({ include, exclude })) {
    if (globs !== undefined && !isNames(globs)) {
      return `${option} takes a list of names and globs: ["read_*"]`;
    }
  }
  for (const [option, given] of Object.entries({ resources, prompts })) {
    if (given !== undefined && typeof given !== "boolean") return `${option} takes true or false`;
  }
  if (!isObject(rename)) return 'rename takes an object: { "get-sum": "add" }';
  const given = new Set<unknown>();
  for (const [own, name] of Object.entries(rename)) {
    const where = `rename[${JSON.stringify(own)}]`;
    if (!isToolName(name)) {
      return `${where}: "${name}" cannot be a tool's name: use letters, digits, _ and -, with a letter or _ first, 64 at most`;
    }
    if (given.has(name)) return `${where}: another tool is called ${name}, too`;
    given.add(name);
  }
  return undefined;
}

function isNames(globs: unknown): boolean {
  return Array.isArray(globs) && globs.every((glob) => typeof glob === "string");
}
