import type { Operation } from "../document/operation.ts";
import type { SchemaBudget } from "../model-schema/schema-budget.ts";
import { abridgeSummary, fitText } from "../model-schema/abridge-text.ts";

/**
 * What a model reads of an operation: its summary, and as much of its description as fits.
 *
 * @param visible what a text of the document looks like.
 */
export function toolDescription(
  operation: Pick<Operation, "name" | "method" | "path" | "deprecated" | "summary" | "description">,
  { verbatim, tool }: SchemaBudget,
  visible: (text: string) => string,
): string {
  const { name, method, path, deprecated } = operation;
  const summary = visible(operation.summary ?? "").trim();
  const description = visible(operation.description ?? "").trim();
  const both = verbatim
    ? withSummary(fitText(summary, tool), fitText(description, tool))
    : abridgeSummary(summary, description, name, tool);
  const about = both === "" ? `${method} ${fitText(visible(path), tool)}` : both;
  return deprecated ? `Deprecated. ${about}` : about;
}

function withSummary(summary: string, description: string): string {
  if (summary === "" || description.startsWith(summary)) return description;
  return description === "" ? summary : `${summary}\n\n${description}`;
}
