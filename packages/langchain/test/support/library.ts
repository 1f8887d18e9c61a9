import type { Manifest } from "@toolweave/conformance";
import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { LangchainTool } from "../../src/index.ts";

/** A library of LangChain's own tools, of every kind. */
export interface Library {
  readonly tools: readonly LangchainTool[];
  /** The books that were added, in order. */
  readonly added: readonly string[];
}

/** Bytes of the longest book. */
const longest = 300_000;

export function library(): Library {
  const added: string[] = [];
  const getBook = tool(
    ({ id }) => {
      if (id > 2) throw new Error(`There is no book ${id}.`);
      return { id, title: "Emma" };
    },
    {
      name: "get_book",
      description: "Get a book by its number.",
      schema: z.object({ id: z.number().int(), language: z.string().default("en") }),
    },
  );
  const addBook = tool(
    ({ title }) => {
      added.push(title);
      return `added ${title}`;
    },
    {
      name: "add_book",
      description: "Add a book.",
      schema: z.object({ title: z.string().min(1) }),
    },
  );
  const search = tool(
    (input) => [[{ type: "text", text: `1 book about ${JSON.stringify(input)}` }], { hits: [1] }],
    {
      name: "search",
      description: "Search the books.",
      schema: {
        type: "object",
        properties: { query: { type: "string" }, limit: { type: "integer", minimum: 1 } },
        required: ["query"],
      },
      responseFormat: "content_and_artifact",
    },
  );
  const takeInventory = tool(
    (_, { signal }) =>
      new Promise<string>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("Stopped.")), { once: true });
      }),
    { name: "take_inventory", description: "Count all books.", schema: z.object({}) },
  );
  const readBook = tool(() => "Clarissa ".repeat(longest / 9), {
    name: "read_book",
    description: "Read the longest book.",
    schema: z.object({}),
  });
  const bindBook = tool(
    async function* ({ id }: { id: number }) {
      yield "sewing";
      yield { glued: true };
      return `book ${id} is bound`;
    },
    {
      name: "bind_book",
      description: "Bind a book.",
      schema: z.object({ id: z.number() }),
    },
  );
  const lose = tool(
    (_, config: { toolCall?: { id?: string } }) =>
      new ToolMessage({
        status: "error",
        content: "The book is lost.",
        tool_call_id: config.toolCall?.id ?? "",
      }),
    { name: "find_book", description: "Find a book.", schema: z.object({}) },
  );
  const tools = [getBook, addBook, search, takeInventory, readBook, bindBook, lose];
  return { tools: tools, added };
}

/** The calls that the kit can make to the library. */
export function libraryManifest(
  name: string,
  added: () => readonly string[],
  create: Manifest["create"],
  named: (tool: string) => string,
): Manifest {
  return {
    name,
    create,
    samples: {
      succeedingCalls: [
        { tool: named("get_book"), arguments: { id: 1 } },
        { tool: named("get_book"), arguments: { id: 2, language: "fr" } },
        { tool: named("search"), arguments: { query: "love" } },
      ],
      failingCalls: [
        { tool: named("get_book"), arguments: { id: 7 } },
        { tool: named("find_book"), arguments: {} },
      ],
      slowCalls: [{ tool: named("take_inventory"), arguments: {} }],
      effectCalls: [
        {
          tool: named("add_book"),
          arguments: { title: "Persuasion" },
          count: () => added().length,
        },
      ],
      updatingCalls: [{ tool: named("bind_book"), arguments: { id: 1 } }],
      largeCalls: [{ tool: named("read_book"), arguments: {}, bytes: longest }],
    },
    generatedCalls: ["get_book", "add_book", "search", "bind_book"].map(named),
    state: () => [...added()],
    without: {
      suspendingCalls: "a tool of LangChain asks a graph, and there is none around it",
      secrets: "it receives none",
      change: "the list is read once",
      outage: "it depends only on the process",
    },
  };
}
