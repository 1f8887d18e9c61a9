import { defineTool, type JsonObject, type Tool } from "@toolweave/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { forwardToClient } from "../../../src/gateway/index.ts";
import { pressServer } from "../../support/requesting-server-process.ts";
import { opened } from "../../support/open-source.ts";
import { openClient, eras, post, serving, readText } from "../../support/open-gateway.ts";

afterEach(() => void vi.useRealTimers());

const form = { type: "object", properties: { name: { type: "string" } } } as const;

/** A tool that asks while it runs, like a server behind `mcpSource`. */
function asks(name: string): Tool {
  return defineTool({
    name,
    description: "Asks for the visitor's name.",
    input: { type: "object", properties: { who: { type: "string" } } },
    timeoutMs: 0,
    async execute({ who = "?" }, ctx) {
      const message = `Who is ${who}?`;
      const request = { server: "door", message, requestedSchema: form };
      const answer = await forwardToClient.onElicitation(request, ctx);
      return answer.action === "accept"
        ? `${who}: ${String(answer.content?.["name"])}`
        : answer.action;
    },
  });
}

describe.each(eras)("a tool that requires input while it runs, for a %s client,", (era) => {
  it("gets the input from the client that called it, which sees the server's name", async () => {
    const { url } = await serving({ tools: [asks("knock")] });
    const messages: unknown[] = [];
    const client = await openClient(url, era, {
      says: ({ message }) => {
        messages.push(message);
        return { action: "accept", content: { name: "Ann" } };
      },
    });
    const result = await client.callTool({ name: "knock", arguments: { who: "a" } });
    expect(readText(result)).toBe("a: Ann");
    expect(messages).toEqual(["The MCP server door asks: Who is a?"]);
  });

  it("sends progress to the client, even while an answer is pending", async () => {
    let onAsked: (() => void) | undefined;
    const climb = defineTool({
      name: "climb",
      description: "Asks how high.",
      input: { type: "object", properties: {} },
      async execute(_args, ctx) {
        onAsked = () => {
          ctx.progress({ done: 1, total: 3 });
          ctx.progress({ done: 2, total: 3 });
        };
        const request = { server: "door", message: "How high?", requestedSchema: form };
        await forwardToClient.onElicitation(request, ctx);
        ctx.progress({ done: 3, total: 3 });
        return "there";
      },
    });
    const { url } = await serving({ tools: [climb] });
    const client = await openClient(url, era, {
      says: () => {
        onAsked?.();
        return { action: "accept", content: { name: "high" } };
      },
    });
    const notified: unknown[] = [];
    client.setNotificationHandler(
      "notifications/progress",
      ({ params }) => void notified.push(params),
    );
    const climbing = { name: "climb", arguments: {}, _meta: { progressToken: "climbing" } };
    expect(readText(await client.callTool(climbing))).toBe("there");
    expect(notified).toEqual(
      [1, 2, 3].map((progress) => ({ progressToken: "climbing", progress, total: 3 })),
    );
  });

  it("gets no answer from a client without elicitation", async () => {
    const { url } = await serving({ tools: [asks("knock")] });
    const client = await openClient(url, era);
    expect(readText(await client.callTool({ name: "knock", arguments: {} }))).toBe("cancel");
  });

  it("uses the client's model and its roots", async () => {
    const model = defineTool({
      name: "model",
      description: "Asks the model.",
      input: { type: "object", properties: {} },
      async execute(_args, ctx) {
        const messages = [{ role: "user", content: { type: "text", text: "Hello?" } }];
        const said = await forwardToClient.onSampling({ messages, maxTokens: 10 }, ctx);
        return { said: said.content, roots: await forwardToClient.roots(ctx) } as never;
      },
    });
    const { url } = await serving({ tools: [model] });
    const client = await openClient(url, era, { capabilities: { sampling: {}, roots: {} } });
    client.setRequestHandler("sampling/createMessage", async () => ({
      role: "assistant",
      content: { type: "text", text: "Hello!" },
      model: "m",
    }));
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///home" }] }));
    expect((await client.callTool({ name: "model", arguments: {} })).structuredContent).toEqual({
      said: { type: "text", text: "Hello!" },
      roots: [{ uri: "file:///home" }],
    });
  });

  it("MC31: two clients with the same ids get only their own responses and questions", async () => {
    const { url } = await serving({ tools: [asks("knock")] });
    const names = Array.from({ length: 8 }, (_, index) => `client${index}`);
    const clients = await Promise.all(
      names.map((name) =>
        openClient(url, era, {
          says: ({ message }) => ({
            action: "accept",
            content: { name: String(message).includes(`Who is ${name}?`) ? name : "a stranger" },
          }),
        }),
      ),
    );
    const answers = await Promise.all(
      clients.map(async (client, index) => {
        const asked = { name: "knock", arguments: { who: names[index] } };
        const results = await Promise.all([client.callTool(asked), client.callTool(asked)]);
        return results.map(readText);
      }),
    );
    expect(answers).toEqual(names.map((name) => [`${name}: ${name}`, `${name}: ${name}`]));
  });
});

it("the completion of a page is notified to the client that was asked, and to no other", async () => {
  const source = opened(pressServer("legacy", forwardToClient));
  await source.ready;
  const { url, registry } = await serving();
  registry.add(source);
  const received: string[] = [];
  const asked: JsonObject[] = [];
  const clients = await Promise.all(
    ["asked", "other"].map(async (name) => {
      const client = await openClient(url, "legacy", {
        capabilities: { elicitation: { url: {} } },
        says: (question) => {
          asked.push(question);
          return { action: "accept" };
        },
      });
      client.setNotificationHandler("notifications/elicitation/complete", ({ params }) => {
        received.push(`${name} ${params.elicitationId}`);
      });
      return client;
    }),
  );
  await clients[0]?.callTool({ name: "ask", arguments: { method: "page" } });
  expect(asked).toMatchObject([{ mode: "url", url: "https://press.example/contract?id=7" }]);
  await vi.waitFor(
    () => expect(received).toEqual([`asked ${String(asked[0]?.["elicitationId"])}`]),
    60_000,
  );
  // Another server may have returned the same id: the client sees them all as the gateway's.
  expect(asked[0]?.["elicitationId"]).not.toBe("contract");
});

describe("a call that waits for a client of the newer protocol", () => {
  const elicitation = { elicitation: { form: {} } };
  const knock = { name: "knock", arguments: { who: "a" } };

  async function asked(url: string): Promise<{ state: string; key: string }> {
    const { result } = await post(url, "tools/call", knock, elicitation);
    const [key = ""] = Object.keys(result?.["inputRequests"] as JsonObject);
    return { state: result?.["requestState"] as string, key };
  }

  it("is resumed for its own caller, once", async () => {
    const served = await serving({ tools: [asks("knock")] });
    const [ann, bob] = [await served.as({ id: "ann" }), await served.as({ id: "bob" })];
    const { state, key } = await asked(ann);
    const answer = { [key]: { action: "accept", content: { name: "Ann" } } };
    const back = { ...knock, requestState: state, inputResponses: answer };
    expect((await post(bob, "tools/call", back, elicitation)).error).toMatchObject({
      code: -32602,
    });
    expect(readText((await post(ann, "tools/call", back, elicitation)).result as object)).toBe(
      "a: Ann",
    );
    expect((await post(ann, "tools/call", back, elicitation)).error).toMatchObject({
      code: -32602,
    });
  });

  it("asks missing questions again, with a state that is valid for that round only", async () => {
    const { url } = await serving({ tools: [asks("knock")] });
    const { state, key } = await asked(url);
    const wrong = { ...knock, requestState: state, inputResponses: { [key]: 7, other: {} } };
    const { result } = await post(url, "tools/call", wrong, elicitation);
    expect(Object.keys(result?.["inputRequests"] as JsonObject)).toEqual([key]);
    expect((await post(url, "tools/call", wrong, elicitation)).error).toMatchObject({
      code: -32602,
    });
    const answer = { [key]: { action: "accept", content: { name: "Ann" } } };
    const right = { ...knock, requestState: result?.["requestState"] as string };
    const end = await post(url, "tools/call", { ...right, inputResponses: answer }, elicitation);
    expect(readText(end.result as object)).toBe("a: Ann");
  });

  it("ends when the client sends no further request", async () => {
    const { url } = await serving({
      tools: [asks("knock")],
      gateway: { limits: { concurrentCalls: 1 } },
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: true });
    const { state, key } = await asked(url);
    const busy = await post(url, "tools/call", knock, elicitation);
    expect(readText(busy.result as object)).toContain("limit of 1 concurrent calls");
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    const answer = { [key]: { action: "accept", content: { name: "Ann" } } };
    const back = { ...knock, requestState: state, inputResponses: answer };
    expect((await post(url, "tools/call", back, elicitation)).error).toMatchObject({
      code: -32602,
    });
    await asked(url);
  });

  it("fails with the protocol's error if the client lacks a required capability", async () => {
    const model = defineTool({
      name: "model",
      description: "Asks the model.",
      input: { type: "object", properties: {} },
      execute: (_args, ctx) =>
        forwardToClient.onSampling({ messages: [], maxTokens: 1 }, ctx) as Promise<never>,
    });
    const { url } = await serving({ tools: [model] });
    expect((await post(url, "tools/call", { name: "model", arguments: {} })).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { sampling: {} } },
    });
  });
});

it("no client is asked for a run that no gateway has started", async () => {
  const { executor } = await serving({ tools: [asks("knock")] });
  const outcome = await executor.execute({ id: "1", name: "knock", arguments: {} });
  expect(outcome).toMatchObject({ result: { content: [{ text: "cancel" }] } });
});
