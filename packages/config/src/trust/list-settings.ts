import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import configSchema from "../toolweave.schema.json" with { type: "json" };

/** A value of a configuration, with the keys that lead to it. */
export interface Setting {
  readonly name: string;
  readonly value: JsonValue;
}

/** The keys of entries that other parts of a description have in full, by the block. */
const describedKeys: Readonly<Record<string, readonly string[]>> = {
  mcpServers: ["command", "args", "cwd", "url", "serverUrl", "httpUrl", "disabled", "enabled"],
  servers: ["command", "args", "cwd", "url", "serverUrl", "httpUrl", "disabled", "enabled"],
  mcp: ["command", "args", "cwd", "url", "disabled"],
  openapi: ["url", "file", "baseUrl", "disabled"],
  agents: [],
  workspace: ["root"],
  markdown: ["folder"],
  serve: [],
};

/** Blocks that other parts have in full. */
const describedBlocks: ReadonlySet<string> = new Set([
  "$schema",
  "builtin",
  "hooks",
  "policy",
  "skills",
  "store",
  "tools",
]);

const blocks: Readonly<Record<string, JsonObject>> = configSchema.properties as never;

/**
 * Lists everything in a configuration that no other part of its description has. It follows the schema: a key that the
 * schema gets is listed, whatever it is for, until another part has it.
 *
 * @param isUsed whether an entry of a block is used.
 */
export function listSettings(
  config: JsonObject,
  isUsed: (block: string, name: string) => boolean,
): readonly Setting[] {
  return Object.keys(blocks).flatMap((block): readonly Setting[] => {
    const value = config[block] as JsonValue | undefined;
    if (value === undefined || describedBlocks.has(block)) return [];
    const described = describedKeys[block] ?? [];
    if (!isObject(value)) return value === false ? [] : [{ name: block, value }];
    if (!isObject(blocks[block]?.["additionalProperties"]))
      return listMembers(block, value, described);
    return Object.entries(value).flatMap(([name, entry]): readonly Setting[] => {
      if (!isUsed(block, name)) return [];
      const place = `${block}.${name}`;
      return isObject(entry as JsonValue)
        ? listMembers(place, entry as JsonObject, described)
        : [{ name: place, value: entry as JsonValue }];
    });
  });
}

function listMembers(
  place: string,
  value: JsonObject,
  described: readonly string[],
): readonly Setting[] {
  return Object.entries(value).flatMap(([key, member]) =>
    described.includes(key) || member === undefined
      ? []
      : [{ name: `${place}.${key}`, value: member as JsonValue }],
  );
}
