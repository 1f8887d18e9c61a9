import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import type { ListedDefinitions } from "./list-definitions.ts";
import type { McpServer } from "../options/mcp-options.ts";

interface CachedList {
  readonly tools?: unknown;
  readonly capabilities?: JsonValue;
}

/** Returns the stored list; `undefined`: there is none. */
export async function readCachedList(server: McpServer): Promise<ListedDefinitions | undefined> {
  try {
    const cached = (await server.cache?.get(toCacheKey(server))) as CachedList | null | undefined;
    if (!Array.isArray(cached?.tools)) return undefined;
    const { tools, capabilities } = cached;
    return {
      definitions: tools.filter(isDefinition),
      problems: [],
      capabilities: isObject(capabilities) ? capabilities : {},
    };
  } catch {
    return undefined;
  }
}

/** Stores a list. */
export async function cacheList(
  server: McpServer,
  { definitions, capabilities }: ListedDefinitions,
): Promise<void> {
  try {
    await server.cache?.set(toCacheKey(server), {
      tools: definitions as readonly JsonObject[],
      capabilities,
    });
  } catch {
    // The list is requested next time.
  }
}

/**
 * Key of a stored list: a server with another name or other arguments has another list. Arguments may be secret, so
 * they are hashed.
 */
function toCacheKey(server: McpServer): string {
  const where =
    "url" in server
      ? String(server.url)
      : "command" in server
        ? JSON.stringify([server.command, server.args ?? [], server.cwd ?? ""])
        : "client";
  return createHash("sha256")
    .update(JSON.stringify([server.name, where]))
    .digest("hex");
}

function isDefinition(tool: unknown): tool is McpDefinition {
  return typeof (tool as { readonly name?: unknown } | null)?.name === "string";
}
