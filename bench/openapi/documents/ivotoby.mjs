// Every schema that a model is shown, by a peer that makes them all when it starts.
import { ToolsManager } from "@ivotoby/openapi-mcp-server";

const manager = new ToolsManager({
  name: "measured",
  version: "1",
  apiBaseUrl: "http://127.0.0.1",
  openApiSpec: process.argv[2],
  specInputMethod: "file",
  transportType: "stdio",
  toolsMode: "all",
  verbose: false,
});
await manager.initialize();
const count = manager.getToolsWithIds().filter(([, tool]) => typeof tool.inputSchema === "object");
if (count.length === 0) throw new Error("no operations");
