import type { Interruption, ToolOutcome } from "@toolweave/core";
import { fork } from "node:child_process";
import { once } from "node:events";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ElicitationRequest, ActiveCall } from "../../src/options/server-request-options.ts";
import { pressUrl } from "../support/requesting-server-http.ts";
import {
  createExecutor,
  pressExecutor,
  pressOverHttp,
  saidIn,
} from "../support/requesting-server-executor.ts";

function getInterruption(outcome: ToolOutcome): Interruption {
  if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
  return outcome.interruption;
}

const call = (
  name: string,
): { id: string; name: string; arguments: object } & {
  arguments: Record<string, never>;
} => ({ id: "call_1", name, arguments: {} });

describe("a server that requires input", () => {
  it("interrupts the call with its form, and gets the person's values and the defaults", async () => {
    const executor = await pressExecutor("modern");
    const interruption = getInterruption(await executor.execute(call("print")));
    expect(interruption.requests).toEqual([
      {
        id: "call_1:1.1",
        type: "input",
        message: "The MCP server press asks: How is it to look?",
        schema: {
          type: "object",
          properties: {
            name: { type: "string", title: "Your name", minLength: 2 },
            copies: { type: "integer", minimum: 1, default: 1 },
            cover: { type: "string", enum: ["soft", "hard"] },
          },
          required: ["name"],
          additionalProperties: false,
        },
      },
    ]);
    const value = { name: "Emma", cover: "soft" };
    expect(saidIn(await executor.resume(interruption, [{ type: "input", value }]))).toEqual({
      inputResponses: { look: { action: "accept", content: { ...value, copies: 1 } } },
      state: "begun",
    });
  });

  it("gets no values that do not match its form", async () => {
    const executor = await pressExecutor("modern");
    const interruption = getInterruption(await executor.execute(call("print")));
    for (const value of [
      { name: "E" },
      { name: "Emma", copies: "two" },
      { name: "Emma", age: 7 },
    ]) {
      expect(await executor.resume(interruption, [{ type: "input", value }])).toMatchObject({
        status: "failed",
        error: { code: "approval_invalid" },
      });
    }
    const answers = [{ type: "input", value: { name: "Emma" } }] as const;
    expect(await executor.resume(interruption, answers)).toMatchObject({ status: "completed" });
  });

  it("gets a decline if the person declines", async () => {
    const executor = await pressExecutor("modern");
    const interruption = getInterruption(await executor.execute(call("print")));
    expect(saidIn(await executor.resume(interruption, [{ type: "reject" }]))).toMatchObject({
      inputResponses: { look: { action: "decline" } },
    });
  });

  it("can request sampling, roots and elicitation in one round, and then elicitation again", async () => {
    const onSampling = vi.fn<() => object>(() => ({
      role: "assistant",
      content: { type: "text", text: "Emma" },
      model: "a-model",
      stopReason: "endTurn",
    }));
    const roots = [{ uri: "/books", name: "Books" }];
    const executor = await pressExecutor("modern", { onSampling: onSampling as never, roots });
    const first = getInterruption(await executor.execute(call("publish")));
    expect(first.requests).toMatchObject([
      { id: "call_1:1.1", type: "input" },
      {
        id: "call_1:1.2",
        type: "auth",
        credential: "press",
        message: "The MCP server press asks you to go to press.example: Sign the contract.",
        url: "https://press.example/contract?id=7",
      },
    ]);
    expect(onSampling.mock.calls).toMatchObject([
      [{ server: "press", maxTokens: 20, messages: [{ role: "user" }] }, { callId: "call_1" }],
    ]);
    const second = getInterruption(
      await executor.resume(first, [
        { type: "input", requestId: "call_1:1.1", value: { name: "Emma" } },
        { type: "approve", requestId: "call_1:1.2" },
      ]),
    );
    expect(second.requests).toMatchObject([{ id: "call_1:2.1", type: "input" }]);
    const done = await executor.resume(second, [{ type: "input", value: { sure: true } }]);
    expect(saidIn(done)).toEqual({
      sure: { sure: true },
      first: {
        title: {
          role: "assistant",
          content: { type: "text", text: "Emma" },
          model: "a-model",
          stopReason: "endTurn",
        },
        where: { roots: [{ uri: "file:///books", name: "Books" }] },
        look: { action: "accept", content: { name: "Emma", copies: 1 } },
        contract: { action: "accept" },
      },
    });
    // A model that has answered is not asked again.
    expect(onSampling).toHaveBeenCalledTimes(1);
  });

  it("is answered at once by a handler, which receives the call", async () => {
    const asked: [ElicitationRequest, ActiveCall][] = [];
    const executor = await pressExecutor("modern", {
      onElicitation: (...about) => {
        asked.push(about);
        return { action: "accept", content: { name: "Emma", copies: 3 } };
      },
    });
    const outcome = await executor.execute(call("print"), { caller: { id: "ann" } });
    expect(saidIn(outcome)).toMatchObject({
      inputResponses: { look: { action: "accept", content: { name: "Emma", copies: 3 } } },
    });
    expect(asked).toMatchObject([
      [
        { mode: "form", server: "press", message: "How is it to look?" },
        { callId: "call_1", toolName: "print", caller: { id: "ann" } },
      ],
    ]);
  });

  it("gets no answer of a handler that does not match the form", async () => {
    const executor = await pressExecutor("modern", {
      onElicitation: () => ({ action: "accept", content: { name: 7 } }),
    });
    expect(await executor.execute(call("print"))).toMatchObject({
      status: "failed",
      error: { code: "internal", message: expect.stringContaining("/name") },
    });
  });

  it("gets the request again if it requests only that", async () => {
    const executor = await pressExecutor("modern");
    expect(saidIn(await executor.execute(call("queue")))).toBe("waiting");
  });

  it("MF26: fails the call if it requires input endlessly", async () => {
    const onElicitation = vi.fn<() => { action: "decline" }>(() => ({ action: "decline" }));
    const executor = await pressExecutor("modern", { onElicitation });
    expect(await executor.execute(call("haggle"))).toMatchObject({
      status: "failed",
      error: { code: "limit_exceeded" },
    });
    expect(onElicitation).toHaveBeenCalledTimes(10);
  });

  it("MF26: fails the call if it interrupts it endlessly", async () => {
    const executor = await pressExecutor("modern");
    let outcome = await executor.execute(call("haggle"));
    let asked = 0;
    while (outcome.status === "interrupted") {
      asked += 1;
      outcome = await executor.resume(outcome.interruption, [{ type: "reject" }]);
    }
    expect(outcome).toMatchObject({ status: "failed", error: { code: "limit_exceeded" } });
    expect(asked).toBe(10);
  });

  it("cannot ask for a secret in a form", async () => {
    const onElicitation = vi.fn<() => { action: "decline" }>(() => ({ action: "decline" }));
    const executor = await pressExecutor("modern", { onElicitation });
    expect(await executor.execute(call("pay"))).toMatchObject({
      status: "failed",
      error: { code: "execution_failed", message: expect.stringContaining('"cardNumber"') },
    });
    expect(onElicitation).not.toHaveBeenCalled();
  });

  it("cannot use sampling without a handler", async () => {
    const executor = await pressExecutor("modern", { roots: [] });
    expect(await executor.execute(call("publish"))).toMatchObject({
      status: "failed",
      // The server recognizes that, and returns its own error.
      error: { code: "execution_failed", message: expect.stringContaining("sampling") },
    });
  });

  it("works over HTTP and over a client of the host too", async () => {
    const client = new Client(
      { name: "host", version: "1" },
      { versionNegotiation: { mode: "auto" } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(await pressUrl("modern"))));
    onTestFinished(() => client.close());
    for (const executor of [
      await pressOverHttp("modern"),
      await createExecutor({ name: "press", prefix: false, client }),
    ]) {
      const interruption = getInterruption(await executor.execute(call("print")));
      const answers = [{ type: "input", value: { name: "Emma" } }] as const;
      expect(saidIn(await executor.resume(interruption, answers))).toMatchObject({
        state: "begun",
      });
    }
  });

  it("continues in another process", async () => {
    const executor = await pressExecutor("modern", {}, { key: "0123456789abcdef0123456789abcdef" });
    const interruption = getInterruption(await executor.execute(call("print")));
    const child = fork(new URL("../support/resuming-host.ts", import.meta.url), {
      execArgv: ["--conditions=@toolweave/source"],
    });
    const done = once(child, "message");
    child.send({ interruption, answers: [{ type: "input", value: { name: "Emma" } }] });
    const [outcome] = (await done) as [ToolOutcome];
    expect(saidIn(outcome)).toMatchObject({ state: "begun" });
  });
});
