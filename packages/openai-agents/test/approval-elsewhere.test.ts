import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { run, RunContext, RunState, type Agent } from "@openai/agents-core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { describe, expect, it } from "vitest";
import { agentTools, restoreWaitingCalls, waitingCalls } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { key, museum } from "./support/museum.ts";

/** The state of a run that asks whether exhibit 7 may be removed, as stored in a database. */
async function askedToRemove({ executor }: ReturnType<typeof museum>): Promise<string> {
  const { agent } = scripted(await agentTools(executor), [call("c1", "remove", { id: 7 })]);
  return (await run(agent, "go")).state.toString();
}

/** Loads the state, approves all pending calls, and resumes. */
async function approved(agent: Agent, text: string) {
  const state = await RunState.fromString(agent, text);
  for (const interruption of state.getInterruptions()) state.approve(interruption);
  return run(agent, state);
}

describe("a serialized run", () => {
  it("is resumed in another process, and runs the call once", async () => {
    const script = fileURLToPath(new URL("support/leave-a-call-waiting.ts", import.meta.url));
    const text = execFileSync(process.execPath, ["--conditions=@toolweave/source", script], {
      encoding: "utf8",
    });
    const { executor, removed, looked } = museum({ key });
    const { agent, model } = scripted(await agentTools(executor), say("It is gone."));
    const result = await approved(agent, text);
    expect(result.finalOutput).toBe("It is gone.");
    expect(removed).toEqual([7]);
    expect(looked).toEqual([]);
    expect(textsRead(model)).toEqual({ c1: "exhibit 1", c2: '{"removed":7}' });
  });

  it("contains the permissions of its calls for the approver there", async () => {
    const text = await askedToRemove(museum({ key }));
    const { agent } = scripted(await agentTools(museum({ key }).executor));
    const { _context } = await RunState.fromString(agent, text);
    expect(waitingCalls(_context)).toMatchObject([
      { callId: "c1", interruption: { requests: [{ permission: { summary: "Call remove" } }] } },
    ]);
  });

  it("runs an approved call once, however often it is loaded and approved", async () => {
    const pendingCalls = memoryPendingCalls();
    const text = await askedToRemove(museum({ key, pendingCalls }));
    const { executor, removed } = museum({ key, pendingCalls });
    const once = scripted(await agentTools(executor), say("done"));
    await approved(once.agent, text);
    const twice = scripted(await agentTools(executor), say("hm"));
    await approved(twice.agent, text);
    expect(removed).toEqual([7]);
    // The same answer returns the first outcome.
    expect(textsRead(twice.model)["c1"]).toBe(textsRead(once.model)["c1"]);
  });

  it("is resumed with the host's own context, which takes over the pending calls", async () => {
    const text = await askedToRemove(museum({ key }));
    const { executor, removed } = museum({ key });
    const { agent } = scripted(await agentTools(executor), say("done"));
    const context = new RunContext<unknown>({ database: new Map() });
    restoreWaitingCalls(context, text);
    const state = await RunState.fromStringWithContext(agent, text, context);
    state.approve(state.getInterruptions()[0]!);
    await run(agent, state);
    expect(removed).toEqual([7]);
  });

  it("runs nothing with a context that has not taken them over", async () => {
    const text = await askedToRemove(museum({ key }));
    const { executor, removed } = museum({ key });
    const { agent, model } = scripted(await agentTools(executor), say("hm"));
    const state = await RunState.fromStringWithContext(agent, text, new RunContext<unknown>());
    state.approve(state.getInterruptions()[0]!);
    await run(agent, state);
    expect(removed).toEqual([]);
    expect(textsRead(model)["c1"]).toMatch(/^remove was not run now: it needs a person's approval/);
  });

  it("runs nothing for an executor with another key", async () => {
    const text = await askedToRemove(museum({ key }));
    const { executor, removed } = museum({ key: `${key} Another one.` });
    const { agent, model } = scripted(await agentTools(executor), say("hm"));
    await approved(agent, text);
    expect(removed).toEqual([]);
    expect(textsRead(model)["c1"]).toMatch(/cannot be opened/);
  });

  it("has no secret argument in its data", async () => {
    const secret = "tok-1f0c93b7a2";
    const { executor } = museum({ key, redact: { secrets: [secret] } });
    const args = { id: 7, note: secret };
    const { agent } = scripted(await agentTools(executor), [call("c1", "remove", args)]);
    const { runContext } = await run(agent, "go");
    expect(waitingCalls(runContext)).toHaveLength(1);
    expect(JSON.stringify(runContext.context)).not.toContain(secret);
  });

  it("does not add its data to the model's input", async () => {
    const { executor } = museum({ key });
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "remove", { id: 7 })],
      say("done"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!);
    await run(agent, state);
    expect(JSON.stringify(model.calls.map(({ request }) => request.input))).not.toContain(
      "specHash",
    );
  });
});

describe("a state that was changed in transit", () => {
  /** The pending calls in the state's JSON. */
  interface Written {
    readonly context: {
      readonly context: {
        "@toolweave/openai-agents": { waiting: Record<string, unknown>[] };
      };
    };
  }

  async function changed(change: (kept: Written["context"]["context"]) => void) {
    const written = JSON.parse(await askedToRemove(museum({ key }))) as Written;
    change(written.context.context);
    const { executor, removed } = museum({ key });
    const { agent, model } = scripted(await agentTools(executor), say("hm"));
    await approved(agent, JSON.stringify(written));
    return { removed, read: textsRead(model)["c1"] };
  }

  it.each([
    ["other arguments", { call: { id: "c1", name: "remove", arguments: { id: 8 } } }],
    ["another tool", { call: { id: "c1", name: "look", arguments: { id: 7 } } }],
    ["a later expiry", { expiresAt: 1e15 }],
    ["another seal", { state: "x" }],
  ])("runs nothing: %s in the sealed call", async (_, edit) => {
    const { removed, read } = await changed(({ "@toolweave/openai-agents": { waiting } }) => {
      Object.assign(waiting[0]?.["interruption"] as object, edit);
    });
    expect(removed).toEqual([]);
    expect(read).toMatch(/cannot be opened/);
  });

  it("runs nothing, and breaks nothing: invalid requests in the sealed call", async () => {
    const { removed, read } = await changed(({ "@toolweave/openai-agents": { waiting } }) => {
      Object.assign(waiting[0]?.["interruption"] as object, { requests: [null] });
    });
    expect(removed).toEqual([]);
    expect(read).toMatch(/^remove was not run now/);
  });

  it("runs nothing, and breaks nothing: an invalid grant in a permanent approval", async () => {
    const first = museum({ key });
    const asking = scripted(await agentTools(first.executor), [call("c1", "remove", { id: 7 })]);
    const text = (await run(asking.agent, "go")).state.toString();
    const changed = text.replaceAll(/"grant":\{/g, '"grant":null,"was":{');
    expect(changed).not.toBe(text);
    const { executor, removed } = museum({ key });
    const { agent, model } = scripted(await agentTools(executor), say("hm"));
    const state = await RunState.fromString(agent, changed);
    state.approve(state.getInterruptions()[0]!, { alwaysApprove: true });
    expect((await run(agent, state)).finalOutput).toBe("hm");
    expect(removed).toEqual([]);
    expect(textsRead(model)["c1"]).toMatch(/^remove was not run now/);
  });

  it.each([
    ["nothing", undefined],
    ["a text", "x"],
    ["invalid lists", { waiting: 1, always: null }],
    ["invalid calls", { waiting: [null, 1, {}, { callId: "c1" }], always: [1] }],
  ])("runs nothing, and breaks nothing: %s in place of the calls", async (_, kept) => {
    const { removed, read } = await changed((context) => {
      context["@toolweave/openai-agents"] = kept as never;
    });
    expect(removed).toEqual([]);
    expect(read).toMatch(/^remove was not run now/);
  });
});
