import { isDeepStrictEqual } from "node:util";
import { parse as parseToml, patch as patchToml } from "@decimalturn/toml-patch";
import type { JsonObject } from "@toolweave/core";
import { UsageError } from "../../process/exit-code.ts";
import { safeLine } from "../../render/text.ts";
import { parseJsonObject, readTextFile, withJsonValue } from "../shared/json-file.ts";
import type { HostFile } from "./host-files.ts";

/** The configuration of a host. */
export interface HostConfig {
  readonly file: HostFile;
  /** undefined: the file does not exist. */
  readonly text: string | undefined;
  readonly servers: Readonly<Record<string, JsonObject>>;
}

/**
 * Reads the servers of a host.
 *
 * @throws UsageError for a file that cannot be read or understood.
 */
export function readHostConfig(file: HostFile): HostConfig {
  const text = readTextFile(file.path);
  return { file, text, servers: text === undefined ? {} : serversIn(text, file) };
}

/**
 * The text of the host's file with another server, or without it. Comments and formatting of the rest remain.
 *
 * @param server undefined: it is removed.
 * @throws UsageError if the file cannot be changed safely.
 */
export function withServer(
  { file, text = "", servers }: HostConfig,
  name: string,
  server: JsonObject | undefined,
): string {
  const changed =
    file.format === "toml"
      ? withTomlServer(text, file, name, server)
      : withJsonValue(text, [file.block, name], server);
  const expected = { ...servers, ...(server === undefined ? {} : { [name]: server }) };
  if (server === undefined) delete expected[name];
  if (isDeepStrictEqual(serversIn(changed, file), expected)) return changed;
  throw new UsageError(
    `${safeLine(file.path)} cannot be changed without a risk for its other parts: change it by hand.`,
  );
}

function serversIn(text: string, { path, format, block }: HostFile): Record<string, JsonObject> {
  const value = format === "toml" ? readToml(text, path) : parseJsonObject(text, path);
  const servers = value[block] ?? {};
  const isObject = (one: unknown): one is JsonObject =>
    typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(servers)) {
    throw new UsageError(`${safeLine(path)}: "${block}" is not an object. Correct the file first.`);
  }
  // Plain objects, whatever the parser creates.
  const plain = JSON.parse(JSON.stringify(servers)) as JsonObject;
  return Object.fromEntries(
    Object.entries(plain).filter((entry): entry is [string, JsonObject] => isObject(entry[1])),
  );
}

function readToml(text: string, path: string): JsonObject {
  try {
    return parseToml(text) as JsonObject;
  } catch (error) {
    const { line, column } = error as { readonly line?: number; readonly column?: number };
    const place = line === undefined ? "" : `:${line}:${(column ?? 0) + 1}`;
    throw new UsageError(
      `${safeLine(path)}${place}: this is not valid TOML. Correct the file first.`,
      { cause: error },
    );
  }
}

function withTomlServer(
  text: string,
  { path, block }: HostFile,
  name: string,
  server: JsonObject | undefined,
): string {
  const value = readToml(text, path) as Record<string, Record<string, unknown> | undefined>;
  if (server !== undefined && value[block]?.[name] === undefined) {
    const appended = appendTable(text, [block, name], server);
    // A table in braces cannot be continued by another section.
    if (isToml(appended)) return appended;
  }
  const { [name]: _, ...others } = value[block] ?? {};
  return patchToml(text, {
    ...value,
    [block]: server === undefined ? others : { ...others, [name]: server },
  });
}

/** The text with another section at its end, as people write it. */
function appendTable(text: string, path: readonly string[], table: JsonObject): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text.trim() === "" ? "" : text.endsWith("\n") ? end : end + end;
  // Strings, lists of strings and bare keys of JSON are written in the same way in TOML.
  const lines = Object.entries(table).map(([key, value]) => `${key} = ${tomlValue(value)}`);
  const header = path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join(".");
  return `${text}${gap}[${header}]${end}${lines.join(end)}${end}`;
}

function tomlValue(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(tomlValue).join(", ")}]` : JSON.stringify(value);
}

function isToml(text: string): boolean {
  try {
    parseToml(text);
    return true;
  } catch {
    return false;
  }
}
