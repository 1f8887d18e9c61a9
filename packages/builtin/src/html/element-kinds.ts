import { cleanLabel } from "./page-links.ts";
import type { Attributes } from "./read-elements.ts";

/** Characters of a value that are read. */
const maxValue = 1_000;

/** Elements that begin on a line of their own. */
export const pageBlocks: ReadonlySet<string> = new Set([
  "address",
  "article",
  "aside",
  "body",
  "center",
  "details",
  "dialog",
  "div",
  "dl",
  "dt",
  "fieldset",
  "figcaption",
  "figure",
  "footer",
  "form",
  "header",
  "hgroup",
  "legend",
  "main",
  "nav",
  "optgroup",
  "option",
  "p",
  "search",
  "section",
  "select",
  "summary",
]);

/** Further elements that are lines of their own in code. */
const otherLines: ReadonlySet<string> = new Set([
  "blockquote",
  "dd",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "hr",
  "li",
  "listing",
  "ol",
  "pre",
  "table",
  "tr",
  "ul",
]);

/** Elements that are read in code as elsewhere. */
export const inCode: ReadonlySet<string> = new Set([
  "br",
  "img",
  "input",
  "math",
  "script",
  "sub",
  "sup",
  "svg",
  "title",
]);

/** Elements that are marked, with the mark before and after their text. */
export const marks: ReadonlyMap<string, string> = new Map([
  ["b", "**"],
  ["strong", "**"],
  ["i", "*"],
  ["em", "*"],
  ["cite", "*"],
  ["s", "~~"],
  ["del", "~~"],
  ["strike", "~~"],
]);

/** True for an element whose `style` makes it a block, and for a row of a table by its role. */
export function isBlockStyle({ role, style }: Attributes): boolean {
  if (role === "row") return true;
  return (
    style !== undefined &&
    /(?:^|[;\s])display\s?:\s?(?:block|flex|grid|list-item|table)/i.test(style)
  );
}

/** Whether `style` makes a new line in the text one of the page (CSS Text 3, section 3); undefined: it does not decide. */
export function readKeepsLines({ style = "" }: Attributes): boolean | undefined {
  const value = /(?:^|[;\s])white-space\s?:\s?([a-z-]+)/i.exec(style)?.[1]?.toLowerCase();
  if (value === undefined || value === "inherit") return undefined;
  return value === "break-spaces" || value.startsWith("pre");
}

/** True for a cell of a table by its role (WAI-ARIA 1.2, 5.3.3). */
export function isTableCell({ role }: Attributes): boolean {
  return role !== undefined && /^(?:cell|columnheader|gridcell|rowheader)$/.test(role);
}

/** True for an element that is a line of code, by its name, its style or a class such as `code-line`. */
export function isCodeLine(name: string, attributes: Attributes): boolean {
  if (pageBlocks.has(name) || otherLines.has(name) || isBlockStyle(attributes)) return true;
  return name !== "code" && /(?:^|[\s_-])line(?:\s|$)/i.test(attributes["class"] ?? "");
}

/** True for the number of a line of code, which is no part of the code. */
export function isLineNumber({ class: names = "" }: Attributes): boolean {
  return /(?:^|[\s_-]|code)(?:ln|linenos?|line-?numbers?|blob-num)(?:[\s_]|$)/i.test(names);
}

/** The language of code by a class such as `language-ts`. */
export function languageFrom({ class: names = "" }: Attributes): string {
  return /(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,30})/.exec(names)?.[1] ?? "";
}

/** The state of a checkbox, a radio button or an option that is selected; undefined: it has none. */
export function readState(name: string, attributes: Attributes): string | undefined {
  const { type = "", role = "", checked, selected, "aria-checked": ariaChecked } = attributes;
  if (name === "option") return selected === undefined ? undefined : "(x)";
  const kind = name === "input" ? type.trim().toLowerCase() : ariaChecked === undefined ? "" : role;
  const isSet = name === "input" ? checked !== undefined : ariaChecked === "true";
  if (/^(?:checkbox|switch|menuitemcheckbox)$/.test(kind)) return isSet ? "[x]" : "[ ]";
  if (/^(?:radio|menuitemradio)$/.test(kind)) return isSet ? "(x)" : "( )";
  return undefined;
}

/** The text of an `input` element, in brackets if it is a value; undefined: it has none. */
export function readInput({ type = "text", value = "", alt = "" }: Attributes): string | undefined {
  const kind = type.trim().toLowerCase();
  if (/^(?:hidden|password|file|color|range)$/.test(kind)) return undefined;
  const text = cleanLabel(kind === "image" ? alt : value.slice(0, maxValue));
  if (text === "") return undefined;
  return /^(?:button|submit|reset|image)$/.test(kind) ? text : `[${text}]`;
}

/** An action that happens the first time only. */
export function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}
