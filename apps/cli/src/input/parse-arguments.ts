import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { compareNames, nearNames } from "@toolweave/core/adapter";
import { UsageError } from "../process/exit-code.ts";
import { parseArgumentValue, parseRepeatedValue } from "./argument-value.ts";
import { SchemaView } from "./schema-view.ts";

interface InputArgument {
  readonly path: readonly string[];
  readonly schema: SchemaView;
  readonly texts: string[];
}

const maxListedNames = 12;

/**
 * Makes a tool's arguments of `key=value` words, read as the input schema says. `a.b=c` reaches into
 * an object, unless there is an argument of that name; a repeated key makes a list. `key=@file` is the
 * content of a file, and `key=@@text` is a text that begins with an @.
 *
 * @param base what the words are laid over: the arguments of `--args`.
 * @throws UsageError names what is wrong, and the names that were probably meant.
 */
export function parseArguments(
  words: readonly string[],
  inputSchema: JsonSchema,
  base: JsonObject = {},
): JsonObject {
  const root = new SchemaView(inputSchema);
  const inputs = new Map<string, InputArgument>();
  for (const word of words) {
    const equals = word.indexOf("=");
    if (word.startsWith("{")) {
      throw new UsageError(
        `${JSON.stringify(word.slice(0, 60))} is not an argument: use key=value, or --args for all arguments as JSON.`,
      );
    }
    if (equals < 1) {
      throw new UsageError(`${JSON.stringify(word)} is not an argument: use key=value.`);
    }
    const key = word.slice(0, equals);
    const text = word.slice(equals + 1);
    const argument = inputs.get(key);
    if (argument === undefined) inputs.set(key, { ...locateArgument(key, root), texts: [text] });
    else argument.texts.push(text);
  }
  assertNoOverlaps(inputs);

  let result: JsonValue = base;
  for (const [key, { path, schema, texts: written }] of inputs) {
    const texts = written.map((text) => readText(text, schema, key));
    const [text = ""] = texts;
    const value =
      texts.length > 1
        ? parseRepeatedValue(texts, schema, key)
        : parseArgumentValue(text, schema, key);
    result = setValue(result, path, value);
  }
  return result as JsonObject;
}

/** Returns the text of an argument, which `@` takes from a file. Bytes become base64 if the schema wants that. */
function readText(written: string, schema: SchemaView, key: string): string {
  if (!written.startsWith("@")) return written;
  const path = written.slice(1);
  if (path.startsWith("@")) return path;
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code = "unknown reason" } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${key}: the file ${JSON.stringify(path)} cannot be read (${code}). For a text that begins with @, write @@: ${key}=@${written}`,
      { cause: error },
    );
  }
  if (schema.isBase64) return bytes.toString("base64");
  if (!isUtf8(bytes)) {
    throw new UsageError(
      `${key}: the file ${JSON.stringify(path)} is not text (UTF-8), and the argument takes no base64.`,
    );
  }
  const text = bytes.toString().replace(/^\uFEFF/, "");
  // Editors end a file with a line break, which a number cannot have.
  return schema.types?.has("string") === true ? text : text.trim();
}

/** Finds the place of a key. The longest declared name wins, since names may contain dots. */
function locateArgument(key: string, root: SchemaView): Omit<InputArgument, "texts"> {
  const path: string[] = [];
  let schema = root;
  let rest = key;
  while (rest !== "") {
    const name = findDeclaredName(rest, schema) ?? findUndeclaredName(key, rest, schema);
    path.push(name);
    schema = schema.property(name) ?? (schema.additional as SchemaView);
    rest = rest.slice(name.length + 1);
    const { types } = schema;
    if (rest !== "" && types !== undefined && !types.has("object")) {
      throw new UsageError(`${path.join(".")} has no parts, so "${key}" leads nowhere.`);
    }
  }
  return { path, schema };
}

function findDeclaredName(key: string, schema: SchemaView): string | undefined {
  let end = key.length;
  while (end > 0) {
    const name = key.slice(0, end);
    if (schema.property(name) !== undefined && end !== key.length - 1) return name;
    end = key.lastIndexOf(".", end - 1);
  }
  return undefined;
}

function findUndeclaredName(key: string, rest: string, schema: SchemaView): string {
  const { additional } = schema;
  if (additional === undefined) throw unknownKeyError(key, rest, schema);
  const dot = rest.indexOf(".");
  const nested = dot > 0 && dot < rest.length - 1 && additional.types?.has("object") === true;
  return nested ? rest.slice(0, dot) : rest;
}

function unknownKeyError(key: string, rest: string, schema: SchemaView): UsageError {
  const before = key.slice(0, key.length - rest.length);
  const names = schema.propertyNames.sort(compareNames);
  if (names.length === 0) {
    return new UsageError(
      before === "" ? "The tool takes no arguments." : `${before.slice(0, -1)} has no parts.`,
    );
  }
  const near = nearNames(rest, names, 3);
  const meant = near.length > 0 ? ` Did you mean ${formatNames(near, before)}?` : "";
  const listed = names.slice(0, maxListedNames);
  const more = names.length > listed.length ? ", …" : "";
  return new UsageError(
    `There is no argument ${JSON.stringify(key)}.${meant} The tool takes ${formatNames(listed, before)}${more}.`,
  );
}

function formatNames(names: readonly string[], before: string): string {
  return names.map((name) => before + name).join(", ");
}

/** Rejects `a={…}` beside `a.b=…`: it is ambiguous. */
function assertNoOverlaps(inputs: ReadonlyMap<string, InputArgument>): void {
  const keys = [...inputs].map(([key, { path }]) => ({ key, place: JSON.stringify(path) }));
  for (const { key, place } of keys) {
    const inside = `${place.slice(0, -1)},`;
    const other = keys.find(
      (other) => other.key !== key && (other.place === place || other.place.startsWith(inside)),
    );
    if (other !== undefined) {
      throw new UsageError(`${key} and ${other.key}: use either ${key} or its members, not both.`);
    }
  }
}

function setValue(target: JsonValue, path: readonly string[], value: JsonValue): JsonValue {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const isObject = typeof target === "object" && target !== null && !Array.isArray(target);
  const object = isObject ? (target as JsonObject) : {};
  const member = Object.hasOwn(object, name) ? (object[name] as JsonValue) : {};
  const copy = { ...object };
  // Assignment would set the prototype for `__proto__`.
  return Object.defineProperty(copy, name, {
    value: setValue(member, rest, value),
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
