import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, type Tool } from "@toolweave/core";
import { cleanName } from "@toolweave/core/adapter";
import type { Question } from "./questions.ts";

const folder = join(import.meta.dirname, "../../../../../shared/toolsearch");

function read(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

/** The 199 tools of MetaTool that occur in its questions. */
export function metaTools(): readonly Tool[] {
  const descriptions = {
    ...(JSON.parse(read("plugin_des.json")) as Record<string, string>),
    ...(JSON.parse(read("big_tool_des.json")) as Record<string, string>),
  };
  return Object.entries(descriptions).map(([name, description]) =>
    defineTool({
      name: cleanName(name),
      description,
      input: { type: "object" },
      execute: () => undefined,
    }),
  );
}

/** Questions with one right tool. */
export function singleQuestions(): readonly Question[] {
  return csvRows(read("metatool.csv"))
    .slice(1)
    .map(([text = "", tool = ""]) => ({ text, tools: [cleanName(tool.trim())] }));
}

/** Questions with two. */
export function multiQuestions(): readonly Question[] {
  const questions = JSON.parse(read("metatool_multi.json")) as { query: string; tool: string[] }[];
  return questions.map(({ query, tool }) => ({ text: query, tools: tool.map(cleanName) }));
}

/** RFC 4180. */
function csvRows(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = "", end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ",") continue;
    if (row.length > 1) rows.push(row);
    row = [];
  }
  return rows;
}
