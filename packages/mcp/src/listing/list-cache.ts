import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@toolweave/core";
import type { McpDefinition } from "../transport/messages/mcp-connection.ts";
import type { ListedDefinitions } from "./list-definitions.ts";
import { isObject } from "../schema/schema-keywords.ts";
import type { McpServer } from "../options/mcp-options.ts";

interface CachedList {
  readonly tools?: unknown;
  readonly capabilities?: JsonValue;
}

/** What the server listed last time. `undefined`: nobody knows. */
export async function readCachedList(server: McpServer): Promise<ListedDefinitions | undefined> {
  try {
    const kept = (await server.cache?.get(toCacheKey(server))) as CachedList | null | undefined;
    if (!Array.isArray(kept?.tools)) return undefined;
    const { tools, capabilities } = kept;
    return {
      definitions: tools.filter(isDefinition),
      problems: [],
      capabilities: isObject(capabilities) ? capabilities : {},
    };
  } catch {
    return undefined;
  }
}

/** Keeps a list for the next time. */
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
    // Then it is asked for.
  }
}

/** Another server under the same name, or the same one with other arguments, has another list. Arguments may be secret. */
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
