import { isFailure } from "../values/error.ts";
import { chargeString } from "../values/budget.ts";
import { Builtin, StarlarkModule } from "../values/function.ts";
import type { Value } from "../values/value.ts";
import { argumentReader, defineFunction, withName } from "./builtin.ts";
import { decodeJson } from "./json-reader.ts";
import { encodeJson } from "./json-writer.ts";

/** A JSON text with a line per element. */
function indentJson(text: string, prefix: string, indent: string): string {
  const parts: string[] = [];
  let depth = 0;
  let length = 0;
  const push = (part: string): void => {
    length += part.length;
    chargeString(part.length);
    parts.push(part);
  };
  const newLine = (): void => push(`\n${prefix}${indent.repeat(depth)}`);
  let isFirst = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*"|[[\]{},:]|[^\s[\]{},:"]+/g)) {
    const isClosing = token === "]" || token === "}";
    if (isClosing) depth--;
    if (isClosing !== isFirst) newLine();
    push(token === ":" ? ": " : token);
    isFirst = token === "[" || token === "{";
    if (isFirst) depth++;
    if (token === ",") newLine();
  }
  chargeString(length);
  return parts.join("");
}

function defineIndenting(
  name: string,
  kind: "any" | "string",
  toJson: (value: Value) => string,
): Builtin {
  const readValue = argumentReader(name, kind);
  const readOptions = argumentReader(name, "prefix?: string, indent?: string");
  return new Builtin(name, (args, named) => {
    const [prefix = "", indent = "\t"] = readOptions([], named) as [string?, string?];
    const [value] = readValue(args, []) as [Value];
    return indentJson(
      withName(name, () => toJson(value)),
      prefix,
      indent,
    );
  });
}

const readDecode = argumentReader("json.decode", "x: string, default?: any");

/** The module `json` (starlark-go, `lib/json`). */
export const json: StarlarkModule = new StarlarkModule("json", [
  ["encode", new Builtin("json.encode", defineFunction("json.encode", "any", encodeJson))],
  ["encode_indent", defineIndenting("json.encode_indent", "any", encodeJson)],
  [
    "decode",
    new Builtin("json.decode", (args, named) => {
      const [text, fallback] = readDecode(args, named);
      try {
        return decodeJson(text as string);
      } catch (error) {
        const recoverable = isFailure(error);
        if (recoverable && fallback !== undefined) return fallback;
        throw error;
      }
    }),
  ],
  [
    "indent",
    defineIndenting("json.indent", "string", (text) => {
      decodeJson(text as string);
      return text as string;
    }),
  ],
]);
