import type { JsonValue } from "@toolweave/core";
import { isExactNumber } from "@toolweave/core/adapter";
import {
  arrayNode,
  ExactNumber,
  literalNode,
  numberNode,
  objectNode,
  textNode,
  type ExactJson,
  type FormNode,
  type JsonLayout,
} from "./node.ts";

/**
 * Writes a node as JSON in one line, as it is sent. Numbers have the digits that were typed. The node must not have a
 * draft: a draft is written as it is.
 */
export function compactJson(node: FormNode): string {
  switch (node.kind) {
    case "text":
      return JSON.stringify(node.text);
    case "number":
      return node.text.trim();
    case "literal":
      return String(node.value);
    case "draft":
      return node.text;
    case "array":
      return `[${node.items.map(compactJson).join(",")}]`;
    case "object": {
      const members = [...node.members].map(
        ([name, member]) => `${JSON.stringify(name)}:${compactJson(member)}`,
      );
      return `{${members.join(",")}}`;
    }
  }
}

/**
 * The text of the JSON view: what was typed there; after an edit in a field, the same text with another value in this
 * place. What was never typed as JSON is indented by two spaces. Drafts are written as they are.
 */
export function jsonText(node: FormNode): string {
  if (node.kind === "draft" && node.as === "json") return node.text;
  return node.source ?? written(node, "");
}

function written(node: FormNode, margin: string): string {
  switch (node.kind) {
    case "text":
      return node.quoted ?? JSON.stringify(node.text);
    case "array":
      return list("[]", node.items, node.layout, margin, (item, inner) => written(item, inner));
    case "object":
      return list("{}", [...node.members], node.layout, margin, ([name, member], inner, colon) => {
        return JSON.stringify(name) + colon + written(member, inner);
      });
    default:
      return compactJson(node);
  }
}

function list<T>(
  brackets: "[]" | "{}",
  parts: readonly T[],
  layout: JsonLayout | undefined,
  margin: string,
  write: (part: T, margin: string, colon: string) => string,
): string {
  if (parts.length === 0) return brackets;
  const usual = `\n${margin}  `;
  let text = brackets.slice(0, 1);
  for (const [index, part] of parts.entries()) {
    const before = layout?.before[index] ?? layout?.before.at(-1) ?? usual;
    const colon = layout?.colon[index] ?? layout?.colon.at(-1) ?? ": ";
    const isLast = index === parts.length - 1;
    const after = isLast ? (layout?.after.at(-1) ?? `\n${margin}`) : afterPart(layout, index);
    text += before + write(part, marginAfter(before, margin), colon) + after;
    text += isLast ? brackets[1] : ",";
  }
  return text;
}

/** The white space before a comma; that of the last part is before the end, and is not used for a comma. */
function afterPart(layout: JsonLayout | undefined, index: number): string {
  if (layout === undefined || index >= layout.after.length - 1) return "";
  return layout.after[index] ?? "";
}

/** The indentation of a line, in which a part begins. */
function marginAfter(before: string, margin: string): string {
  const lineEnd = before.lastIndexOf("\n");
  return lineEnd === -1 ? margin : before.slice(lineEnd + 1);
}

/** Makes a node of a value. In a `JsonValue`, integers beyond 2^53 have lost digits already: parse their text instead. */
export function fromValue(value: ExactJson): FormNode {
  if (value instanceof ExactNumber) return numberNode(value.digits);
  if (typeof value === "string") return textNode(value);
  if (typeof value === "number") return numberNode(JSON.stringify(value));
  if (value === null || typeof value === "boolean") return literalNode(value);
  if (Array.isArray(value)) return arrayNode((value as readonly ExactJson[]).map(fromValue));
  return objectNode(Object.entries(value).map(([name, member]) => [name, fromValue(member)]));
}

/**
 * Returns the value as JavaScript holds it: numbers are rounded to doubles. For display and comparison; what is sent is
 * the text of `writeJson`. A draft is its text.
 */
export function toValue(node: FormNode): JsonValue {
  switch (node.kind) {
    case "text":
    case "draft":
      return node.text;
    case "number":
      return Number(node.text);
    case "literal":
      return node.value;
    case "array":
      return node.items.map(toValue);
    case "object":
      return Object.fromEntries([...node.members].map(([name, member]) => [name, toValue(member)]));
  }
}

/** Returns the value with all digits of its numbers, for display. A draft is its text. */
export function toExactValue(node: FormNode): ExactJson {
  switch (node.kind) {
    case "number":
      return toExactNumber(node.text.trim());
    case "array":
      return node.items.map(toExactValue);
    case "object":
      return Object.fromEntries(
        [...node.members].map(([name, member]) => [name, toExactValue(member)]),
      );
    default:
      return toValue(node);
  }
}

function toExactNumber(text: string): number | ExactNumber {
  const number = Number(text);
  return isExactNumber(text, number) ? number : new ExactNumber(text);
}
