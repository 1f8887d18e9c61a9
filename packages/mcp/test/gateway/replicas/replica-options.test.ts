import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { memoryRateLimits, type RateLimitStore } from "@toolweave/core/stores";
import { describe, expect, it } from "vitest";
import { serveMcp } from "../../../src/gateway/index.ts";
import { readText } from "../../support/open-gateway.ts";
import { key } from "../../support/replicas/cluster.ts";
import { replicaHere } from "../../support/replicas/raw-replica.ts";
import { ask } from "../../support/replicas/replica-requests.ts";

const call = { name: "echo", arguments: { text: "hello" } };
const answerAt = async (url: string, caller: string): Promise<string> =>
  readText((await ask(url, "tools/call", call, { caller })).result ?? { content: [] });

describe("the calls per minute of a caller", () => {
  it("are counted over all replicas that share the store of rates", async () => {
    const shared = { rateLimits: memoryRateLimits(), limits: { callsPerMinute: 2 } };
    const [one, other] = [await replicaHere(shared), await replicaHere(shared)];
    expect(await answerAt(one.url, "ann")).toBe("hello");
    expect(await answerAt(other.url, "ann")).toBe("hello");
    for (const { url } of [one, other]) {
      expect(await answerAt(url, "ann")).toMatch(
        /limit of 2 calls per minute: call again in \d+ seconds/,
      );
    }
    expect(await answerAt(one.url, "bob")).toBe("hello");
  });

  it("are not exceeded while the store is unavailable: calls are refused, and take no slot", async () => {
    let isDown = true;
    const store = memoryRateLimits();
    const rateLimits: RateLimitStore = {
      ...store,
      reserve: (requests) => {
        if (isDown) throw new Error("The store is down.");
        return store.reserve(requests);
      },
    };
    const { url } = await replicaHere({
      rateLimits,
      limits: { callsPerMinute: 9, concurrentCalls: 1 },
    });
    expect(await answerAt(url, "ann")).toContain("was not run");
    isDown = false;
    expect(await answerAt(url, "ann")).toBe("hello");
  });
});

describe("the options of a replica", () => {
  const registry = new ToolRegistry([]);
  const executor = new ToolExecutor({ registry });

  it.each([
    ["no URL", { url: "10.0.0.5:8137" }],
    ["another scheme", { url: "ftp://10.0.0.5/mcp" }],
    ["credentials", { url: "http://a:b@10.0.0.5/mcp" }],
    ["a query", { url: "http://10.0.0.5/mcp?a=1" }],
  ])("are rejected with %s", (_what, replica) => {
    expect(() => serveMcp(registry, executor, { key, replica })).toThrow(
      /replica\.url is not a plain http/,
    );
  });

  it("need a key", () => {
    const replica = { url: "http://10.0.0.5:8137/mcp" };
    expect(() => serveMcp(registry, executor, { replica })).toThrow(/replica needs a key/);
  });
});
