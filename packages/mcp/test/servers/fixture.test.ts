import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { McpSource } from "../../src/index.ts";
import { fixtureHttp, type FixtureHttp } from "../support/fixture-server-http.ts";
import { icons, sound } from "../support/fixture-server-state.ts";
import { runCall } from "../support/everything-host.ts";
import { executorOver, opened, findTool } from "../support/open-source.ts";

/** Features that no server from npm has. Its tasks are those of `tasks/remote-tasks.test.ts`. */
async function fixture(
  era: "legacy" | "modern",
): Promise<{ readonly http: FixtureHttp; readonly source: McpSource }> {
  const http = await fixtureHttp({ era });
  onTestFinished(() => http.close());
  const source = opened({ name: "fixture", url: http.url, prefix: false });
  await source.ready;
  return { http, source };
}

describe.each(["legacy", "modern"] as const)("a server of ours, in the %s protocol,", (era) => {
  it("lists tools, resources, templates and prompts in three pages", async () => {
    const { source } = await fixture(era);
    expect(source.tools()).toHaveLength(23);
    expect(source.problems).toEqual([]);
    const { resources, prompts } = source.provider;
    const call = { signal: new AbortController().signal };
    expect(await resources?.list(call)).toHaveLength(9);
    expect(await resources?.templates(call)).toHaveLength(3);
    expect(await prompts?.list(call)).toHaveLength(3);
  });

  it("has icons and _meta, for tools, resources, templates and prompts", async () => {
    const { source } = await fixture(era);
    expect(findTool(source, "echo").spec).toMatchObject({
      title: "Echo",
      metadata: { icons, _meta: { "fixture/kind": "tool" } },
    });
    expect(findTool(source, "add").spec.metadata?.["icons"]).toBeUndefined();
    const { resources, prompts } = source.provider;
    const call = { signal: new AbortController().signal };
    const withMeta = (kind: string): object => ({ icons, _meta: { "fixture/kind": kind } });
    expect((await resources?.list(call))?.[0]).toMatchObject(withMeta("text"));
    expect((await resources?.templates(call))?.[0]).toMatchObject(withMeta("template"));
    expect((await prompts?.list(call))?.[0]).toMatchObject(withMeta("prompt"));
  });

  it("returns audio and every other kind of content unchanged", async () => {
    const { source } = await fixture(era);
    const executor = executorOver(source);
    const { content } = await runCall(executor, "show_everything", {}, { inlineBinary: true });
    expect(content.map(({ type }) => type)).toEqual([
      "text",
      "image",
      "audio",
      "resource_link",
      "resource",
      "resource",
    ]);
    expect(content[2]).toEqual({ type: "audio", data: sound, mimeType: "audio/wav" });
  });

  it("is notified of a cancelled call", async () => {
    const { http, source } = await fixture(era);
    const executor = executorOver(source);
    const stop = new AbortController();
    const before = http.requests.length;
    const waiting = executor.execute(
      { id: "1", name: "wait", arguments: { label: "the call" } },
      { signal: stop.signal },
    );
    await vi.waitFor(() => expect(http.requests.length).toBeGreaterThan(before), 60_000);
    stop.abort();
    expect(await waiting).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    await vi.waitFor(async () => {
      const { value } = await runCall(executor, "show_cancelled");
      expect(value).toEqual({ labels: ["the call"] });
    });
  });
});
