import type { PolicyEffect, RegistryProblem, Tool, ToolAnnotations } from "@toolweave/core";
import type { RegisteredTool } from "@toolweave/core/adapter";
import { fitCell, fitColumns, type Column } from "./columns.ts";
import { useOptionNames } from "./describe-error.ts";
import { formatJson } from "./json.ts";
import { formatCount, safeLine, safeValue, safeJson } from "./text.ts";
import type { Output } from "../process/output.ts";

interface Row {
  readonly name: string;
  readonly place: string;
  readonly hints: string;
  readonly summary: string;
}

/** The place where a list is displayed. */
type Screen = Pick<Output, "columns" | "style">;

/**
 * Lists tools, one a line: name, method and path, what a call does, summary.
 *
 * @param decisions the policy's decision about each tool, by name.
 */
export function* renderTools(
  entries: readonly RegisteredTool[],
  decisions: ReadonlyMap<string, PolicyEffect>,
  { columns: total, style }: Screen,
  tokens?: Readonly<Record<string, number>>,
): Generator<string> {
  const rows = entries.map((entry) => toRow(entry, decisions.get(entry.tool.spec.name)));
  const hasTokens = tokens !== undefined;
  const counts = entries.map(({ tool }) => String(tokens?.[tool.spec.name] ?? ""));
  const countWidth = Math.max(0, ...counts.map(({ length }) => length));
  const isFitted = total !== undefined;
  // A single long name must not push all summaries off the screen.
  const columns: readonly Column[] = [
    { cells: rows.map(({ name }) => name), maxWidth: 40, minWidth: 40 },
    { cells: hasTokens ? counts : [], maxWidth: countWidth, minWidth: countWidth },
    { cells: rows.map(({ place }) => place), maxWidth: 44, minWidth: 12 },
    { cells: rows.map(({ hints }) => hints), maxWidth: Infinity, minWidth: 10 },
    { cells: rows.map(({ summary }) => summary), maxWidth: Infinity, minWidth: 12 },
  ];
  const [nameWidth = 0, , placeWidth = 0, hintsWidth = 0, summaryWidth = 0] = fitColumns(
    columns,
    total,
  );
  for (const [index, { name, place, hints, summary }] of rows.entries()) {
    yield [
      // A name is what a call needs: it is never clipped.
      style("bold", name.padEnd(nameWidth)),
      ...(hasTokens ? [counts[index]?.padStart(countWidth) ?? ""] : []),
      isFitted ? fitCell(place, placeWidth) : place.padEnd(placeWidth),
      style(hints.includes("destructive") ? "red" : "dim", fitCell(hints, hintsWidth)),
      isFitted ? fitCell(summary, summaryWidth) : summary,
    ]
      .join("  ")
      .trimEnd();
  }
}

/**
 * Lists what could not become a tool, or only with a restriction, one a line. Two sources that use the same names have
 * one line together.
 *
 * @param howToPrefix says how the tools of a source get names of their own.
 */
export function* renderProblems(
  problems: readonly RegistryProblem[],
  howToPrefix: (source: string) => string,
  { style }: Screen,
): Generator<string> {
  for (const collision of describeCollisions(problems, howToPrefix)) {
    yield `${style("red", "error")}  ${collision}`;
  }
  for (const { subject, message, pointer, severity, nameTakenBy } of problems) {
    if (nameTakenBy !== undefined) continue;
    const kind = severity === "warning" ? style("yellow", "warning") : style("red", "error");
    const where = pointer === undefined || pointer === "" ? "" : ` (${safeValue(pointer)})`;
    yield `${kind}  ${safeValue(subject)}: ${safeLine(useOptionNames(message))}${where}`;
  }
}

const maxListedNames = 3;

/** A line for each source whose tools are left out, since another source has the same names. */
export function describeCollisions(
  problems: readonly RegistryProblem[],
  howToPrefix: (source: string) => string,
): readonly string[] {
  const groups = new Map<string, RegistryProblem[]>();
  for (const problem of problems) {
    if (problem.nameTakenBy === undefined) continue;
    const key = JSON.stringify([problem.source, problem.nameTakenBy]);
    groups.set(key, [...(groups.get(key) ?? []), problem]);
  }
  return Array.from(groups.values(), (group) => {
    const { source, nameTakenBy } = group[0] as RegistryProblem;
    const names = group.slice(0, maxListedNames).map(({ subject }) => safeValue(subject));
    if (group.length > names.length) names.push(`${group.length - names.length} more`);
    const amount = formatCount(group.length, "tool is", "tools are");
    const owner = source === nameTakenBy ? "another tool" : safeValue(nameTakenBy ?? "");
    return `${safeValue(source)}: ${amount} left out, since ${owner} has the same name: ${names.join(", ")}. ${safeLine(howToPrefix(source))}`;
  });
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
    // What matters most comes first: a narrow terminal cuts off the end.
    ...(decision === "ask" ? ["asks first"] : []),
    ...(decision === "deny" ? ["denied"] : []),
    ...(reads ? ["read-only"] : []),
    ...(!reads && destructiveHint === true ? ["destructive"] : []),
    ...(!reads && idempotentHint === true ? ["idempotent"] : []),
  ];
}

/** @internal The fields of `inspect --json` beside the tools. */
interface InspectFindings {
  readonly problems: readonly RegistryProblem[];
  readonly decisions: ReadonlyMap<string, PolicyEffect>;
  readonly warnings: readonly string[];
  readonly tokens?: object;
}

/** @internal Tools and findings as one JSON object; a tool that cannot be written becomes a problem. */
export async function writeToolsJson(
  entries: readonly RegisteredTool[],
  { problems, decisions, warnings, tokens }: InspectFindings,
  output: Pick<Output, "write" | "isTerminal" | "style">,
): Promise<void> {
  const found = [...problems];
  const specs: Tool["spec"][] = [];
  // Tool by tool: all of a large document at once would be one string of many megabytes.
  if (!output.isTerminal) await output.write('{"tools":[');
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
    specs.push(tool.spec);
    if (!output.isTerminal) await output.write(separator + json);
    separator = ",\n";
  }
  const rest = {
    problems: found,
    decisions: Object.fromEntries(decisions),
    warnings,
    ...(tokens === undefined ? {} : { tokens }),
  };
  if (output.isTerminal) await output.write(formatJson({ tools: specs, ...rest }, output));
  else await output.write(`\n],${safeJson(JSON.stringify(rest)).slice(1)}\n`);
}
