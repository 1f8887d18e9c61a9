import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, type SourceProblem } from "@toolweave/core/adapter";
import type { McpConnection, McpDefinition } from "../transport/messages/mcp-connection.ts";
import { measureDefinition } from "../schema/read-schema.ts";
import { toDisplayName } from "./text-sanitizer.ts";
import type { McpServer } from "../options/mcp-options.ts";

/** More pages than any real list has: a server may return pages without end. */
const maxPages = 1_000;

/** Maximum number of tools that a registry accepts of one source. */
const maxTools = 20_000;

/** Maximum number of characters of all definitions together. */
const maxCharacters = 50_000_000;

/** Maximum number of problems of one list. */
const maxProblems = 1_000;

/** The list of a server. */
export interface ListedDefinitions {
  /** Unique by name. */
  readonly definitions: readonly McpDefinition[];
  /** Definitions that were rejected, with the reason. */
  readonly problems: readonly SourceProblem[];
  /** Capabilities that the server declares. */
  readonly capabilities: JsonObject;
}

/** Lists the tools of the server, page by page. */
export async function listDefinitions(
  connection: McpConnection,
  signal: AbortSignal,
): Promise<ListedDefinitions> {
  const byName = new Map<string, McpDefinition>();
  const problems: SourceProblem[] = [];
  const cursors = new Set<string | undefined>();
  let characters = 0;
  let isCut = false;
  let cursor: string | undefined;
  const isFull = (): boolean =>
    byName.size >= maxTools || characters >= maxCharacters || problems.length >= maxProblems;
  do {
    cursors.add(cursor);
    const { tools, nextCursor } = await requestPage(connection, cursor, signal);
    for (const tool of tools) {
      isCut = isFull();
      if (isCut) break;
      const size = measureDefinition(tool);
      characters += "fault" in size ? 0 : size.characters;
      const problem =
        "fault" in size ? tooLargeProblem(tool, size.fault) : addDefinition(tool, byName);
      if (problem !== undefined) problems.push(problem);
    }
    cursor = nextCursor;
    if (cursor === undefined) break;
    isCut ||= isFull() || cursors.size >= maxPages || cursors.has(cursor);
  } while (!isCut);
  if (isCut) problems.push(cutOffProblem(cursors.size, byName.size));
  const { capabilities } = connection.server;
  return { definitions: [...byName.values()], problems, capabilities };
}

/** Requests one page; an invalid result is an empty page. */
async function requestPage(
  connection: McpConnection,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly tools: readonly unknown[]; readonly nextCursor?: string }> {
  if (connection.server.capabilities["tools"] === undefined) return { tools: [] };
  const params = cursor === undefined ? {} : { cursor };
  const answer = await connection.request("tools/list", params, { signal });
  const { tools, nextCursor } = (answer ?? {}) as Record<string, unknown>;
  return {
    tools: Array.isArray(tools) ? tools : [],
    ...(typeof nextCursor === "string" ? { nextCursor } : {}),
  };
}

function addDefinition(
  tool: unknown,
  byName: Map<string, McpDefinition>,
): SourceProblem | undefined {
  const { name } = (tool ?? {}) as { readonly name?: unknown };
  if (typeof name !== "string" || name === "") {
    return { subject: "a tool without a name", message: "The server lists a tool without a name." };
  }
  if (byName.has(name)) {
    const displayName = toDisplayName(name);
    return {
      subject: displayName,
      message: `The server lists "${displayName}" twice; the first one is used.`,
    };
  }
  byName.set(name, tool as McpDefinition);
  return undefined;
}

function tooLargeProblem(tool: unknown, fault: string): SourceProblem {
  const { name } = (tool ?? {}) as { readonly name?: unknown };
  const subject = typeof name === "string" ? toDisplayName(name) : "a tool without a name";
  return { subject, message: `The definition is invalid: ${fault}.` };
}

function cutOffProblem(pages: number, tools: number): SourceProblem {
  return {
    subject: "tools/list",
    message: `The list was cut off after ${pages} pages with ${tools} tools: it is too large, or its pages repeat.`,
    severity: "warning",
  };
}

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
  // Loaded on demand: Node.js takes several milliseconds for it.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256")
    .update(JSON.stringify([server.name, where]))
    .digest("hex");
}

function isDefinition(tool: unknown): tool is McpDefinition {
  return typeof (tool as { readonly name?: unknown } | null)?.name === "string";
}
