import { displayText } from "@toolweave/core";

/** Text that is already HTML. Only `html` creates it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * HTML of a template. Every inserted value is text, unless it was created by `html` itself;
 * invisible characters are escaped.
 */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  let text = parts[0] ?? "";
  for (const [index, value] of values.entries()) text += asHtml(value) + (parts[index + 1] ?? "");
  return new Html(text);
}

function asHtml(value: string | Html | readonly Html[]): string {
  if (typeof value === "string") return escape(displayText(value));
  return value instanceof Html ? value.text : value.map(({ text }) => text).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
