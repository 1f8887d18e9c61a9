import { inFullRun } from "@toolweave/test-support";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  ElicitationAnswer,
  ElicitationRequest,
  SamplingRequest,
} from "../../src/options/server-request-options.ts";
import {
  runCall,
  everythingHost,
  names,
  readText,
  toolsForEverybody,
  toolsThatAsk,
  type EverythingHost,
} from "../support/everything-host.ts";
import {
  everything,
  everythingTransports,
  type EverythingTransport,
} from "../support/everything-server.ts";
import { executorOver, opened, findTool } from "../support/open-source.ts";

/** The two that ask the host to answer with a task: this host never declares that, see below. */
const asyncTools = ["trigger-elicitation-request-async", "trigger-sampling-request-async"];

const form = { name: "Emma", integer: 7, birthdate: "1815-12-23", email: "emma@hartfield.test" };

// A task of this server takes five seconds.
const transports = inFullRun<readonly EverythingTransport[]>(everythingTransports, [
  "Streamable HTTP",
]);

describe.each(transports)("server-everything over %s", (transport) => {
  const asked: ElicitationRequest[] = [];
  const sampled: SamplingRequest[] = [];
  let answer: (request: ElicitationRequest) => ElicitationAnswer;
  let host: EverythingHost;
  let call: EverythingHost["call"];

  beforeAll(async () => {
    host = await everythingHost(transport, {
      roots: [{ uri: "/hartfield", name: "Hartfield" }],
      onElicitation: (request) => {
        asked.push(request);
        return answer(request);
      },
      onSampling: (request) => {
        sampled.push(request);
        const content = { type: "text", text: "Badly done." };
        return { role: "assistant", content, model: "knightley", stopReason: "endTurn" };
      },
    });
    ({ call } = host);
  });
  afterAll(() => host.close());

  it("sends a form with all kinds of fields, and receives the answer with its defaults", async () => {
    asked.length = 0;
    answer = () => ({ action: "accept", content: form });
    const said = readText(await call("trigger-elicitation-request"));
    expect(asked).toMatchObject([
      { mode: "form", server: "everything", requestedSchema: { required: ["name"] } },
    ]);
    const [request] = asked;
    if (request?.mode !== "form") throw new Error("It is not a form.");
    expect(Object.keys(request.requestedSchema["properties"] as object)).toHaveLength(13);
    expect(JSON.parse(/Raw result: ([^]*)$/.exec(said)?.[1] ?? "")).toEqual({
      action: "accept",
      content: {
        ...form,
        firstLine: "It was a dark and stormy night.",
        number: 3.14,
        untitledSingleSelectEnum: "Monica",
        untitledMultipleSelectEnum: ["Guitar"],
        titledSingleSelectEnum: "hero-1",
        titledMultipleSelectEnum: ["fish-1"],
        legacyTitledEnum: "pet-1",
      },
    });
    answer = () => ({ action: "decline" });
    expect(readText(await call("trigger-elicitation-request"))).toMatch(/User declined/);
    answer = () => ({ action: "cancel" });
    expect(readText(await call("trigger-elicitation-request"))).toMatch(/User cancelled/);
  });

  it("sends a person to a page, as a request and as a precondition", async () => {
    asked.length = 0;
    answer = () => ({ action: "accept" });
    const url = "https://donwell.test/strawberries";
    const said = readText(await call("trigger-url-elicitation", { url, elicitationId: "e1" }));
    expect(said).toMatch(/User completed the URL elicitation flow\.\nElicitation ID: e1/);
    const first = { url: "https://donwell.test/hall", errorPath: true };
    expect(readText(await call("trigger-url-elicitation", first))).toMatch(/User completed/);
    expect(asked).toMatchObject([
      { mode: "url", url, elicitationId: "e1", message: expect.stringMatching(/^Please open/) },
      { mode: "url", url: "https://modelcontextprotocol.io/" },
      { mode: "url", url: "https://donwell.test/hall" },
    ]);
  });

  it("uses the host's model and roots", async () => {
    sampled.length = 0;
    const said = readText(
      await call("trigger-sampling-request", { prompt: "Box Hill", maxTokens: 50 }),
    );
    expect(sampled).toMatchObject([
      {
        server: "everything",
        messages: [{ role: "user", content: { text: expect.stringContaining("Box Hill") } }],
        systemPrompt: "You are a helpful test server.",
        maxTokens: 50,
        temperature: 0.7,
      },
    ]);
    expect(JSON.parse(said.slice(said.indexOf("{")))).toEqual({
      role: "assistant",
      content: { type: "text", text: "Badly done." },
      model: "knightley",
      stopReason: "endTurn",
    });
    expect(readText(await call("get-roots-list"))).toMatch(
      /\(1 total\):\n\n1\. Hartfield\n {3}URI: file:\/\/\/hartfield/,
    );
  });

  it("runs a task, requires input during it, and reports its status", async () => {
    expect(findTool(host.source, "simulate-research-query").spec.execution).toBe("task");
    answer = ({ message }) => {
      expect(message).toMatch(/The research query "python" could have multiple/);
      return { action: "accept", content: { interpretation: "snake" } };
    };
    const progressMessages: unknown[] = [];
    const stop = host.executor.on((event) => {
      if (event.type === "tool.progressed") progressMessages.push(event.progress.message);
    });
    const args = { topic: "python", ambiguous: true };
    const { taskId } = await call("simulate-research-query", args);
    const outcome = await host.executor.tasks.result(taskId ?? "");
    stop();
    if (outcome?.status !== "completed") throw new Error("The task came to nothing.");
    expect(readText(outcome.result)).toMatch(/# Research Report: python \(snake\)/);
    expect(progressMessages).toContain("Gathering sources...");
  });
});

describe("server-everything, for a host without handlers,", () => {
  it("has no tools that require a handler, and gets an error for forms", async () => {
    const { server } = await everything("stdio");
    const source = opened(server);
    await source.ready;
    expect(names(source)).toEqual([...toolsForEverybody, ...toolsThatAsk].sort());
    const executor = executorOver(source);
    const said = readText(await runCall(executor, "trigger-elicitation-request"));
    expect(said).toMatch(/the client does not support forms/);
  });

  it("interrupts a call that requires a visit to a page", async () => {
    const { server } = await everything("stdio");
    const source = opened(server);
    await source.ready;
    const executor = executorOver(source);
    const args = { url: "https://donwell.test/", errorPath: true };
    const outcome = await executor.execute({
      id: "1",
      name: "trigger-url-elicitation",
      arguments: args,
    });
    if (outcome.status !== "interrupted") throw new Error("It was not interrupted.");
    const [request] = outcome.interruption.requests;
    expect(request).toMatchObject({ type: "auth", url: "https://modelcontextprotocol.io/" });
    const resumed = await executor.resume(outcome.interruption, [
      { type: "approve", requestId: request?.id ?? "" },
    ]);
    // Then it asks during the call, which has no handler.
    expect(resumed).toMatchObject({ status: "completed" });
    if (resumed.status !== "completed") return;
    expect(readText(resumed.result)).toMatch(/User cancelled the URL elicitation/);
  });

  /**
   * A server may ask a client to answer a question with a task (2025-11-25, basic/utilities/tasks),
   * and poll until the answer exists. A host that declares that has to keep answers for servers to
   * fetch; 2026-07-28 removed it from the protocol, and a question that waits has the connection to
   * wait on. So it is not declared.
   */
  it.each(asyncTools)("lists no %s: answers to questions are not tasks here", async (name) => {
    const { server } = await everything("stdio", {
      onElicitation: () => ({ action: "decline" }),
      onSampling: () => ({ role: "assistant", content: [], model: "none" }),
    });
    const source = opened(server);
    await source.ready;
    expect(names(source)).not.toContain(name);
  });
});
