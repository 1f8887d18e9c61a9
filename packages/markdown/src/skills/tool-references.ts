import type { JsonValue } from "@toolweave/core";
import type { FrontMatter } from "../text/front-matter.ts";
import type { Finding, Place } from "../text/finding.ts";

/** A tool as a file names it: `Read`, `Bash(git:*)`, `mcp__server__tool`, `server/tool`, `get_pet`. */
export interface ToolReference {
  /** As it is written. */
  readonly text: string;
  /** Without the pattern in parentheses. */
  readonly name: string;
  /** The text in parentheses; absent: there is none. */
  readonly pattern?: string;
  readonly place: Place;
}

/** Options of a list of tools. */
interface ReferenceOptions {
  /** Whether blanks separate names, as commas do. */
  readonly isSpaced: boolean;
  readonly max: number;
}

/**
 * Reads a list of tools: a text, with blanks or commas between the names, or a list of texts. A comma or a blank in
 * parentheses is part of a pattern: `Bash(git add:*)`.
 *
 * @returns the tools; undefined: the key is not there, or its value is no list of tools.
 */
export function readToolReferences(
  front: FrontMatter,
  key: string,
  options: ReferenceOptions,
  findings: Finding[],
): readonly ToolReference[] | undefined {
  const value = front.values[key];
  if (value === undefined || front.places.isFaulty([key])) return undefined;
  const fault = (place: Place, code: string, message: string, hint: string): undefined => {
    findings.push({ ...place, code, severity: "error", message, hint });
  };
  const example = options.isSpaced ? `${key}: Read Bash(git:*)` : `${key}: Read, Bash`;
  // `tools:` alone is a list without an entry.
  const parts = value === null ? [] : toParts(front, key, value);
  if (parts === undefined) {
    const message = `${key} must be a text or a list of texts`;
    return fault(front.places.value([key]), "wrong_type", message, `Write \`${example}\`.`);
  }
  const references = parts.flatMap((part) => split(part, options.isSpaced));
  if (references.length > options.max) {
    const message = `${key} has more than ${options.max} tools`;
    return fault(front.places.key([key]), "too_many", message, "Name those that are needed.");
  }
  for (const { text, place } of references) {
    if (isReference(text)) continue;
    const message = `${JSON.stringify(text.slice(0, 80))} is no name of a tool`;
    fault(place, "invalid_tool", message, `Write names such as \`${example}\`.`);
  }
  return references;
}

interface Part {
  readonly text: string;
  readonly place: Place;
  /** Whether the place of each character follows from that of the first. */
  readonly isPlaced: boolean;
}

function toParts(front: FrontMatter, key: string, value: JsonValue): readonly Part[] | undefined {
  const toPart = (text: string, path: readonly (string | number)[]): Part => {
    const placed = front.places.text(path);
    const isPlaced = placed !== undefined && placed.style !== "folded" && !text.includes("\n");
    return { text, place: placed?.place ?? front.places.value(path), isPlaced };
  };
  if (typeof value === "string") return [toPart(value, [key])];
  if (!Array.isArray(value)) return undefined;
  const list = value as readonly JsonValue[];
  if (!list.every((entry) => typeof entry === "string")) return undefined;
  return list.map((entry, index) => toPart(entry, [key, index]));
}

function split({ text, place, isPlaced }: Part, isSpaced: boolean): readonly ToolReference[] {
  const references: ToolReference[] = [];
  let depth = 0;
  let start = 0;
  const end = (index: number): void => {
    const word = text.slice(start, index);
    const trimmed = word.trim();
    const offset = start + word.length - word.trimStart().length;
    start = index + 1;
    if (trimmed === "") return;
    const column = place.column + [...text.slice(0, offset)].length;
    references.push(toReference(trimmed, isPlaced ? { ...place, column } : place));
  };
  for (let index = 0; index < text.length; index++) {
    const unit = text[index] as string;
    if (unit === "(") depth += 1;
    else if (unit === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0 && (unit === "," || unit === "\n" || (isSpaced && /\s/.test(unit))))
      end(index);
  }
  end(text.length);
  return references;
}

function toReference(text: string, place: Place): ToolReference {
  const match = /^([^()]*)\(([^]*)\)$/.exec(text);
  const [, name = text, pattern] = match ?? [];
  return { text, name: name.trim(), place, ...(pattern === undefined ? {} : { pattern }) };
}

function isReference(text: string): boolean {
  return text.length <= 300 && /^[\w*./:@-]+(?: [\w*./:@-]+)*(?:\([^]*\))?$/.test(text);
}
