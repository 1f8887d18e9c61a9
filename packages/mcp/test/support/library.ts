import { appendFileSync, existsSync, rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  fromJsonSchema,
  inputRequired,
  McpServer,
  UrlElicitationRequiredError,
  type CallToolResult,
} from "@modelcontextprotocol/server";

const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

/** One grey pixel. */
export const cover =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

/** Audio of length zero. */
export const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const book = {
  type: "object" as const,
  properties: { id: { type: "integer" as const }, title: { type: "string" as const } },
  required: ["id", "title"],
};

const written = {
  type: "object" as const,
  properties: { file: { type: "string" as const } },
  required: ["file"],
};

const reader = {
  type: "object" as const,
  properties: { name: { type: "string" as const, minLength: 1 } },
  required: ["name"],
};

const fine = {
  mode: "url" as const,
  elicitationId: "fine",
  message: "Pay there.",
  url: "https://library.test/fines",
};

/** The answer of a person. */
interface Answered {
  readonly action: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** The state that outlives a server that is created for each request. */
export interface LibraryWorld {
  edition: number;
  /** Notifies all clients that the tools have changed. */
  announce?: () => void;
}

/** A library as an MCP server, with most features of a server. */
export function library(world: LibraryWorld): McpServer {
  const server = new McpServer({ name: "library", version: "1.0.0" });
  const titles = new Map([[1, "Emma"]]);
  const shelves = (): string =>
    world.edition === 0 ? "Move a shelf." : `Move a shelf, edition ${world.edition}.`;

  server.registerTool(
    "get_book",
    {
      title: "Get a book",
      description: "Get a book by its number.",
      inputSchema: fromJsonSchema<{ id: number }>({
        type: "object",
        properties: { id: { $ref: "#/$defs/number" } },
        required: ["id"],
        $defs: { number: { type: "integer", minimum: 1 } },
      }),
      outputSchema: fromJsonSchema(book),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ id }) => {
      const title = titles.get(id);
      if (title === undefined) return { ...said(`There is no book ${id}.`), isError: true };
      return { ...said(title), structuredContent: { id, title } };
    },
  );
  server.registerTool(
    "add-book",
    {
      description: "Add a book. What is added is written down in a file.",
      inputSchema: fromJsonSchema<{ title: string; file: string }>({
        type: "object",
        properties: { title: { type: "string", minLength: 1 }, file: { type: "string" } },
        required: ["title", "file"],
      }),
      annotations: { destructiveHint: false },
    },
    ({ title, file }) => {
      appendFileSync(file, `${title}\n`);
      return said(`Added ${title}.`);
    },
  );
  server.registerTool(
    "take.inventory",
    { description: "Count all books, which takes long.", annotations: { readOnlyHint: true } },
    async (ctx) => {
      await wait(60_000, undefined, { signal: ctx.mcpReq.signal });
      return said("One book.");
    },
  );
  server.registerTool(
    "bind_book",
    {
      description: "Bind a book, in three steps.",
      inputSchema: fromJsonSchema<{ id: number }>({
        type: "object",
        properties: { id: { type: "integer" } },
      }),
      annotations: { readOnlyHint: true },
    },
    async ({ id }, ctx) => {
      const { _meta: meta } = ctx.mcpReq;
      const progressToken = meta?.progressToken;
      for (const progress of [1, 2, 3]) {
        if (progressToken === undefined) break;
        const params = { progressToken, progress, total: 3, message: `Step ${progress}` };
        await ctx.mcpReq.notify({ method: "notifications/progress", params });
      }
      return said(`Bound ${id}.`);
    },
  );
  server.registerTool(
    "read_book",
    { description: "Read a whole book.", annotations: { readOnlyHint: true } },
    () => said("It is a truth universally acknowledged. ".repeat(10_000)),
  );
  server.registerTool(
    "show_cover",
    { description: "Show a book's cover.", annotations: { readOnlyHint: true } },
    () => ({
      content: [
        { type: "text", text: "The cover", annotations: { audience: ["user"], priority: 0.5 } },
        { type: "image", data: cover, mimeType: "image/png", _meta: { "a/b": 1 } },
        { type: "audio", data: silence, mimeType: "audio/wav" },
        { type: "resource_link", uri: "book://1", name: "Emma", mimeType: "text/plain" },
        { type: "resource", resource: { uri: "book://1/text", text: "Emma Woodhouse" } },
      ],
      _meta: { shelf: "attic" },
    }),
  );
  const shelf = server.registerTool(
    "move_shelf",
    { description: shelves(), annotations: { destructiveHint: false } },
    () => said("Moved."),
  );
  server.registerTool(
    "reorganise",
    { description: "Describe move_shelf otherwise.", annotations: { destructiveHint: false } },
    () => {
      world.edition += 1;
      shelf.update({ description: shelves() });
      world.announce?.();
      return said("Done.");
    },
  );
  server.registerTool(
    "show_environment",
    {
      description: "What the server has from its host, credentials included.",
      annotations: { readOnlyHint: true },
    },
    (ctx) => {
      const token = process.env["LIBRARY_TOKEN"] ?? ctx.http?.req?.headers.get("authorization");
      return said(`${Object.keys(process.env).sort().join(" ")}; ${token ?? "no token"}`);
    },
  );
  server.registerTool(
    "lend_book",
    {
      description: "Ask who borrows a book, and write that down in a file.",
      inputSchema: fromJsonSchema<{ file: string }>(written),
      annotations: { destructiveHint: false },
    },
    ({ file }, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.["reader"] as Answered | undefined;
      if (answer === undefined) {
        return inputRequired({
          inputRequests: {
            reader: inputRequired.elicit({ message: "Who borrows it?", requestedSchema: reader }),
          },
        });
      }
      if (answer.action !== "accept") return said("It is not borrowed.");
      appendFileSync(file, `${answer.content?.["name"]}\n`);
      return said(`Lent to ${answer.content?.["name"]}.`);
    },
  );
  server.registerTool(
    "pay_fine",
    {
      description: "Pay a fine, which takes a visit to the library's page.",
      inputSchema: fromJsonSchema<{ file: string }>(written),
      annotations: { destructiveHint: false },
    },
    ({ file }) => {
      if (!existsSync(`${file}.visited`)) throw new UrlElicitationRequiredError([fine]);
      rmSync(`${file}.visited`);
      appendFileSync(file, "paid\n");
      return said("Paid.");
    },
  );
  server.registerTool("leave", { description: "End without an answer." }, (): CallToolResult =>
    process.exit(7),
  );
  return server;
}
