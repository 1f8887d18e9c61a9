import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GatewayMetrics } from "../../../src/gateway/index.ts";
import { gatewayMetrics } from "../../../src/gateway/telemetry/index.ts";
import { replicaHere, sessionAt } from "../../support/replicas/raw-replica.ts";
import { freePort } from "@toolweave/test-support/replicas";
import { ask, askIn, fetchIn, startSession } from "../../support/replicas/replica-requests.ts";

/** The measurements of a gateway, by name: attributes and value of each series. */
function collected(): {
  readonly metrics: GatewayMetrics;
  values(name: string): Promise<readonly (readonly [object, unknown])[]>;
} {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const provider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter })],
  });
  onTestFinished(() => provider.shutdown());
  return {
    metrics: gatewayMetrics({ meter: provider.getMeter("test") }),
    async values(name) {
      await provider.forceFlush();
      const all = exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics);
      const found = all?.find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ attributes, value }) => [
        attributes,
        typeof value === "number" ? value : value.count,
      ]);
    },
  };
}

const echo = { name: "echo", arguments: { text: "hello" } };

describe("the metrics of a gateway", () => {
  it("count requests by method, and calls by tool, source and error", async () => {
    const { metrics, values } = collected();
    const { url } = await replicaHere({ metrics });
    await ask(url, "tools/call", echo);
    await ask(url, "tools/call", { name: "echo", arguments: { text: 7 } });
    await ask(url, "tools/call", { name: "no such tool", arguments: {} });
    await ask(url, "tools/call", { ...echo, requestState: "forged" });
    const call = { "mcp.method.name": "tools/call" };
    const tool = {
      ...call,
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "echo",
      "toolweave.tool.source": expect.any(String) as string,
    };
    const invalid = { "error.type": "-32602", "rpc.response.status_code": "-32602" };
    expect(await values("mcp.server.operation.duration")).toEqual([
      [tool, 1],
      [{ ...tool, "error.type": "tool_error" }, 1],
      [{ ...call, ...invalid }, 1],
      [{ ...tool, ...invalid }, 1],
    ]);
  });

  it("count open sessions, and measure those that have ended", async () => {
    const { metrics, values } = collected();
    const { url } = await replicaHere({ metrics });
    const session = await startSession(url);
    expect(await values("toolweave.gateway.sessions")).toEqual([[{}, 1]]);
    await fetchIn(url, session, "DELETE");
    expect(await values("toolweave.gateway.sessions")).toEqual([[{}, 0]]);
    expect(await values("mcp.server.session.duration")).toEqual([[{}, 1]]);
  });

  it("count requests that were forwarded, and those to processes that have ended", async () => {
    const { metrics, values } = collected();
    const { url } = await replicaHere({ metrics });
    const other = await replicaHere();
    await askIn(url, await startSession(other.url), "tools/list", {});
    const nowhere = { url: `http://127.0.0.1:${await freePort()}/mcp`, instance: "1" };
    await askIn(url, await sessionAt(nowhere), "tools/list", {});
    expect(await values("toolweave.gateway.forwarded_requests")).toEqual([
      [{ "toolweave.gateway.forward.result": "forwarded" }, 1],
      [{ "toolweave.gateway.forward.result": "unreachable" }, 1],
    ]);
  });

  it("have a meter", () => {
    expect(() => gatewayMetrics({ meter: {} as never })).toThrow(/meter is not a meter/);
  });
});
