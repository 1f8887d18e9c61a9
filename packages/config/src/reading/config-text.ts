import { ToolError, type JsonObject, type JsonValue } from "@toolweave/core";
import { childPointer, isObject } from "@toolweave/core/adapter";
import { basename, dirname } from "node:path";
import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import configSchema from "../toolweave.schema.json" with { type: "json" };

/** The content of a file, with positions. */
export interface ConfigText {
  readonly value: JsonValue;
  /**
   * The file of another host, whose other settings are no concern of this package: it has servers, no block that only
   * this package has, and another name than `toolweave.json`.
   */
  readonly isOfOtherHost: boolean;
  /** Where a JSON pointer (RFC 6901) leads, for people: `toolweave.json:3:7`. */
  at(pointer: string): string;
}

/**
 * JSON as editors and other hosts write it: with comments, trailing commas and a byte order mark.
 *
 * @param name what errors call the file.
 * @throws ToolError `invalid_configuration` with line and column for what is no JSON or nested too deep, and for a key that is there
 * twice.
 */
export function parseConfig(written: string, name: string): ConfigText {
  const text = written.replace(/^\uFEFF/, "");
  const place = (offset: number): string => {
    const before = text.slice(0, offset).split("\n");
    return `${name}:${before.length}:${(before.at(-1) ?? "").length + 1}`;
  };
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  } catch (error) {
    // The parser goes down level by level, until there is no room.
    if (!(error instanceof RangeError)) throw error;
    throw new ToolError("invalid_configuration", `${name}: ${tooDeep}.`);
  }
  const [first] = errors;
  if (first !== undefined && text.includes("\0")) {
    const fault = "the file is in UTF-16, as some editors and shells write it: save it as UTF-8";
    throw new ToolError("invalid_configuration", `${place(0)}: ${fault}.`);
  }
  if (first !== undefined) {
    const what = faults[printParseErrorCode(first.error)] ?? "this is no JSON";
    throw new ToolError("invalid_configuration", `${place(first.offset)}: ${what}.`);
  }
  if (root === undefined)
    throw new ToolError("invalid_configuration", `${place(0)}: the file is empty.`);
  const offsets = new Map<string, number>();
  const value = valueOf(root, "", 0, offsets, (offset, fault) => {
    throw new ToolError("invalid_configuration", `${place(offset)}: ${fault}.`);
  });
  return {
    value,
    isOfOtherHost: !/^toolweave\b/i.test(basename(name)) && hasOnlyServers(value),
    at(pointer) {
      // A member that is missing is where it would have to stand.
      for (let known = pointer; ; known = known.slice(0, known.lastIndexOf("/"))) {
        const offset = offsets.get(known);
        if (offset !== undefined) return place(offset);
      }
    },
  };
}

const sharedKeys: ReadonlySet<string> = new Set(["$schema", "mcpServers", "servers", "inputs"]);

function hasOnlyServers(value: JsonValue): boolean {
  if (!isObject(value)) return false;
  const known = Object.keys(value).filter((key) => Object.hasOwn(configSchema.properties, key));
  return known.some((key) => key.endsWith("ervers")) && known.every((key) => sharedKeys.has(key));
}

const faults: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is no JSON: texts stand in double quotes",
  InvalidNumberFormat: "this is no number",
  PropertyNameExpected: 'a key in double quotes is missing, such as "mcpServers"',
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing after the key",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "the JSON has ended before this: remove the rest",
  UnexpectedEndOfComment: "a comment is not closed: */ is missing",
  UnexpectedEndOfString: "a text is not closed: a double quote is missing",
  InvalidEscapeCharacter: "a backslash in a text begins an escape: write \\\\ for the character",
};

const maxLevels = 100;
const tooDeep = `this is nested deeper than the ${maxLevels} levels that are read`;

/** The value of a node, with the places of all its parts. */
function valueOf(
  node: Node,
  pointer: string,
  level: number,
  offsets: Map<string, number>,
  onFault: (offset: number, fault: string) => void,
): JsonValue {
  if (level > maxLevels) onFault(node.offset, tooDeep);
  offsets.set(pointer, node.offset);
  const children = node.children ?? [];
  if (node.type === "array") {
    return children.map((child, index) =>
      valueOf(child, `${pointer}/${index}`, level + 1, offsets, onFault),
    );
  }
  if (node.type !== "object") return node.value as JsonValue;
  const object: Record<string, JsonValue> = {};
  for (const { children: [key, value] = [] } of children) {
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    if (Object.hasOwn(object, name)) {
      onFault(key.offset, `the key "${name}" is there twice: remove one`);
    }
    const at = childPointer(pointer, name);
    // Assignment would set the prototype for `__proto__`.
    Object.defineProperty(object, name, {
      value: valueOf(value, at, level + 1, offsets, onFault),
      enumerable: true,
      configurable: true,
      writable: true,
    });
    offsets.set(at, key.offset);
  }
  return object satisfies JsonObject;
}

/**
 * The folder to which the paths in a file are relative: its own, and the one above for VS Code's `.vscode/mcp.json`.
 */
export function configFolder(path: string): string {
  const folder = dirname(path);
  return basename(folder) === ".vscode" ? dirname(folder) : folder;
}

/** A configuration that is no file: places are JSON pointers. */
export function readConfigValue(value: unknown): ConfigText {
  return {
    value: value as JsonValue,
    isOfOtherHost: false,
    at: (pointer) => (pointer === "" ? "the configuration" : pointer),
  };
}
