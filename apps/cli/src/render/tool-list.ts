import { styleText } from "node:util";
import type { PolicyEffect, RegistryProblem, ToolAnnotations } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import type { TerminalOutput } from "../process/cli-io.ts";
import { useOptionNames } from "./describe-error.ts";
import { safeLine, safeValue, safeJson } from "./text.ts";
import type { Output } from "../process/output.ts";

interface Row {
  readonly name: string;
  readonly place: string;
  readonly hints: string;
  readonly summary: string;
}

// A single long name must not push all summaries off the screen.
const maxWidths = { name: 40, place: 44 };

/**
 * Lists tools, one a line: name, method and path, what a call does, summary.
 *
 * @param decisions the policy's decision about each tool, by name.
 */
export function* renderTools(
  entries: readonly RegisteredTool[],
  decisions: ReadonlyMap<string, PolicyEffect>,
  stream: TerminalOutput,
): Generator<string> {
  const rows = entries.map((entry) => toRow(entry, decisions.get(entry.tool.spec.name)));
  const columnWidth = (column: "name" | "place" | "hints", max: number): number =>
    Math.min(max, Math.max(0, ...rows.map((row) => row[column].length)));
  const nameWidth = columnWidth("name", maxWidths.name);
  const placeWidth = columnWidth("place", maxWidths.place);
  const hintsWidth = columnWidth("hints", Infinity);
  for (const { name, place, hints, summary } of rows) {
    const left = [
      name.padEnd(nameWidth),
      place.padEnd(placeWidth),
      hints.padEnd(hintsWidth),
    ] as const;
    const used = left.join("  ").length + 2;
    const clippedSummary =
      stream.isTTY === true ? clip(summary, (stream.columns ?? 0) - used) : summary;
    yield [
      styleText("bold", left[0], { stream }),
      left[1],
      styleText(hints.includes("destructive") ? "red" : "dim", left[2], { stream }),
      clippedSummary,
    ]
      .join("  ")
      .trimEnd();
  }
}

/** Lists what could not become a tool, or only with a restriction, one a line. */
export function* renderProblems(
  problems: readonly RegistryProblem[],
  stream: TerminalOutput,
): Generator<string> {
  for (const { subject, message, pointer, severity } of problems) {
    const kind =
      severity === "warning"
        ? styleText("yellow", "warning", { stream })
        : styleText("red", "error", { stream });
    const where = pointer === undefined || pointer === "" ? "" : ` (${safeValue(pointer)})`;
    yield `${kind}  ${safeValue(subject)}: ${safeLine(useOptionNames(message))}${where}`;
  }
}

function toRow({ tool: { spec } }: RegisteredTool, decision: PolicyEffect | undefined): Row {
  const { name, title, description, annotations, provenance } = spec;
  const { method, path } = provenance.origin ?? {};
  const place =
    typeof method === "string" && typeof path === "string"
      ? `${safeValue(method).padEnd(6)} ${safeValue(path)}`
      : safeValue(provenance.adapter);
  // The first sentence-like line of a description stands for a title.
  const [firstLine = ""] = description.trimStart().split("\n", 1);
  return {
    name,
    place,
    hints: getHints(annotations, decision).join(", "),
    summary: safeLine(title ?? firstLine),
  };
}

function getHints(
  { readOnlyHint, destructiveHint, idempotentHint }: ToolAnnotations,
  decision: PolicyEffect | undefined,
): string[] {
  const reads = readOnlyHint === true;
  return [
    ...(reads ? ["read-only"] : []),
    ...(!reads && destructiveHint !== false ? ["destructive"] : []),
    ...(!reads && idempotentHint === true ? ["idempotent"] : []),
    ...(decision === "ask" ? ["asks first"] : []),
    ...(decision === "deny" ? ["denied"] : []),
  ];
}

/** Truncates a summary. In a very narrow terminal a summary that breaks the line is better than none. */
function clip(text: string, width: number): string {
  if (text.length <= width || width < 20) return text;
  return `${text.slice(0, width - 1).trimEnd()}…`;
}

/** @internal The fields of `inspect --json` beside the tools. */
interface InspectFindings {
  readonly problems: readonly RegistryProblem[];
  readonly decisions: ReadonlyMap<string, PolicyEffect>;
  readonly warnings: readonly string[];
}

/** @internal Tools and findings as one JSON object; a tool that cannot be written becomes a problem. */
export async function writeToolsJson(
  entries: readonly RegisteredTool[],
  { problems, decisions, warnings }: InspectFindings,
  output: Pick<Output, "write">,
): Promise<void> {
  const found = [...problems];
  // Tool by tool: all of a large document at once would be one string of many megabytes.
  await output.write('{"tools":[');
  let separator = "\n";
  for (const { tool, source } of entries) {
    let json: string;
    try {
      json = safeJson(JSON.stringify(tool.spec));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `The tool cannot be serialized as JSON: ${reason}.`;
      found.push({ source, subject: tool.spec.name, message });
      continue;
    }
    await output.write(separator + json);
    separator = ",\n";
  }
  const rest = { problems: found, decisions: Object.fromEntries(decisions), warnings };
  await output.write(`\n],${safeJson(JSON.stringify(rest)).slice(1)}\n`);
}
