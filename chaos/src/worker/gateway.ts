// A process that serves tools over HTTP, one gateway of several with one store. It is killed at any moment, or drains
// after SIGTERM as `toolweave serve` does.
import { setTimeout as delay } from "node:timers/promises";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { listenHttp, serveMcp } from "@toolweave/mcp/serve";
import { postgresStore } from "@toolweave/postgres";
import { effectLog } from "../effect-log/client.ts";
import type { GatewaySettings } from "./gateway-settings.ts";
import { gatewayTools } from "./gateway-tools.ts";
import { workerKey } from "./messages.ts";

const settings = JSON.parse(process.argv[2] ?? "") as GatewaySettings;
const { name, port, url, schema, leaseMs, effectLogPort, drain } = settings;
const store = postgresStore({
  ...{ connectionString: url, schema, key: workerKey, leaseMs },
  auditRequired: true,
  maxPendingCallsPerOwner: 1_000_000,
  maxTasksPerOwner: 1_000_000,
});
const registry = new ToolRegistry(gatewayTools(name, effectLog(effectLogPort)));
const executor = new ToolExecutor({
  registry,
  key: workerKey,
  policy: { default: "allow", rules: [{ effect: "ask", tools: ["transfer"] }] },
  pendingCalls: store.pendingCalls,
  tasks: store.tasks,
  artifacts: store.artifacts,
  audit: store.audit,
});
const gateway = serveMcp(registry, executor, {
  key: workerKey,
  replica: { url: `http://127.0.0.1:${port}/mcp` },
  rateLimits: store.rateLimits,
  // All clients are one caller, so that each may continue what another one has started.
  limits: { concurrentCalls: 1_000, callsPerMinute: 1_000_000 },
});
const listener = await listenHttp(gateway, { port, authenticate: () => ({ id: "ada" }) });
process.once("SIGTERM", async () => {
  const { delayMs, graceMs } = drain;
  gateway.drain();
  await delay(delayMs);
  await Promise.all([gateway.close({ graceMs }), listener.close(graceMs + 2_000)]);
  process.send?.("closed");
  await executor.drain({ graceMs: 0 });
  await registry.close();
  store.close();
  process.exit(0);
});
process.once("disconnect", () => process.exit());
// Ctrl-C reaches the whole process group: the program ends its gateways itself.
process.on("SIGINT", () => {});
process.send?.("ready");
