import type { Operation } from "../document/operation.ts";
import type { ShownBudget } from "../model-schema/schema-budget.ts";
import { shownSummary, wholeText } from "../model-schema/abridge-text.ts";

/**
 * What a model reads of an operation: its summary, and as much of its description as fits.
 *
 * @param visible what a text of the document looks like.
 */
export function toolDescription(
  operation: Pick<Operation, "name" | "method" | "path" | "deprecated" | "summary" | "description">,
  { verbatim, tool }: ShownBudget,
  visible: (text: string) => string,
): string {
  const { name, method, path, deprecated } = operation;
  const summary = visible(operation.summary ?? "").trim();
  const description = visible(operation.description ?? "").trim();
  const both = verbatim
    ? withSummary(wholeText(summary, tool), wholeText(description, tool))
    : shownSummary(summary, description, name, tool);
  const about = both === "" ? `${method} ${wholeText(visible(path), tool)}` : both;
  return deprecated ? `Deprecated. ${about}` : about;
}

function withSummary(summary: string, description: string): string {
  if (summary === "" || description.startsWith(summary)) return description;
  return description === "" ? summary : `${summary}\n\n${description}`;
}
