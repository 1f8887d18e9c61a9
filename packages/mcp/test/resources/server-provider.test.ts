import { describe, expect, it, onTestFinished } from "vitest";
import type { McpServer, McpSource } from "../../src/index.ts";
import type { McpProviderCall, McpProviderChange } from "../../src/options/provider.ts";
import { fixtureHttp, type FixtureHttp } from "../support/fixture-server-http.ts";
import { fixtureStdio } from "../support/fixture-server-options.ts";
import { rawHttp } from "../support/raw-http.ts";
import { oddServer, opened, findTool } from "../support/open-source.ts";

const call: McpProviderCall = { signal: new AbortController().signal };

async function open(
  era: "legacy" | "modern",
  more: Partial<McpServer> = {},
): Promise<{ readonly http: FixtureHttp; readonly source: McpSource }> {
  const http = await fixtureHttp({ era });
  onTestFinished(() => http.close());
  const source = opened({ name: "the fixture", url: http.url, ...more } as McpServer);
  await source.ready;
  return { http, source };
}

describe.each(["legacy", "modern"] as const)("the provider of a %s server", (era) => {
  it("returns lists, contents and completions unchanged", async () => {
    const { provider } = (await open(era)).source;
    expect(provider.id).toBe("the_fixture");
    await provider.ready;
    expect(await provider.resources?.list(call)).toHaveLength(9);
    expect(await provider.resources?.templates(call)).toHaveLength(3);
    expect((await provider.resources?.list(call))?.[0]).toMatchObject({
      name: "text",
      icons: [{ mimeType: "image/png" }],
      _meta: { "fixture/kind": "text" },
      annotations: { priority: 0.5 },
    });
    expect(await provider.prompts?.list(call)).toMatchObject([
      { name: "greet" },
      {},
      { name: "say/nothing" },
    ]);
    expect(await provider.resources?.read({ uri: "fixture://text" }, call)).toMatchObject({
      contents: [{ uri: "fixture://text", text: "Hello" }],
    });
    await expect(async () =>
      provider.resources?.read({ uri: "fixture://no" }, call),
    ).rejects.toMatchObject({
      code: "not_found",
    });
    const params = { name: "greet", arguments: { name: "Bo" } };
    expect(await provider.prompts?.get(params, call)).toMatchObject({
      messages: [{ role: "user" }],
    });
    const asked = {
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "month", value: "j" },
      context: { arguments: { name: "Bo" } },
    };
    expect(await provider.complete?.(asked, call)).toMatchObject({
      completion: { values: ["january for Bo", "july for Bo", "june for Bo"], total: 3 },
    });
  });

  it("emits changes of lists and of watched resources", async () => {
    const { http, source } = await open(era);
    const changes: McpProviderChange[] = [];
    const stop = source.provider.onChange((change) => changes.push(change));
    http.world.announce({ what: "prompts" });
    await expect.poll(() => changes).toEqual([{ type: "prompts" }]);
    http.world.announce({ what: "resources" });
    await expect.poll(() => changes.at(-1)).toEqual({ type: "resources" });

    const uri = "fixture://picture";
    await source.provider.resources?.subscribe?.(uri);
    http.world.announce({ what: "resource", uri });
    await expect.poll(() => changes.at(-1)).toEqual({ type: "resource", uri });
    await source.provider.resources?.unsubscribe?.(uri);
    await source.provider.resources?.subscribe?.("fixture://text");
    changes.length = 0;
    http.world.announce({ what: "resource", uri });
    http.world.announce({ what: "resource", uri: "fixture://text" });
    await expect.poll(() => changes).toEqual([{ type: "resource", uri: "fixture://text" }]);
    stop();
  });

  it("is empty for a server without resources and prompts", async () => {
    const { provider } = opened(oddServer(""));
    await provider.ready;
    expect([provider.resources, provider.prompts, provider.complete]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it("a resource is watched over the next connection too, with a change event", async () => {
  const source = opened(fixtureStdio);
  await source.ready;
  const uri = "fixture://text";
  await source.provider.resources?.subscribe?.(uri);
  const changes: McpProviderChange[] = [];
  source.provider.onChange((change) => changes.push(change));
  const invoke = (name: string, args = {}): unknown =>
    findTool(source, `fixture__${name}`).invoke(args, {
      ...call,
      progress() {},
      idempotencyKey: async () => "k",
    } as never);
  const { value } = (await invoke("show_process")) as { value: { pid: number } };
  process.kill(value.pid, "SIGKILL");
  await expect.poll(() => changes, { timeout: 60_000 }).toContainEqual({ type: "resource", uri });
  changes.length = 0;
  await expect
    .poll(async () => {
      await invoke("change", { what: "resource", uri });
      return changes;
    })
    .toContainEqual({ type: "resource", uri });
});

it("a resource whose subscription a server of 2026-07-28 rejects is not watched", async () => {
  const url = await rawHttp(({ message, json }) =>
    message.method === "server/discover"
      ? json({
          result: {
            resultType: "complete",
            supportedVersions: ["2026-07-28"],
            capabilities: { resources: { subscribe: true } },
            ttlMs: 0,
            cacheScope: "private",
          },
        })
      : json({ error: { code: -32_603, message: "Too many subscriptions" } }),
  );
  const source = opened({ name: "raw", url });
  await source.ready;
  await expect(async () => source.provider.resources?.subscribe?.("any://thing")).rejects.toThrow(
    "Too many subscriptions",
  );
});
