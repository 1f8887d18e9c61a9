import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject, type SourceProblem } from "@toolweave/core/adapter";
import type { McpConnection, McpDefinition } from "../transport/messages/mcp-connection.ts";
import { measureDefinition } from "../schema/read-schema.ts";
import { readPages } from "./read-pages.ts";
import { toDisplayName } from "./text-sanitizer.ts";
import type { McpServer } from "../options/mcp-options.ts";

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
  /** False: a later page could not be read. */
  readonly isComplete: boolean;
}

/**
 * Lists the tools of the server, page by page.
 *
 * @param isFatal True for an error of a later page that fails the list; otherwise the tools before it are returned.
 */
export async function listDefinitions(
  connection: McpConnection,
  signal: AbortSignal,
  isFatal: (error: unknown) => boolean,
): Promise<ListedDefinitions> {
  const byName = new Map<string, McpDefinition>();
  const problems: SourceProblem[] = [];
  const { capabilities } = connection.server;
  let characters = 0;
  const isFull = (): boolean =>
    byName.size >= maxTools || characters >= maxCharacters || problems.length >= maxProblems;
  let isCut = false;
  const onPage = (tools: readonly unknown[]): boolean => {
    for (const tool of tools) {
      isCut = isFull();
      if (isCut) return false;
      const size = measureDefinition(tool);
      characters += "fault" in size ? 0 : size.characters;
      const problem =
        "fault" in size ? tooLargeProblem(tool, size.fault) : addDefinition(tool, byName);
      if (problem !== undefined) problems.push(problem);
    }
    return !isFull();
  };
  if (capabilities["tools"] === undefined)
    return { definitions: [], problems, capabilities, isComplete: true };
  const { pages, nextCursor, fault } = await readPages({
    member: "tools",
    request: (params) => connection.request("tools/list", params, { signal }),
    onPage,
    isFatal,
  });
  if (fault !== undefined) problems.push(incompleteProblem(fault, byName.size));
  else if (isCut || nextCursor !== undefined) problems.push(cutOffProblem(pages, byName.size));
  const definitions = [...byName.values()];
  return { definitions, problems, capabilities, isComplete: fault === undefined };
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
    message: `The list was cut off after ${pages} pages with ${tools} tools: it is too large.`,
    severity: "warning",
  };
}

function incompleteProblem(fault: string, tools: number): SourceProblem {
  return {
    subject: "tools/list",
    message: `The list may be incomplete; it has the ${tools} tools before: ${fault}.`,
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
      isComplete: true,
    };
  } catch {
    return undefined;
  }
}

/** Stores a complete list. */
export async function cacheList(
  server: McpServer,
  { definitions, capabilities, isComplete }: ListedDefinitions,
): Promise<void> {
  if (!isComplete) return;
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
