import { defineTool, ToolExecutor, ToolRegistry, type ExecutorOptions } from "@toolweave/core";
import { listenHttp, serveMcp } from "../src/gateway/index.ts";
import { suiteProvider } from "./server-provider.ts";
import { suiteTools } from "./server-tools.ts";

/** A gateway with what the suite needs. */
export interface SuiteServer {
  /** `http://127.0.0.1:8137/mcp` */
  readonly url: string;
  /** Changes the tools or the prompts, and notifies the clients. */
  change(kind: "tools" | "prompts"): void;
  close(): Promise<void>;
}

/** A gateway that is one of several. */
export interface SuiteReplica {
  readonly port: number;
  readonly key: string;
  readonly stores: Pick<ExecutorOptions, "pendingCalls" | "tasks">;
  /** Called in place of `change` when a tool of the suite changes something: all replicas have the same upstreams. */
  onChange(kind: "tools" | "prompts"): void;
}

/** Serves the tools, resources and prompts of the official suite over HTTP, on this machine. */
export async function suiteServer(replica?: SuiteReplica): Promise<SuiteServer> {
  const provider = suiteProvider();
  const registry = new ToolRegistry();
  const change = (kind: "tools" | "prompts"): void => {
    if (kind === "prompts") provider.changed({ type: "prompts" });
    else void changeTools(registry);
  };
  registry.add(...suiteTools(replica === undefined ? change : (kind) => replica.onChange(kind)));
  const key = replica === undefined ? {} : { key: replica.key };
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    ...key,
    ...replica?.stores,
  });
  const gateway = serveMcp(registry, executor, {
    name: "suite",
    providers: [provider],
    ...key,
    ...(replica === undefined ? {} : { replica: { url: `http://127.0.0.1:${replica.port}/mcp` } }),
  });
  const listener = await listenHttp(gateway, replica === undefined ? {} : { port: replica.port });
  return {
    url: listener.url,
    change,
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
