import type { JsonObject, JsonValue, ToolAnnotations } from "@toolweave/core";
import { canonicalJson, isObject } from "@toolweave/core/adapter";
import type { Lock } from "./lock.ts";
import { digestDetails, toDigest, type LockedDetails, type LockedTool } from "./tool-parts.ts";

/**
 * Formats a lock: a tool a line, so that a difference names it and the part. Annotations, of which many tools have the
 * same, are written once, under the beginning of their digest. With details it has a key a line.
 */
export function formatLock({ version, sources }: Lock): string {
  const tools = Object.values(sources).flatMap((source) => Object.values(source));
  const keys = toKeys(tools.map(({ annotations }) => annotations));
  const toKey = (annotations: ToolAnnotations): string =>
    keys.get(canonicalJson(annotations)) as string;
  const written = mapValues(sources, (source) =>
    mapValues(source, ({ annotations, details, ...tool }) => ({
      ...tool,
      annotations: toKey(annotations),
      ...(details === undefined ? {} : { details }),
    })),
  );
  const table = Object.fromEntries(
    [...keys].map(([text, key]) => [key, JSON.parse(text) as JsonValue]).sort(),
  ) as JsonObject;
  if (tools.some(({ details }) => details !== undefined)) {
    return `${JSON.stringify({ version, annotations: table, sources: written }, null, 2)}\n`;
  }
  const blocks = Object.entries(written).map(
    ([source, entries]) => `    ${JSON.stringify(source)}: ${formatLines(entries, "    ")}`,
  );
  const all = blocks.length === 0 ? "{}" : `{\n${blocks.join(",\n")}\n  }`;
  return `{
  "version": ${version},
  "annotations": ${formatLines(table, "  ")},
  "sources": ${all}
}
`;
}

/** Formats an object with a member a line. */
function formatLines(members: object, margin: string): string {
  const lines = Object.entries(members).map(
    ([name, member]) => `${margin}  ${JSON.stringify(name)}: ${JSON.stringify(member)}`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n${margin}}`;
}

function mapValues<From, To>(
  object: Readonly<Record<string, From>>,
  convert: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, convert(value)]));
}

const minKeyLength = 8;

/** Keys for annotations, by their canonical text: the beginnings of their digests, as long as they differ. */
function toKeys(annotations: readonly ToolAnnotations[]): ReadonlyMap<string, string> {
  const digests = new Map(annotations.map((one) => [canonicalJson(one), toDigest(one)]));
  let length = minKeyLength;
  const cut = (): string[] => [...digests.values()].map((digest) => digest.slice(0, length));
  while (new Set(cut()).size < digests.size) length++;
  return new Map([...digests].map(([text, digest]) => [text, digest.slice(0, length)]));
}

/** Reads the content of a lock file. Returns a text about the problem if it is invalid. */
export function parseLock({ annotations, sources }: JsonObject): Lock | string {
  if (!isObject(annotations) || !isObject(sources)) return "is no lock";
  const read: [string, Readonly<Record<string, LockedTool>>][] = [];
  for (const [source, tools] of Object.entries(sources)) {
    if (!isObject(tools)) return `is no lock: ${source} has no tools`;
    const entries: [string, LockedTool][] = [];
    for (const [name, written] of Object.entries(tools)) {
      const tool = parseTool(written, annotations);
      if (typeof tool === "string") return `${tool}: that of ${name}`;
      entries.push([name, tool]);
    }
    read.push([source, Object.fromEntries(entries)]);
  }
  return { version: 2, sources: Object.fromEntries(read) };
}

function parseTool(written: JsonValue | undefined, table: JsonObject): LockedTool | string {
  if (!isObject(written)) return "has an entry that is no object";
  const { text, input, output, call, program, annotations: key, details } = written;
  const digests = { text, input, output, call };
  for (const [part, digest] of Object.entries(digests)) {
    const isOptional = part === "output" || part === "call";
    if (isDigest(digest) || (isOptional && digest === undefined)) continue;
    return `has a digest "${part}" that is not one`;
  }
  if (program !== undefined && typeof program !== "string") return "has a program that is no text";
  const annotations = typeof key === "string" && Object.hasOwn(table, key) ? table[key] : undefined;
  if (!isObject(annotations)) return "has no annotations for an entry";
  const tool = { ...written, annotations } as unknown as LockedTool;
  if (details === undefined) return tool;
  const actual = isObject(details) ? digestDetails(details as unknown as LockedDetails) : undefined;
  const isSame = (["text", "input", "output"] as const).every(
    (part) => actual?.[part] === tool[part],
  );
  return isSame ? tool : "was changed by hand, so that details do not match their digests";
}

function isDigest(value: JsonValue | undefined): boolean {
  return typeof value === "string" && /^[\w-]{32}$/.test(value);
}
