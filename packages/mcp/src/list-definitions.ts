import type { SourceProblem } from "@toolweave/core";
import type { McpConnection, McpDefinition } from "./connection.ts";

/** More pages than any real list has: a server may go on without end. */
const mostPages = 1_000;

/** What a registry takes of one source. */
const mostTools = 20_000;

/** What a server lists. */
export interface ListedDefinitions {
  /** Each name once. */
  readonly definitions: readonly McpDefinition[];
  /** What could not be taken, and why. */
  readonly problems: readonly SourceProblem[];
}

/** Every tool that the server lists, page by page. */
export async function listDefinitions(
  connection: McpConnection,
  signal: AbortSignal,
): Promise<ListedDefinitions> {
  const byName = new Map<string, McpDefinition>();
  const problems: SourceProblem[] = [];
  const cursors = new Set<string | undefined>();
  let cursor: string | undefined;
  do {
    cursors.add(cursor);
    const { tools, nextCursor } = await connection.listPage(cursor, signal);
    for (const tool of tools) {
      const problem = byName.size < mostTools ? take(tool, byName) : undefined;
      if (problem !== undefined) problems.push(problem);
    }
    cursor = nextCursor;
  } while (cursor !== undefined && !cursors.has(cursor) && !isFull(cursors.size, byName.size));
  if (cursor !== undefined) problems.push(endless(cursors.size, byName.size));
  return { definitions: [...byName.values()], problems };
}

function isFull(pages: number, tools: number): boolean {
  return pages >= mostPages || tools >= mostTools;
}

function take(tool: unknown, byName: Map<string, McpDefinition>): SourceProblem | undefined {
  const { name } = (tool ?? {}) as { readonly name?: unknown };
  if (typeof name !== "string" || name === "") {
    return { subject: "a tool without a name", message: "The server lists a tool without a name." };
  }
  if (byName.has(name)) {
    return { subject: name, message: `The server lists "${name}" twice; the first one is taken.` };
  }
  byName.set(name, tool as McpDefinition);
  return undefined;
}

function endless(pages: number, tools: number): SourceProblem {
  return {
    subject: "tools/list",
    message: `The list goes on after ${pages} pages with ${tools} tools, or begins again; the rest is not taken.`,
    severity: "warning",
  };
}
