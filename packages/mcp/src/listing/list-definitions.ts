import type { JsonObject, SourceProblem } from "@toolweave/core";
import type { McpConnection, McpDefinition } from "../transport/messages/mcp-connection.ts";
import { measureDefinition } from "../schema/definition-budget.ts";
import { toDisplayName } from "./sanitize-texts.ts";

/** More pages than any real list has: a server may go on without end. */
const mostPages = 1_000;

/** What a registry takes of one source. */
const mostTools = 20_000;

/** Of all definitions together: what a process can hold and look through. */
const mostCharacters = 50_000_000;

/** What somebody reads of one list. */
const mostProblems = 1_000;

/** What a server lists. */
export interface ListedDefinitions {
  /** Each name once. */
  readonly definitions: readonly McpDefinition[];
  /** What could not be taken, and why. */
  readonly problems: readonly SourceProblem[];
  /** What the server said that it can do. */
  readonly capabilities: JsonObject;
}

/** Every tool that the server lists, page by page. */
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
    byName.size >= mostTools || characters >= mostCharacters || problems.length >= mostProblems;
  do {
    cursors.add(cursor);
    const { tools, nextCursor } = await pageOf(connection, cursor, signal);
    for (const tool of tools) {
      isCut = isFull();
      if (isCut) break;
      const size = measureDefinition(tool);
      characters += "fault" in size ? 0 : size.characters;
      const problem = "fault" in size ? tooLarge(tool, size.fault) : take(tool, byName);
      if (problem !== undefined) problems.push(problem);
    }
    cursor = nextCursor;
    if (cursor === undefined) break;
    isCut ||= isFull() || cursors.size >= mostPages || cursors.has(cursor);
  } while (!isCut);
  if (isCut) problems.push(endless(cursors.size, byName.size));
  const { capabilities } = connection.server;
  return { definitions: [...byName.values()], problems, capabilities };
}

/** One page, whatever the server answers. */
async function pageOf(
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

function take(tool: unknown, byName: Map<string, McpDefinition>): SourceProblem | undefined {
  const { name } = (tool ?? {}) as { readonly name?: unknown };
  if (typeof name !== "string" || name === "") {
    return { subject: "a tool without a name", message: "The server lists a tool without a name." };
  }
  if (byName.has(name)) {
    const shown = toDisplayName(name);
    return {
      subject: shown,
      message: `The server lists "${shown}" twice; the first one is taken.`,
    };
  }
  byName.set(name, tool as McpDefinition);
  return undefined;
}

function tooLarge(tool: unknown, fault: string): SourceProblem {
  const { name } = (tool ?? {}) as { readonly name?: unknown };
  const subject = typeof name === "string" ? toDisplayName(name) : "a tool without a name";
  return { subject, message: `It is no tool: ${fault}.` };
}

function endless(pages: number, tools: number): SourceProblem {
  return {
    subject: "tools/list",
    message: `The list goes on after ${pages} pages with ${tools} tools, is too large, or begins again; the rest is not taken.`,
    severity: "warning",
  };
}
