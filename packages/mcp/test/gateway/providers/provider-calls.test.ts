import {
  ToolError,
  type Hook,
  type JsonObject,
  type PolicyInput,
  type ToolEvent,
} from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { describe, expect, it, vi } from "vitest";
import type { McpProvider, McpProviderChange } from "../../../src/gateway/index.ts";
import { openClient, echo, eras, opening, serving } from "../../support/open-gateway.ts";

interface Desk extends McpProvider {
  readonly asked: string[];
}

/** A provider that records its requests. */
function desk(id: string, more: Partial<McpProvider> = {}): Desk {
  const asked: string[] = [];
  const note = (what: string, answer: JsonObject): JsonObject => {
    asked.push(what);
    return answer;
  };
  return {
    id,
    asked,
    resources: {
      list: () => [{ uri: `desk://${id}/1`, name: "one" }],
      templates: () => [{ uriTemplate: `desk://${id}/{page}`, name: "page" }],
      read({ uri }) {
        if (!String(uri).startsWith(`desk://${id}/`)) throw new ToolError("not_found", "None.");
        return note(`read ${String(uri)}`, { contents: [{ uri: String(uri), text: id }] });
      },
      subscribe: (uri) => void asked.push(`subscribe ${uri}`),
      unsubscribe: () => {},
    },
    prompts: {
      list: () => [{ name: "greet" }],
      get: ({ name }) => note(`get ${String(name)}`, { messages: [] }),
    },
    complete: ({ ref }) =>
      note(`complete ${JSON.stringify(ref)}`, { completion: { values: ["a"] } }),
    onChange: () => () => {},
    ...more,
  };
}

const rule = (tools: string, effect: "deny" | "ask", more: object = {}): PolicyInput => ({
  preset: "autonomous",
  rules: [{ effect, tools, ...more }],
});

describe.each(eras)("resources and prompts of providers for a %s client", (era) => {
  it("are not listed if the policy denies them", async () => {
    const [secret, open] = [desk("secret"), desk("open")];
    const { url } = await serving({
      executor: { policy: rule("secret__*", "deny") },
      gateway: { providers: [secret, open] },
    });
    const client = await openClient(url, era);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "desk://open/1",
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["open__greet"]);
    await expect(client.readResource({ uri: "desk://secret/1" })).rejects.toThrow("policy");
    await expect(client.getPrompt({ name: "secret__greet" })).rejects.toThrow("Unknown prompt");
    const argument = { name: "page", value: "" };
    await client
      .complete({ ref: { type: "ref/resource", uri: "desk://secret/{page}" }, argument })
      .catch(() => undefined);
    await expect(
      client.complete({ ref: { type: "ref/prompt", name: "secret__greet" }, argument }),
    ).rejects.toThrow("Unknown prompt");
    expect(secret.asked).toEqual([]);
    expect(await client.readResource({ uri: "desk://open/1" })).toMatchObject({
      contents: [{ text: "open" }],
    });
  });

  it("are decided separately for each caller", async () => {
    const provider = desk("files");
    const served = await serving({
      executor: { policy: rule("files__read_resource", "deny", { callers: { id: "bob" } }) },
      gateway: { providers: [provider] },
    });
    const ann = await openClient(await served.as({ id: "ann" }), era);
    const bob = await openClient(await served.as({ id: "bob" }), era);
    const uri = "desk://files/1";
    expect(await ann.readResource({ uri })).toMatchObject({ contents: [{}] });
    await expect(bob.readResource({ uri })).rejects.toThrow("policy");
    expect((await bob.listResources()).resources).toEqual([]);
    expect(provider.asked).toEqual([`read ${uri}`]);
  });

  it("that require an approval are denied at once", async () => {
    const provider = desk("files");
    const pendingCalls = memoryPendingCalls();
    const { url } = await serving({
      executor: { policy: rule("files__*", "ask"), pendingCalls },
      gateway: { providers: [provider] },
    });
    const client = await openClient(url, era, { says: () => ({ action: "accept" }) });
    await expect(client.readResource({ uri: "desk://files/1" })).rejects.toMatchObject({
      message: expect.stringContaining(
        "files__read_resource requires a person's approval",
      ) as string,
    });
    await expect(client.getPrompt({ name: "files__greet" })).rejects.toThrow("approval");
    expect(provider.asked).toEqual([]);
    expect(await pendingCalls.list()).toEqual([]);
  });

  it("are in the audit log, with source and caller", async () => {
    const served = await serving({ gateway: { providers: [desk("f", { source: "files" })] } });
    const events: ToolEvent[] = [];
    served.executor.on((event) => void events.push(event));
    const client = await openClient(await served.as({ id: "ann" }), era);
    await client.readResource({ uri: "desk://f/1" });
    await client.getPrompt({ name: "f__greet" });
    const names = events.flatMap((event) => (event.type === "tool.completed" ? [event.tool] : []));
    expect(names).toEqual(["f__read_resource", "f__get_prompt"]);
  });

  it("have no completion if they cannot be read", async () => {
    const provider = desk("secret");
    const { url } = await serving({
      executor: { policy: rule("secret__read_resource", "deny") },
      gateway: { providers: [provider] },
    });
    const client = await openClient(url, era);
    const argument = { name: "page", value: "" };
    const ref = { type: "ref/resource", uri: "desk://secret/{page}" } as const;
    expect(await client.complete({ ref, argument })).toMatchObject({ completion: { values: [] } });
    expect(provider.asked).toEqual([]);
    const prompt = { type: "ref/prompt", name: "secret__greet" } as const;
    expect(await client.complete({ ref: prompt, argument })).toMatchObject({
      completion: { values: ["a"] },
    });
  });

  it.each([
    ["is denied", "deny"],
    ["needs a person's approval", "ask"],
  ] as const)("sends no change to a client that %s, and sends it to others", async (_, effect) => {
    const uri = "desk://files/1";
    let tell: (change: McpProviderChange) => void = () => {};
    const provider = desk("files", {
      onChange(listener) {
        tell = listener;
        return () => {};
      },
    });
    const served = await serving({
      executor: { policy: rule("files__read_resource", effect, { callers: { id: "bob" } }) },
      gateway: { providers: [provider] },
    });
    const received: Record<string, string[]> = { ann: [], bob: [] };
    for (const id of ["ann", "bob"]) {
      const client = await openClient(await served.as({ id }), era);
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
        received[id]?.push(params.uri);
      });
      client.setNotificationHandler("notifications/prompts/list_changed", () => {
        received[id]?.push("prompts");
      });
      const asked =
        era === "modern"
          ? client.listen({ resourceSubscriptions: [uri], promptsListChanged: true })
          : client.subscribeResource({ uri });
      // The older protocol returns that at once, the newer one in the list of confirmed
      // notifications.
      await asked.catch(({ message }: Error) => received[id]?.push(message));
    }
    await vi.waitFor(() => {
      tell({ type: "resource", uri });
      tell({ type: "prompts" });
      expect(received["ann"]).toContain(uri);
      expect(received["bob"]).toContain("prompts");
    });
    expect(received["bob"]).not.toContain(uri);
    expect(provider.asked).toEqual([`subscribe ${uri}`]);
  });

  it("contain no secret of the host, also in errors", async () => {
    const secret = "hunter2-hunter2-hunter2";
    const provider = desk("files", {
      resources: {
        list: () => [],
        templates: () => [],
        read({ uri }) {
          if (uri === "desk://bad") throw new ToolError("upstream", `Not with ${secret}.`);
          if (uri === "desk://odd")
            throw Object.assign(new Error(`No ${secret}`), { code: -32_002 });
          return { contents: [{ uri: String(uri), text: `It is ${secret}.` }] };
        },
      },
      prompts: {
        list: () => [{ name: "greet" }],
        get: () => ({
          messages: [{ role: "user", content: { type: "text", text: `It is ${secret}.` } }],
        }),
      },
    });
    const { url } = await serving({
      executor: { redact: { secrets: [secret] } },
      gateway: { providers: [provider] },
    });
    const client = await openClient(url, era);
    const said = await Promise.all([
      client.readResource({ uri: "desk://files/1" }),
      client.getPrompt({ name: "files__greet" }),
      ...["bad", "odd"].map((name) =>
        client.readResource({ uri: `desk://${name}` }).catch(({ message }: Error) => message),
      ),
    ]);
    expect(said[0]).toMatchObject({ contents: [{ text: expect.stringMatching(/^It is .+\.$/) }] });
    expect(said[1]).toMatchObject({ messages: [{ content: { type: "text" } }] });
    expect(said[2]).toContain("Not with");
    expect(JSON.stringify(said)).not.toContain("hunter2");
  });

  it("are changed by hooks of the host", async () => {
    const provider = desk("files");
    const afterCall: Hook["afterCall"] = (_call, { content, value }) => {
      const [first] = (value as { contents: JsonObject[] }).contents;
      return { content, value: { contents: [{ ...first, text: "[withheld]" }] } };
    };
    const { url } = await serving({
      executor: { hooks: [{ afterCall }] },
      gateway: { providers: [provider] },
    });
    const client = await openClient(url, era);
    expect(await client.readResource({ uri: "desk://files/1" })).toMatchObject({
      contents: [{ uri: "desk://files/1", text: "[withheld]" }],
    });
  });

  it("fail above the output limit, with an error that says so", async () => {
    const provider = desk("files", {
      resources: {
        list: () => [],
        templates: () => [],
        read: ({ uri }) => ({ contents: [{ uri: String(uri), blob: "A".repeat(20_000) }] }),
      },
    });
    const { url } = await serving({
      executor: { largeOutputs: { maxCapturedBytes: 10_000 } },
      gateway: { providers: [provider] },
    });
    const client = await openClient(url, era);
    await expect(client.readResource({ uri: "desk://files/1" })).rejects.toThrow(
      "more than the limit",
    );
  });

  it("count towards the limit of concurrent calls", async () => {
    const gate = opening();
    let open = 0;
    const resources: McpProvider["resources"] = {
      list: () => [],
      templates: () => [],
      async read({ uri }) {
        open += 1;
        await gate.opened;
        return { contents: [{ uri: String(uri), text: "" }] };
      },
    };
    const { url } = await serving({
      tools: [echo("say")],
      gateway: { providers: [desk("a", { resources })], limits: { concurrentCalls: 3 } },
    });
    const client = await openClient(url, era);
    const refused: string[] = [];
    const reads = Array.from({ length: 10 }, (_, index) =>
      client
        .readResource({ uri: `desk://a/${index}` })
        .catch((error: Error) => void refused.push(error.message)),
    );
    await vi.waitFor(() => expect([open, refused.length]).toEqual([3, 7]), 60_000);
    expect(refused[0]).toContain("limit of 3 concurrent calls");
    gate.open();
    await Promise.all(reads);
    expect(await client.callTool({ name: "say", arguments: { say: "a" } })).toMatchObject({
      content: [{ text: "a" }],
    });
  });
});
