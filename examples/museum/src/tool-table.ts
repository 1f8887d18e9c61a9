import type { ToolAnnotations, ToolSpec } from "@toolweave/core";

import { shorten } from "./terminal.ts";
import type { Terminal } from "./terminal.ts";

/** Prints one line per tool: name, origin, summary, annotations. */
export function printTools(terminal: Terminal, specs: readonly ToolSpec[]): void {
  const rows = specs.map((spec) => ({
    name: spec.name,
    operation: describeOperation(spec),
    summary: shorten(spec.title ?? spec.description, 60),
    hints: listHints(spec.annotations).join(", "),
  }));
  const width = (key: "name" | "operation"): number =>
    Math.max(0, ...rows.map((row) => row[key].length));
  const [names, operations] = [width("name"), width("operation")];
  for (const { name, operation, summary, hints } of rows) {
    const columns = [
      terminal.paint("cyan", name.padEnd(names)),
      operation.padEnd(operations),
      summary,
      hints === "" ? "" : terminal.paint("dim", `(${hints})`),
    ];
    terminal.line(`  ${columns.join("  ").trimEnd()}`);
  }
}

/** `DELETE /events/{eventId}`, `MCP server files`, or `agent`. */
function describeOperation({ provenance: { adapter, source, origin = {} } }: ToolSpec): string {
  if (adapter === "mcp") return `MCP server ${source ?? ""}`;
  if (adapter === "subagent") return "agent";
  const { method, path } = origin;
  return [method, path].filter((part) => typeof part === "string").join(" ");
}

function listHints(annotations: ToolAnnotations): string[] {
  if (annotations.readOnlyHint === true) return ["read-only"];
  return [
    ...(annotations.destructiveHint === true ? ["destructive"] : []),
    ...(annotations.idempotentHint === true ? ["idempotent"] : []),
  ];
}
