import type { ToolSpec } from "../spec/tool-spec.ts";
import { scanText, type TextFinding } from "./scan-text.ts";

/** A finding, and where in the spec it stands. */
export interface SpecFinding extends TextFinding {
  /** A JSON pointer into the spec (RFC 6901): `/description`, `/inputSchema/properties/a/description`. */
  readonly pointer: string;
}

/** Shorter ones cannot hold an order. */
const shortest = 12;

/**
 * Findings in all that a model reads of a tool: title, description, and every text in its schemas, names of properties
 * and values included. Each kind once, at its first place. See `scanText`.
 */
export function scanSpec(spec: ToolSpec): readonly SpecFinding[] {
  const found: SpecFinding[] = [];
  const look = (text: string, pointer: string): void => {
    if (text.length < shortest) return;
    for (const finding of scanText(text)) {
      if (!found.some(({ kind }) => kind === finding.kind)) found.push({ ...finding, pointer });
    }
  };
  const { title, description, inputSchema, outputSchema } = spec;
  const parts: (readonly [value: unknown, pointer: string])[] = [
    [outputSchema, "/outputSchema"],
    [inputSchema, "/inputSchema"],
    [description, "/description"],
    [title, "/title"],
  ];
  // A schema may lead to itself, and to one part of it in many ways.
  const seen = new Set<object>();
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const [value, pointer] = part;
    if (typeof value === "string") look(value, pointer);
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [key, member] of Object.entries(value)) {
      const at = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      look(key, at);
      parts.push([member, at]);
    }
  }
  return found;
}
