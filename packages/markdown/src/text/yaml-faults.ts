import { isMap, isScalar, isSeq } from "yaml";
import type { YAMLError } from "yaml";
import type { Finding } from "./finding.ts";
import type { TextLines } from "./lines.ts";
import type { ValuePath } from "./value-places.ts";

/** A fault of YAML after which the rest of the text can be read if one line is changed. */
export interface Repair {
  readonly finding: Finding;
  /** The text without the fault; all other characters are where they were. */
  readonly text: string;
}

/** The faults that leave the structure of a document as it was. */
const localFaults = new Set(["DUPLICATE_KEY", "BAD_SCALAR_START", "BAD_DQ_ESCAPE", "BAD_ALIAS"]);

export function isLocalFault(error: YAMLError): boolean {
  return localFaults.has(error.code);
}

/** Describes a fault of YAML and repairs its line; undefined: it cannot be repaired. */
export function repairFault(error: YAMLError, lines: TextLines): Repair | undefined {
  const { text, start } = lines.lineAt(error.pos[0]);
  const replace = (line: string): string =>
    lines.text.slice(0, start) + line + lines.text.slice(start + text.length);
  const at = { ...lines.place(error.pos[0]), severity: "error" as const };
  const pair = /^(\s*(?:- +)*)([^\s#][^:]*?)(:[ \t]+)([^\s|>"'[{&*!].*?)\s*$/.exec(text);
  if (error.code === "BLOCK_AS_IMPLICIT_KEY" && pair !== null) {
    const [, indentation = "", key = "", colon = "", value = ""] = pair;
    if (!/:(?:\s|$)/.test(value)) return undefined;
    return {
      finding: {
        ...at,
        ...lines.place(start + indentation.length + key.length + colon.length),
        code: "yaml_colon",
        message: colonMessage(key),
        hint: `Put the text in quotes: ${key}: ${quote(value)}`,
      },
      text: replace(`${indentation}${key}${colon}${withoutColons(value)}`),
    };
  }
  const inFlow =
    /([^\s,{}[\]"':]+)(: +)([^,{}[\]"'\s][^,{}[\]"']*?:(?: [^,{}[\]"']*?)?)(?=\s*[,}])/.exec(text);
  if (error.code === "BLOCK_IN_FLOW" && inFlow !== null) {
    const [all, key = "", colon = "", value = ""] = inFlow;
    const before = text.slice(0, inFlow.index);
    const after = text.slice(inFlow.index + all.length);
    return {
      finding: {
        ...at,
        ...lines.place(start + before.length + key.length + colon.length),
        code: "yaml_colon",
        message: colonMessage(key),
        hint: `Put the text in quotes: ${key}: ${quote(value)}`,
      },
      text: replace(`${before}${key}${colon}${withoutColons(value)}${after}`),
    };
  }
  const lacksValue = error.code === "MULTILINE_IMPLICIT_KEY" || error.code === "MISSING_CHAR";
  if (lacksValue && /^[\w-]/.test(text) && !/:(?:\s|$)/.test(text)) {
    const missing = text.trim();
    return {
      finding: {
        ...at,
        code: "yaml_syntax",
        message: `the line \`${shorten(missing)}\` is no \`key: value\``,
        hint: /^\w+:\S/.test(missing)
          ? "Write a space after the colon."
          : "Write `key: value`; the lines of a text below a key are indented.",
      },
      text: replace("#"),
    };
  }
  return undefined;
}

/** Describes a fault of YAML. */
export function toFinding(error: YAMLError, lines: TextLines): Finding {
  const at = { ...lines.place(error.pos[0]), severity: "error" as const };
  const source = lines.text.slice(...error.pos).trim();
  const message = `${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
  if (/call stack/i.test(error.message))
    return {
      ...at,
      column: 1,
      code: "yaml_depth",
      message: "maps and lists are nested too deeply",
    };
  switch (error.code) {
    case "DUPLICATE_KEY": {
      const key = /^[^\s:,]+/.exec(lines.text.slice(error.pos[0]))?.[0] ?? source;
      return {
        ...at,
        code: "duplicate_key",
        message: `the key ${key} is there twice`,
        hint: "Remove one of the two.",
      };
    }
    case "TAB_AS_INDENT":
      return {
        ...at,
        code: "yaml_tab",
        message: "tabs cannot indent YAML",
        hint: "Indent with spaces.",
      };
    case "BAD_SCALAR_START":
      return {
        ...at,
        code: "yaml_syntax",
        message: `a text cannot start with ${source} in YAML`,
        hint: "Put the text in quotes.",
      };
    case "BAD_DQ_ESCAPE":
      return {
        ...at,
        code: "yaml_syntax",
        message: `invalid escape sequence ${lines.text.slice(error.pos[0], error.pos[0] + 2)}`,
        hint: "In double quotes, write \\\\ for a backslash; single quotes have no escapes.",
      };
    case "MULTIPLE_DOCS":
      return {
        ...at,
        code: "yaml_syntax",
        message: "the front matter has more than one YAML document",
        hint: "Remove the line `...`.",
      };
    default:
      return { ...at, code: "yaml_syntax", message };
  }
}

/** The way to the innermost key or entry whose text has an offset. */
export function pathAt(node: unknown, offset: number): ValuePath {
  const path: (string | number)[] = [];
  for (let current = node; ;) {
    if (isMap(current)) {
      // The last pair that starts before the offset.
      const pair = current.items.findLast(
        ({ key }) => isScalar(key) && (key.range?.[0] ?? Infinity) <= offset,
      );
      if (pair === undefined || !isScalar(pair.key)) return path;
      path.push(String(pair.key.value));
      current = pair.value;
    } else if (isSeq(current)) {
      const index = current.items.findLastIndex((item) => {
        const range = (item as { range?: readonly number[] } | null)?.range;
        return (range?.[0] ?? Infinity) <= offset;
      });
      if (index === -1) return path;
      path.push(index);
      current = current.items[index];
    } else return path;
  }
}

/** A text of the same length that YAML reads as one. */
function withoutColons(text: string): string {
  return text.replace(/:(?=\s|$)/g, ";");
}

function colonMessage(key: string): string {
  return `the text of ${key} has a colon and a space, which YAML reads as another key`;
}

function quote(text: string): string {
  return text.includes("'") ? JSON.stringify(shorten(text)) : `'${shorten(text)}'`;
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= 60 ? text : `${characters.slice(0, 59).join("")}…`;
}
