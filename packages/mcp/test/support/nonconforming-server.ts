import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A server that violates the protocol in a way that the SDK's would not: it implements the older
 * protocol itself. Its first argument is the violation.
 */
const odd = process.argv[2] ?? "";

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly cursor?: string; readonly name?: string };
}

const send = (message: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tool = (name: string, more: object = {}): object => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

let lists = 0;
const pages: Readonly<Record<string, (cursor: string | undefined) => object>> = {
  names: () => ({
    tools: [
      tool("files/read"),
      tool("files.read"),
      tool("ok"),
      tool("ok", { description: "Again." }),
      { inputSchema: { type: "object" } },
      null,
      tool("no_object", { inputSchema: { type: "string" } }),
      tool("no_schema", { inputSchema: undefined }),
      tool("elsewhere", {
        inputSchema: { type: "object", properties: { a: { $ref: "https://x.test/a" } } },
      }),
      tool("hints", {
        annotations: {
          readOnlyHint: true,
          destructiveHint: "no",
          title: "Hints",
          needsApprovalHint: false,
        },
      }),
      tool("as_task", { execution: { taskSupport: "required" } }),
    ],
  }),
  pages: (cursor = "0") => ({
    tools: [tool(`page_${cursor}`)],
    ...(Number(cursor) < 4 ? { nextCursor: `${Number(cursor) + 1}` } : {}),
  }),
  endless: (cursor) => ({
    tools: [tool(cursor ?? "first")],
    nextCursor: cursor === "b" ? "a" : "b",
  }),
  always: (cursor = "0") => ({
    tools: [tool(`page_${cursor}`)],
    nextCursor: `${Number(cursor) + 1}`,
  }),
  hidden: () => ({
    tools: [
      tool("add\u200Bition", {
        title: "Add\u202E",
        description: "Add.\u{E0072}\u{E0075}\u{E006E} \u001B[31mNow\u001B[0m \uD83D!",
        annotations: { title: "\u2060" },
        inputSchema: {
          type: "object",
          title: "Numb\u200Bers",
          properties: {
            "a\u200B": { const: "\u200B", description: "\uFEFFFirst." },
            description: { type: "string", default: "\u200B", pattern: "^\u200B?$" },
            list: { type: "array", items: [{ title: "\u00ADItem" }, { enum: ["\u00AD"] }] },
            // As in JSON: a member, not a prototype.
            ["__proto__"]: { $comment: "Se\u2060en." },
          },
          required: ["a\u200B"],
          allOf: [{ $ref: "#/$defs/x" }],
          $defs: { x: { description: "Def\u200Binition.", examples: [{ title: "\u200B" }] } },
        },
        outputSchema: { type: "object", description: "Su\u200Bm." },
      }),
      tool("greet", {
        description:
          "\u0633\u0644\u0627\u0645 \u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 👨\u200D👩\u200D👧 ✔\uFE0F\n\tdone",
      }),
      tool("nothing", { description: "\u200B\u2060" }),
      tool("still"),
    ],
  }),
  flood: () => ({ tools: [tool("still"), tool(`list_${lists++}`)] }),
};

if (odd === "dies") {
  process.stderr.write(`cannot open the library with ${process.env["LIBRARY_TOKEN"]}\n`);
  process.exit(3);
}
if (odd === "children") {
  // A grandchild that gets no signal to exit.
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  process.stderr.write(`${child.pid}`);
  process.env["CHILD"] = `${child.pid}`;
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  if (odd === "fragile" && method !== "initialize" && lists === 0) process.exit(1);
  lists += odd === "fragile" ? 1 : 0;
  if (method === "initialize") {
    const capabilities = { tools: { listChanged: true } };
    const serverInfo = { name: "odd", version: "1" };
    send({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo } });
  } else if (method === "tools/list") {
    send({
      id,
      result: pages[odd]?.(params?.cursor) ?? {
        tools: [tool("pid"), tool("flood"), tool("widget")],
      },
    });
  } else if (method === "tools/call") {
    answer(id, params?.name);
  } else if (id !== undefined) {
    send({ id, error: { code: -32601, message: "Method not found" } });
  }
});

function answer(id: number | undefined, name: string | undefined): void {
  switch (name) {
    case "still":
      for (let count = 0; count < 1_000; count++)
        send({ method: "notifications/tools/list_changed" });
      return void send({ id, result: { content: [] } });
    case "widget":
      return void send({
        id,
        result: { content: [{ type: "widget", colour: "red" }], structuredContent: { a: [1] } },
      });
    case "pid":
      return void send({
        id,
        result: { content: [{ type: "text", text: process.env["CHILD"] ?? `${process.pid}` }] },
      });
    default:
      return void send({
        id,
        error: { code: -32602, message: "There is no such thing.", data: { a: 1 } },
      });
  }
}
