import type { JsonValue } from "@toolweave/core";

/** The type of a value alone. Unlike a literal, a value of this type may have members that another type does not name. */
export function toTypeText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(toTypeText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${toTypeText(member as JsonValue)}`,
  );
  return `{ ${members.join("; ")} }`;
}
