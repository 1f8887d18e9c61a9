import { afterEach, describe, expect, it, vi } from "vitest";
import type { ToolCall, ToolEvent, ToolExecutor } from "@toolweave/core";
import type {
  ElicitationRequest,
  UrlElicitation,
  SamplingAnswer,
  ActiveCall,
} from "../../src/options/server-request-options.ts";
import { pressExecutor, pressOverHttp, saidIn } from "../support/requesting-server-executor.ts";

const ask = (method: string, id = "call_1"): ToolCall => ({
  id,
  name: "ask",
  arguments: { method },
});
const bind: ToolCall = { id: "bind_1", name: "bind", arguments: {} };

/** Resolves when the call has reported progress: the server is working on it. */
function working(executor: ToolExecutor, id: string): Promise<void> {
  return new Promise((resolve) => {
    executor.on((event: ToolEvent) => {
      if (event.type === "tool.progressed" && event.callId === id) resolve();
    });
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a server of the older protocol", () => {
  it("receives the declared capabilities", async () => {
    const nothing = await pressExecutor("legacy");
    const { elicitation, sampling, roots } = saidIn(
      await nothing.execute(ask("capabilities")),
    ) as Record<string, unknown>;
    // Forms would have to be answered at once; for pages a call can be refused.
    expect({ elicitation, sampling, roots }).toEqual({ elicitation: { url: {} } });
    const everything = await pressExecutor("legacy", {
      onElicitation: () => ({ action: "cancel" }),
      onSampling: () => ({ role: "assistant", content: [], model: "m" }),
      roots: () => [],
    });
    expect(saidIn(await everything.execute(ask("capabilities")))).toMatchObject({
      elicitation: { form: { applyDefaults: true }, url: {} },
      sampling: {},
      roots: {},
    });
  });

  it("gets the answer of the host's handler, for the call in progress", async () => {
    const asked: [ElicitationRequest, ActiveCall][] = [];
    const executor = await pressExecutor("legacy", {
      onElicitation: (...about) => {
        asked.push(about);
        return { action: "accept", content: { name: "Emma" } };
      },
    });
    expect(saidIn(await executor.execute(ask("form")))).toMatchObject({
      action: "accept",
      content: { name: "Emma", copies: 1 },
    });
    const [[request, { signal, ...call }]] = asked as [(typeof asked)[0]];
    // Invisible characters are removed.
    expect(request).toMatchObject({ mode: "form", server: "press", message: "Name?" });
    expect(call).toEqual({ callId: "call_1", toolName: "ask", runId: expect.any(String) });
    expect(signal.aborted).toBe(false);
  });

  it("is answered over HTTP too", async () => {
    const executor = await pressOverHttp("legacy", {
      onElicitation: () => ({ action: "accept", content: { name: "Emma" } }),
      roots: [{ uri: "/books" }],
    });
    expect(saidIn(await executor.execute(ask("form")))).toMatchObject({ action: "accept" });
    expect(saidIn(await executor.execute(ask("roots")))).toEqual({
      roots: [{ uri: "file:///books" }],
    });
  });

  it.each(["decline", "cancel"] as const)("receives a %s", async (action) => {
    const executor = await pressExecutor("legacy", { onElicitation: () => ({ action }) });
    expect(saidIn(await executor.execute(ask("form")))).toMatchObject({ action });
  });

  it("gets an error for a form without a handler: no person has declined it", async () => {
    const executor = await pressExecutor("legacy");
    expect(saidIn(await executor.execute(ask("insist")))).toEqual({
      code: -32_602,
      message: "The request was rejected: the client does not support forms.",
    });
  });

  it("gets a cancel for a page without a handler: no person has declined it", async () => {
    const executor = await pressExecutor("legacy");
    expect(saidIn(await executor.execute(ask("page")))).toEqual({ action: "cancel" });
  });

  it("gets only a cancel if the handler fails or its answer does not match the form", async () => {
    for (const onElicitation of [
      () => {
        throw new Error("the password is hunter2");
      },
      () => ({ action: "accept" as const, content: { name: 1 } }),
    ]) {
      const executor = await pressExecutor("legacy", { onElicitation });
      const messages: unknown[] = [];
      executor.on((event) => {
        if (event.type === "tool.progressed") messages.push(event.progress.message);
      });
      expect(saidIn(await executor.execute(ask("form")))).toEqual({ action: "cancel" });
      expect(messages).toEqual([expect.stringContaining("could not be answered")]);
    }
  });

  it("is answered if all calls in progress belong to one run", async () => {
    const executor = await pressExecutor("legacy", { onElicitation: () => ({ action: "cancel" }) });
    const stop = new AbortController();
    await using run = executor.startRun({ signal: stop.signal });
    const begun = working(executor, "bind_1");
    const other = run.execute(bind);
    await begun;
    expect(saidIn(await run.execute(ask("form")))).toEqual({ action: "cancel" });
    stop.abort();
    await other;
  });

  it("passes at most twenty requests at once to the host", async () => {
    const open: (() => void)[] = [];
    const executor = await pressExecutor("legacy", {
      onElicitation: () =>
        new Promise((resolve) => {
          open.push(() => resolve({ action: "cancel" }));
        }),
    });
    executor.on((event) => {
      // The last of the refused ones.
      if (event.type !== "tool.progressed" || event.progress.done !== 9) return;
      for (const answer of open) answer();
    });
    const said = saidIn(await executor.execute(ask("often"))) as string[];
    expect(said.filter((action) => action === "cancel")).toHaveLength(20);
    expect(said.filter((action) => action === "refused")).toHaveLength(10);
  });

  it("reports when a person has finished at its page", async () => {
    let request: ElicitationRequest | undefined;
    const executor = await pressExecutor("legacy", {
      onElicitation: (asked) => {
        request = asked;
        return { action: "accept" };
      },
    });
    expect(saidIn(await executor.execute(ask("page")))).toEqual({ action: "accept" });
    const { completed, ...displayed } = request as UrlElicitation;
    expect(displayed).toEqual({
      mode: "url",
      server: "press",
      message: "Sign the contract.",
      url: "https://press.example/contract?id=7",
      elicitationId: "contract",
    });
    await completed;
  });

  it("does not use the call's timeout while a person is asked", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
    const executor = await pressExecutor(
      "legacy",
      {
        onElicitation: async () => {
          await Promise.resolve();
          vi.advanceTimersByTime(3_600_000);
          return { action: "accept", content: { name: "Emma" } };
        },
      },
      { timeoutMs: 1_000 },
    );
    expect(saidIn(await executor.execute(ask("form")))).toMatchObject({ action: "accept" });
  });

  it("that requires a visit to a page interrupts the call, which is then repeated", async () => {
    const executor = await pressExecutor("legacy");
    const outcome = await executor.execute({ id: "call_1", name: "sign", arguments: {} });
    if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
    expect(outcome.interruption.requests).toMatchObject([
      { type: "auth", credential: "press", url: "https://press.example/contract?id=7" },
    ]);
    expect(saidIn(await executor.resume(outcome.interruption, [{ type: "approve" }]))).toBe(
      "signed",
    );
  });

  it("that requires a visit to a page does not receive the call again after a decline", async () => {
    const executor = await pressExecutor("legacy");
    const outcome = await executor.execute({ id: "call_1", name: "sign", arguments: {} });
    if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
    expect(await executor.resume(outcome.interruption, [{ type: "reject" }])).toMatchObject({
      status: "failed",
      error: { code: "approval_rejected" },
    });
  });

  it("that requires a visit to a page receives the call again if a handler accepts", async () => {
    const executor = await pressExecutor("legacy", { onElicitation: () => ({ action: "accept" }) });
    expect(saidIn(await executor.execute({ id: "call_1", name: "sign", arguments: {} }))).toBe(
      "signed",
    );
  });

  it("gets the model's response if the host has a handler", async () => {
    const answer: SamplingAnswer = {
      role: "assistant",
      content: { type: "text", text: "Emma" },
      model: "a-model",
    };
    const onSampling = vi.fn<() => SamplingAnswer>(() => answer);
    const executor = await pressExecutor("legacy", { onSampling });
    expect(saidIn(await executor.execute(ask("sampling")))).toEqual(answer);
    expect(onSampling.mock.calls).toMatchObject([[{ server: "press" }, { callId: "call_1" }]]);
  });

  it("can pass tools to the model if the host allows it, and is rejected otherwise", async () => {
    const content = [{ type: "tool_use", id: "1", name: "weigh", input: {} }];
    const answer: SamplingAnswer = { role: "assistant", content, model: "a-model" };
    const onSampling = vi.fn<() => SamplingAnswer>(() => answer);
    const taking = await pressExecutor("legacy", { onSampling, samplingTools: true });
    expect(saidIn(await taking.execute(ask("sampling with tools")))).toEqual(answer);
    expect(onSampling.mock.calls).toMatchObject([
      [{ tools: [{ name: "weigh" }], toolChoice: { mode: "auto" } }, {}],
    ]);
    onSampling.mockClear();
    const other = await pressExecutor("legacy", { onSampling });
    expect(saidIn(await other.execute(ask("sampling with tools")))).toMatchObject({
      message: expect.stringContaining("does not accept tools of servers"),
    });
    expect(onSampling).not.toHaveBeenCalled();
  });

  it("receives a rejection without the reason", async () => {
    const executor = await pressExecutor("legacy", {
      onSampling: () => {
        throw new Error("the key sk-1234 is used up");
      },
    });
    expect(saidIn(await executor.execute(ask("sampling")))).toEqual({
      code: -1,
      message: "The request was rejected: the host rejected it.",
    });
  });

  it("gets the roots", async () => {
    const roots = vi.fn<(call: ActiveCall | undefined) => { uri: string }[]>(() => [
      { uri: "file:///books" },
      { uri: "/more books" },
    ]);
    const executor = await pressExecutor("legacy", { roots });
    expect(saidIn(await executor.execute(ask("roots")))).toEqual({
      roots: [{ uri: "file:///books" }, { uri: "file:///more%20books" }],
    });
    expect(roots.mock.calls).toMatchObject([[{ callId: "call_1" }]]);
  });
});
