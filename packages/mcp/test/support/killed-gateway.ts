import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { compileCache } from "@toolweave/test-support";
import { mcpSource } from "../../src/index.ts";
import { listenHttp, serveMcp } from "../../src/gateway/index.ts";

/**
 * A gateway over HTTP that is killed, with a server behind it. It loads, and starts when its parent
 * sends the port; then it sends its URL. Its arguments are the server's script, the server's file,
 * and the protocol's generation: `legacy` refuses the newer one.
 */
const [script = "", ledger = "", generation] = process.argv.slice(2);

const port = await new Promise<number>((resolve) => process.once("message", resolve));
const server = {
  name: "ledger",
  command: process.execPath,
  args: [script, ledger],
  env: compileCache,
  prefix: false,
} as const;
const registry = new ToolRegistry([mcpSource(server)]);
await registry.ready;
const executor = new ToolExecutor({ registry, policy: "autonomous" });
const gateway = serveMcp(registry, executor);
const { url } = await listenHttp(
  {
    async fetch(request) {
      if (generation === "legacy" && request.headers.get("mcp-method") === "server/discover") {
        return Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32601 } },
          { status: 400 },
        );
      }
      return gateway.fetch(request);
    },
  },
  { port },
);
process.send?.(url);
