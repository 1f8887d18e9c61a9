import type { Tool } from "../contract/tool.ts";
import { formatValue } from "../text/format-value.ts";
import type { ToolSource } from "./tool-source.ts";

/** True for a source of tools. */
export function isSource(input: unknown): input is ToolSource {
  return typeof (input as Partial<ToolSource> | undefined)?.tools === "function";
}

/** True for a tool. */
export function isTool(input: unknown): input is Tool {
  return typeof (input as Partial<Tool> | undefined)?.spec === "object";
}

/** Names the value that was passed in place of a tool, and how it becomes one. */
export function noToolHint(input: unknown): string {
  if (typeof input === "string") {
    return `: ${formatValue(input)} is text. openApiSource("…") of @toolweave/openapi makes the operations of a document tools`;
  }
  if (typeof input === "function") return ": a function is no tool. Make it one with defineTool";
  if (typeof input !== "object" || input === null) return `: this is ${formatValue(input)}`;
  const members = Object.entries(input);
  if (members.length > 0 && members.every(([, member]) => isTool(member) || isSource(member))) {
    return ": this is an object of tools. Use Object.values(tools)";
  }
  return `: this is an object with the members ${formatValue(members.map(([name]) => name))}. defineTool makes a tool`;
}

/** `Array.isArray`, which does not narrow readonly arrays. */
export function isList<Item>(input: Item | readonly Item[]): input is readonly Item[] {
  return Array.isArray(input);
}
