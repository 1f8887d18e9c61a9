// An MCP server in a few lines: it tells its arguments, environment and folder, and describes its tool as it is told to.
import { createInterface } from "node:readline";

const { ECHO_DESCRIPTION = "Tells what the server was started with." } = process.env;
const tools = [
  {
    name: "started_with",
    description: ECHO_DESCRIPTION,
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
  },
  { name: "other", description: "Does nothing.", inputSchema: { type: "object" } },
];

const answers = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call": () => {
    const { env, argv } = process;
    const started = { args: argv.slice(2), cwd: process.cwd(), key: env.API_KEY, name: env.NAME };
    return { content: [{ type: "text", text: JSON.stringify(started) }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.();
  const error = { code: -32601, message: "Method not found" };
  process.stdout.write(
    `${JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) })}\n`,
  );
});
