import { displayText } from "@toolweave/core";

/** Text that is HTML already. Only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * HTML of a template. Whatever is put into it is text, unless it was made by `html` itself; characters
 * that nobody would see are spelt out.
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
