import type { Operation } from "../document/operation.ts";

/** Characters of a description that a model gets. */
const descriptionBudget = 1000;

/**
 * What a model reads of an operation: its summary, then whole paragraphs of its description as far as they fit; a mark
 * shows that something was left out.
 *
 * @param shown what a model reads of a text of the document.
 */
export function toolDescription(operation: Operation, shown: (text: string) => string): string {
  const { method, path, deprecated } = operation;
  const summary = shown(operation.summary ?? "").trim();
  const description = trimmed(shown(operation.description ?? "").trim());
  const both =
    summary === "" || description.startsWith(summary)
      ? description
      : description === ""
        ? summary
        : `${summary}\n\n${description}`;
  const about = both === "" ? `${method} ${shown(path)}` : both;
  return deprecated ? `Deprecated. ${about}` : about;
}

function trimmed(description: string): string {
  if (description.length <= descriptionBudget) return description;
  let kept = "";
  for (const paragraph of description.split(/\n[ \t]*\n\s*/)) {
    const next = kept === "" ? paragraph : `${kept}\n\n${paragraph}`;
    if (next.length > descriptionBudget) break;
    kept = next;
  }
  if (kept === "") kept = beginningOf(description).replace(/\s+\S*$/, "");
  return `${kept} […]`;
}

/** As much as may be shown; a character of two UTF-16 units is not cut in half. */
function beginningOf(description: string): string {
  return description.slice(0, descriptionBudget).replace(/[\ud800-\udbff]$/, "");
}
