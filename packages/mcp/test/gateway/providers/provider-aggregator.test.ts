import { ToolError, type JsonObject } from "@toolweave/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { McpProvider, McpProviderChange } from "../../../src/gateway/index.ts";
import { openClient, echo, eras, serving } from "../../support/open-gateway.ts";

interface Shelf extends McpProvider {
  changed(change: McpProviderChange): void;
  readonly watched: Set<string>;
}

function shelf(id: string, more: Partial<McpProvider> = {}): Shelf {
  const listeners = new Set<(change: McpProviderChange) => void>();
  const watched = new Set<string>();
  return {
    id,
    watched,
    resources: {
      list: () => [{ uri: `shelf://${id}/1`, name: "Emma", _meta: { "example.com/a": 1 } }],
      templates: () => [{ uriTemplate: `shelf://${id}/{book}`, name: "book" }],
      read({ uri }) {
        if (!String(uri).startsWith(`shelf://${id}/`)) throw new ToolError("not_found", "None.");
        return {
          contents: [{ uri: String(uri), text: `in ${id}`, _meta: { "example.com/a": 1 } }],
        };
      },
      subscribe: (uri) => void watched.add(uri),
      unsubscribe: (uri) => void watched.delete(uri),
    },
    prompts: {
      list: () => [{ name: "sum_up", description: "Sums up.", arguments: [{ name: "book" }] }],
      get: ({ name, arguments: args }) => ({
        description: String(name),
        messages: [{ role: "user", content: { type: "text", text: JSON.stringify(args) } }],
      }),
    },
    complete: ({ ref, argument }) => ({
      completion: { values: [id, JSON.stringify(ref), JSON.stringify(argument)] },
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    changed(change) {
      for (const listener of listeners) listener(change);
    },
    ...more,
  };
}

describe.each(eras)("resources and prompts of providers, for a %s client,", (era) => {
  it("are served unchanged, prompts with prefixed names", async () => {
    const { url } = await serving({ gateway: { providers: [shelf("a"), shelf("b")] } });
    const client = await openClient(url, era);
    expect((await client.listResources()).resources).toEqual([
      { uri: "shelf://a/1", name: "Emma", _meta: { "example.com/a": 1 } },
      { uri: "shelf://b/1", name: "Emma", _meta: { "example.com/a": 1 } },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(2);
    expect(await client.readResource({ uri: "shelf://b/7" })).toMatchObject({
      contents: [{ uri: "shelf://b/7", text: "in b", _meta: { "example.com/a": 1 } }],
    });
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
      "a__sum_up",
      "b__sum_up",
    ]);
    expect(await client.getPrompt({ name: "b__sum_up", arguments: { book: "1" } })).toMatchObject({
      description: "sum_up",
      messages: [{ role: "user", content: { type: "text", text: '{"book":"1"}' } }],
    });
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "b__sum_up" },
      argument: { name: "book", value: "E" },
    });
    expect(completion.values).toEqual([
      "b",
      '{"type":"ref/prompt","name":"sum_up"}',
      '{"name":"book","value":"E"}',
    ]);
  });

  it("that no provider has are an error with their name", async () => {
    const { url } = await serving({ gateway: { providers: [shelf("a"), shelf("b")] } });
    const client = await openClient(url, era);
    await expect(client.readResource({ uri: "shelf://c/1" })).rejects.toMatchObject({
      code: -32602,
      data: { uri: "shelf://c/1" },
    });
    await expect(client.getPrompt({ name: "sum_up" })).rejects.toMatchObject({ code: -32602 });
  });

  it("are served by the first of two providers with the same, and reported for the other", async () => {
    const providers = [shelf("a", { prefix: "x" }), shelf("b", { prefix: "x" })];
    const { url, gateway } = await serving({ gateway: { providers } });
    const client = await openClient(url, era);
    expect((await client.listPrompts()).prompts).toHaveLength(1);
    expect(gateway.problems).toMatchObject([{ provider: "b", subject: "x__sum_up" }]);
  });

  it("do not depend on a failing provider", async () => {
    const broken = shelf("broken", {
      resources: {
        list: () => Promise.reject(new Error("gone")),
        templates: () => {
          throw new Error("gone");
        },
        read: () => Promise.reject(new Error("gone")),
      },
    });
    const { url } = await serving({ gateway: { providers: [broken, shelf("a")] } });
    const client = await openClient(url, era);
    expect((await client.listResources()).resources).toHaveLength(1);
    expect(await client.readResource({ uri: "shelf://a/1" })).toMatchObject({
      contents: [{ text: "in a" }],
    });
  });

  it("fail with the error of their server", async () => {
    const complete = (): never => {
      const body = { code: -32099, message: "The shelf is gone.", data: { shelf: 3 } };
      throw new ToolError("upstream", "The shelf is gone.", { body });
    };
    const { url } = await serving({ gateway: { providers: [shelf("a", { complete })] } });
    const client = await openClient(url, era);
    const ref = { type: "ref/prompt", name: "a__sum_up" } as const;
    await expect(
      client.complete({ ref, argument: { name: "book", value: "" } }),
    ).rejects.toMatchObject({ code: -32099, data: { shelf: 3 } });
  });

  it("can require input first, for a prompt", async () => {
    const question = {
      method: "elicitation/create",
      params: {
        message: "Which?",
        requestedSchema: { type: "object", properties: { book: { type: "string" } } },
      },
    };
    const prompts: McpProvider["prompts"] = {
      list: () => [{ name: "ask" }],
      get: ({ inputResponses, requestState }): JsonObject =>
        inputResponses === undefined
          ? { resultType: "input_required", inputRequests: { book: question }, requestState: "s" }
          : {
              messages: [],
              description: JSON.stringify([requestState ?? null, inputResponses]),
            },
    };
    const { url } = await serving({ gateway: { providers: [shelf("a", { prompts })] } });
    const client = await openClient(url, era, {
      says: () => ({ action: "accept", content: { book: "Emma" } }),
    });
    expect((await client.getPrompt({ name: "a__ask" })).description).toBe(
      '["s",{"book":{"action":"accept","content":{"book":"Emma"}}}]',
    );
  });
});

it.each(eras)(
  "a provider that hangs does not block a client's connection or the others (%s)",
  async (era) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const hanging: McpProvider = {
      id: "hanging",
      ready: new Promise(() => {}),
      onChange: () => () => {},
    };
    const { url } = await serving({ gateway: { providers: [hanging, shelf("a")] } });
    onTestFinished(() => void vi.useRealTimers());
    const client = await openClient(url, era);
    const listed = client.listResources();
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await listed).resources).toMatchObject([{ uri: "shelf://a/1" }]);
  },
);

describe("changes", () => {
  it("are notified once per interval to every client of either protocol", async () => {
    const provider = shelf("a");
    const { url, registry } = await serving({ gateway: { providers: [provider] } });
    const received: string[] = [];
    const [older, newer] = [await openClient(url, "legacy"), await openClient(url, "modern")];
    for (const [name, client] of Object.entries({ older, newer })) {
      for (const kind of ["tools", "prompts", "resources"] as const) {
        client.setNotificationHandler(`notifications/${kind}/list_changed`, () => {
          received.push(`${name} ${kind}`);
        });
      }
    }
    await newer.listen({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
    for (let index = 0; index < 100; index++) {
      registry.add(echo(`tool_${index}`));
      provider.changed({ type: "prompts" });
      provider.changed({ type: "resources" });
    }
    await vi.waitFor(() => expect(received).toHaveLength(6), 60_000);
    expect(received.toSorted()).toEqual(
      ["newer", "older"].flatMap((name) => [
        `${name} prompts`,
        `${name} resources`,
        `${name} tools`,
      ]),
    );
  });

  it("of a resource reach its subscribers, and the provider is subscribed to while there are any", async () => {
    const provider = shelf("a");
    const { url } = await serving({ gateway: { providers: [provider] } });
    const [older, newer, other] = [
      await openClient(url, "legacy"),
      await openClient(url, "modern"),
      await openClient(url, "legacy"),
    ];
    const received: string[] = [];
    for (const [name, client] of Object.entries({ older, newer, other })) {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        received.push(`${name} ${params.uri}`);
      });
    }
    const uri = "shelf://a/1";
    await older.subscribeResource({ uri });
    const listening = await newer.listen({ resourceSubscriptions: [uri] });
    await vi.waitFor(() => expect(provider.watched).toEqual(new Set([uri])), 60_000);
    provider.changed({ type: "resource", uri });
    await vi.waitFor(
      () => expect(received.toSorted()).toEqual([`newer ${uri}`, `older ${uri}`]),
      60_000,
    );
    await older.unsubscribeResource({ uri });
    expect(provider.watched).toEqual(new Set([uri]));
    await listening.close();
    await vi.waitFor(() => expect(provider.watched).toEqual(new Set()), 60_000);
  });

  it("are limited in resources and streams per caller", async () => {
    const provider = shelf("a");
    const { url } = await serving({
      gateway: { providers: [provider], limits: { subscriptions: 3, streams: 2 } },
    });
    const client = await openClient(url, "modern");
    const uris = (from: number): string[] => [1, 2, 3].map((book) => `shelf://a/${from + book}`);
    const first = await client.listen({ resourceSubscriptions: uris(0) });
    const second = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: uris(10),
    });
    expect(provider.watched).toEqual(new Set(uris(0)));
    await expect(client.listen({ resourceSubscriptions: uris(30) })).rejects.toThrow(
      "limits.streams",
    );
    await first.close();
    await vi.waitFor(() => expect(provider.watched.size).toBe(0), 60_000);
    await second.close();
    await vi.waitFor(async () => {
      await client.listen({ resourceSubscriptions: uris(40) });
      expect(provider.watched).toEqual(new Set(uris(40)));
    });
  });
});
