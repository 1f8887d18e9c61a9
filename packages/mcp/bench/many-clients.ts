// Many clients of both generations of the protocol at one gateway over loopback, with the default
// limits: checks whether any is refused or disconnected.
//
// node --conditions=@toolweave/source packages/mcp/bench/many-clients.ts [--clients 200] [--seconds
// 180] [--pause 2000]
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { defineTool, ToolExecutor, ToolRegistry } from "@toolweave/core";
import { listenHttp, serveMcp } from "../src/gateway/index.ts";
import { manyClients } from "../test/support/client-crowd.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "200" },
    seconds: { type: "string", default: "180" },
    pause: { type: "string", default: "2000" },
  },
});
const [clients, seconds, pauseMs] = [values.clients, values.seconds, values.pause].map(Number) as [
  number,
  number,
  number,
];

const say = (name: string): ReturnType<typeof defineTool> =>
  defineTool({
    name,
    description: "Says it again.",
    input: { type: "object", properties: { say: { type: "string" } } },
    execute: ({ say: said }) => String(said),
  });
const registry = new ToolRegistry([say("say")]);
const executor = new ToolExecutor({ registry, policy: "autonomous" });
const gateway = serveMcp(registry, executor);
const listener = await listenHttp(gateway);
const loop = monitorEventLoopDelay();
loop.enable();
const endsAt = performance.now() + seconds * 1_000;
// Of gateway and clients, which share the process; in ten parts of the time.
const heapMegabytes: number[] = [];
const sampling = setInterval(() => {
  heapMegabytes.push(Math.round(process.memoryUsage().heapUsed / 1e6));
}, seconds * 100);
const { failures, ...report } = await manyClients({
  url: listener.url,
  clients,
  async mayCall(_, calls) {
    // Not all at the same moment.
    await delay(calls === 0 ? Math.random() * pauseMs : pauseMs);
    return performance.now() < endsAt;
  },
  change: () => registry.add(say("more")),
});
clearInterval(sampling);
loop.disable();
await Promise.all([gateway.close(), listener.close()]);
await registry.close();
console.log(
  JSON.stringify(
    {
      node: process.versions.node,
      clients,
      seconds,
      ...report,
      heapMegabytes,
      failures: failures.length,
      firstFailures: failures.slice(0, 5),
      loopDelayMs: { p50: loop.percentile(50) / 1e6, p99: loop.percentile(99) / 1e6 },
    },
    undefined,
    2,
  ),
);
const cutOff = report.streams - clients;
const missed = clients - report.notified.legacy - report.notified.modern;
process.exitCode = failures.length + cutOff + missed === 0 ? 0 : 1;
