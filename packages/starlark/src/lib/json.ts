import { StarlarkError } from "../values/error.ts";
import { chargeString } from "../values/budget.ts";
import { Builtin, StarlarkModule } from "../values/function.ts";
import type { NamedArguments, Value } from "../values/value.ts";
import { withName, unpack, unpackPositional } from "./arguments.ts";
import { JsonReader } from "./json-reader.ts";
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
  const tokens = text.match(/"(?:[^"\\]|\\[^])*"|[[\]{},:]|[^\s[\]{},:"]+/g) ?? [];
  for (const [index, token] of tokens.entries()) {
    if (token === "]" || token === "}") {
      depth--;
      const previous = tokens[index - 1];
      if (previous !== "[" && previous !== "{") newLine();
    } else if (tokens[index - 1] === "[" || tokens[index - 1] === "{") newLine();
    push(token === ":" ? ": " : token);
    if (token === "[" || token === "{") depth++;
    if (token === ",") newLine();
  }
  chargeString(length);
  return parts.join("");
}

function indentOptions(name: string, names: NamedArguments): [prefix: string, indent: string] {
  const [prefix = "", indent = "\t"] = unpack(name, [], names, [
    ["prefix?", "string"],
    ["indent?", "string"],
  ]) as [string?, string?];
  return [prefix, indent];
}

/** The module `json` (starlark-go, `lib/json`). */
export const json: StarlarkModule = new StarlarkModule("json", [
  [
    "encode",
    new Builtin("json.encode", (args, names) => {
      unpackPositional("json.encode", args, names, 1, ["any"]);
      return withName("json.encode", () => encodeJson(args[0] as Value));
    }),
  ],
  [
    "encode_indent",
    new Builtin("json.encode_indent", (args, names) => {
      const [prefix, indent] = indentOptions("json.encode_indent", names);
      unpackPositional("json.encode_indent", args, [], 1, ["any"]);
      return indentJson(
        withName("json.encode_indent", () => encodeJson(args[0] as Value)),
        prefix,
        indent,
      );
    }),
  ],
  [
    "decode",
    new Builtin("json.decode", (args, names) => {
      const [text, fallback] = unpack("json.decode", args, names, [
        ["x", "string"],
        ["default?", "any"],
      ]);
      try {
        return new JsonReader(text as string).read();
      } catch (error) {
        const recoverable = error instanceof StarlarkError && error.code === "execution_failed";
        if (recoverable && fallback !== undefined) return fallback;
        throw error;
      }
    }),
  ],
  [
    "indent",
    new Builtin("json.indent", (args, names) => {
      const [prefix, indent] = indentOptions("json.indent", names);
      unpackPositional("json.indent", args, [], 1, ["string"]);
      const text = args[0] as string;
      withName("json.indent", () => new JsonReader(text).read());
      return indentJson(text, prefix, indent);
    }),
  ],
]);
