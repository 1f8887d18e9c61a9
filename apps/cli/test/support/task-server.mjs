// An MCP server of 2025-11-25 in a few lines: its only tool runs as a task.
import { createInterface } from "node:readline";

const now = new Date().toISOString();
const task = (status) => ({
  ...{ taskId: "t1", status, ttl: 60_000, pollInterval: 1 },
  ...{ createdAt: now, lastUpdatedAt: now },
});
const build = {
  name: "build",
  description: "Build it.",
  inputSchema: { type: "object" },
  execution: { taskSupport: "required" },
};
const results = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
    serverInfo: { name: "tasks", version: "1" },
  },
  ping: {},
  "tools/list": { tools: [build] },
  "tools/call": { task: task("working") },
  "tasks/get": task("completed"),
  "tasks/result": { content: [{ type: "text", text: "Built in nine steps." }] },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = results[method];
  const error = { code: -32601, message: "Method not found" };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
});
