import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { listenHttp, serveMcp } from "../src/gateway/index.ts";
import { suiteProvider } from "./server-provider.ts";
import { suiteTools } from "./server-tools.ts";

/** A gateway with what the suite needs. */
export interface SuiteServer {
  /** `http://127.0.0.1:8137/mcp` */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the tools, resources and prompts of the official suite over HTTP, on this machine. */
export async function suiteServer(): Promise<SuiteServer> {
  const provider = suiteProvider();
  const registry = new ToolRegistry();
  const tools = suiteTools((kind) => {
    if (kind === "prompts") provider.changed({ type: "prompts" });
    else void changeTools(registry);
  });
  registry.add(...tools);
  const executor = new ToolExecutor({ registry, policy: "autonomous" });
  const gateway = serveMcp(registry, executor, { name: "suite", providers: [provider] });
  const listener = await listenHttp(gateway);
  return {
    url: listener.url,
    async close() {
      await Promise.all([gateway.close({ graceMs: 0 }), listener.close(0)]);
      await registry.close();
    },
  };
}

/** Whatever there was of them before, the tools are others afterwards. */
async function changeTools(registry: ToolRegistry): Promise<void> {
  const name = "test_dynamic_tool";
  if (registry.get(name) !== undefined) return registry.remove(name);
  const description = "A tool that comes and goes.";
  const input = { type: "object", properties: {} } as const;
  registry.add(defineTool({ name, description, input, execute: () => "Still here." }));
}
