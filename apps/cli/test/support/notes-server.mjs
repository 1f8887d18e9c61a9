// An MCP server in a few lines: it reads notes, and counts in a file those that it writes.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { NOTES = "", READS = "Read all notes.", HAS = "Milk.", ASKS } = process.env;
const text = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const tools = [
  {
    name: "read_notes",
    description: READS,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  },
  { name: "write_note", description: "Write a note.", inputSchema: text },
];

/** For clients that let it ask their model. */
const summary = { name: "sum_up", description: "Sum up.", inputSchema: { type: "object" } };

const call = ({ name, arguments: args = {} }) => {
  if (name === "write_note") appendFileSync(NOTES, `${args.text}\n`);
  return { content: [{ type: "text", text: name === "write_note" ? "Written." : HAS }] };
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answers = {
    initialize: () => {
      if (ASKS === "model" && params.capabilities.sampling !== undefined) tools.push(summary);
      return {
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "notes", version: "1" },
      };
    },
    ping: () => ({}),
    "tools/list": () => ({ tools }),
    "tools/call": () => call(params),
  };
  const result = answers[method]?.();
  const error = { code: -32601, message: "Method not found" };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
});
