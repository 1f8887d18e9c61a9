import type { JsonValue } from "@toolweave/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ListCache } from "../../src/index.ts";
import { fixtureHttp } from "../support/fixture-server-http.ts";
import { fragile, said } from "../support/fragile-source.ts";
import { executorOver, opened } from "../support/open-source.ts";

function cache(): ListCache & { readonly kept: Map<string, JsonValue> } {
  const kept = new Map<string, JsonValue>();
  return {
    kept,
    get: (key) => kept.get(key),
    set: (key, list) => void kept.set(key, JSON.parse(JSON.stringify(list)) as JsonValue),
  };
}

describe("a cached list", () => {
  it("is used without the server, which is started for the first call", async () => {
    const { server, pids } = fragile("");
    const lists = cache();
    const first = opened({ ...server, cache: lists });
    await first.ready;
    await first.close();
    expect(pids()).toHaveLength(1);
    const later = opened({ ...server, cache: lists, connect: "lazy" });
    await later.ready;
    expect(later.tools().map(({ spec }) => spec)).toHaveLength(8);
    expect(pids()).toHaveLength(1);
    expect(await said(later, "echo")).toBe("echo");
    expect(pids()).toHaveLength(2);
  });

  it("has the tools for resources and prompts too, without any request if lazy", async () => {
    const http = await fixtureHttp();
    onTestFinished(() => http.close());
    const server = { name: "fixture", url: http.url, resources: true, prompts: true };
    const lists = cache();
    const first = opened({ ...server, cache: lists });
    await first.ready;
    const names = first.tools().map(({ spec }) => spec.name);
    expect(names).toEqual(
      expect.arrayContaining(["fixture__read_resource", "fixture__get_prompt"]),
    );
    await first.close();
    http.requests.length = 0;
    const later = opened({ ...server, cache: lists, connect: "lazy" });
    await later.ready;
    expect(later.tools().map(({ spec }) => spec.name)).toEqual(names);
    // Earlier messages have arrived before these.
    for (let round = 0; round < 3; round++) await fetch(http.url, { method: "PUT" });
    expect(http.requests.map(({ method }) => method)).toEqual(["PUT", "PUT", "PUT"]);
    const args = { uri: "fixture://text" };
    const call = { id: "1", name: "fixture__read_resource", arguments: args };
    expect(await executorOver(later).execute(call)).toMatchObject({ status: "completed" });
  });

  it("is replaced by the server's list once it is connected, in one change", async () => {
    const { server } = fragile("renewed");
    const lists = cache();
    const first = opened({ ...server, cache: lists });
    await first.ready;
    await first.close();
    const before = structuredClone([...lists.kept.values()]);
    const later = opened({ ...server, cache: lists });
    const received = vi.fn<() => void>();
    later.onChange(received);
    await later.ready;
    expect(later.tools()[0]?.spec.description).not.toBe("Another one.");
    received.mockClear();
    await vi.waitFor(() => expect(received).toHaveBeenCalledTimes(1), { timeout: 60_000 });
    expect(later.tools()[0]?.spec.description).toBe("Another one.");
    expect([...lists.kept.values()]).not.toEqual(before);
  });

  it("is separate for a server with other arguments", async () => {
    const lists = cache();
    for (const ways of ["", "children"]) {
      const source = opened({ ...fragile(ways).server, cache: lists });
      await source.ready;
    }
    expect(lists.kept.size).toBe(2);
    for (const key of lists.kept.keys()) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each([
    ["fails", () => Promise.reject(new Error("disk"))],
    ["contains something else", () => ({ tools: [1, null, { name: 2 }], capabilities: 3 })],
  ])("that %s has no effect except that the server is asked", async (_, get) => {
    const broken = { get, set: () => Promise.reject(new Error("disk")) } as ListCache;
    const source = opened({ ...fragile("").server, cache: broken });
    await source.ready;
    await vi.waitFor(() => expect(source.tools()).toHaveLength(8), { timeout: 60_000 });
  });
});

describe("a lazy server", () => {
  it("that is lost is not restarted before the next call", async () => {
    const { server, pids } = fragile("");
    const source = opened({ ...server, connect: "lazy" });
    await source.ready;
    expect(source.tools()).toHaveLength(8);
    process.kill(pids()[0] as number, "SIGKILL");
    await vi.waitFor(async () => expect(await said(source, "echo")).toBe("echo"), 60_000);
    expect(pids()).toHaveLength(2);
  });
});
