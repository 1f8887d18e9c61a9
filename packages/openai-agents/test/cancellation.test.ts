import { run } from "@openai/agents-core";
import { describe, expect, it } from "vitest";
import { agentTools } from "../src/index.ts";
import { call, say, scripted } from "./support/agents.ts";
import { endless, museum } from "./support/museum.ts";

describe("the signal of an agent's run", () => {
  it("stops the running tool, its siblings and the run", async () => {
    const { tool, started } = endless();
    const { executor } = museum({ more: [tool] });
    const events: string[] = [];
    executor.on((event) =>
      events.push("code" in event ? `${event.type} ${event.code}` : event.type),
    );
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "endless"), call("c2", "endless")],
      say("never"),
    );
    const controller = new AbortController();
    const settled = Promise.allSettled([run(agent, "go", { signal: controller.signal })]);
    const signal = await started;
    controller.abort(new Error("enough"));
    expect(await settled).toEqual([{ status: "rejected", reason: new Error("enough") }]);
    expect(signal.aborted).toBe(true);
    expect(events.filter((event) => event === "tool.failed cancelled")).toHaveLength(2);
    expect(model.calls).toHaveLength(1);
  });

  it("stops the running tool of a stream", async () => {
    const { tool, started } = endless();
    const { executor } = museum({ more: [tool] });
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "endless")],
      say("never"),
    );
    const controller = new AbortController();
    const stream = await run(agent, "go", { signal: controller.signal, stream: true });
    const read = (async () => {
      for await (const _ of stream);
    })();
    const settled = Promise.allSettled([read, stream.completed]);
    const signal = await started;
    controller.abort();
    await settled;
    expect(stream.cancelled).toBe(true);
    expect(signal.aborted).toBe(true);
    expect(model.calls).toHaveLength(1);
  });

  it("stops an approved call", async () => {
    const { tool, started } = endless(true);
    const { executor } = museum({ more: [tool] });
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("c1", "endless")],
      say("no"),
    );
    const { state, interruptions } = await run(agent, "go");
    state.approve(interruptions[0]!);
    const controller = new AbortController();
    const settled = Promise.allSettled([run(agent, state, { signal: controller.signal })]);
    const signal = await started;
    controller.abort();
    expect(await settled).toMatchObject([{ status: "rejected" }]);
    expect(signal.aborted).toBe(true);
    expect(model.calls).toHaveLength(1);
  });
});

describe("a run of the executor that is cancelled", () => {
  it("ends the agent's run: its model is not called again", async () => {
    const { tool, started } = endless();
    const { executor } = museum({ more: [tool] });
    const toolRun = executor.startRun();
    const { agent, model } = scripted(
      await agentTools(toolRun),
      [call("c1", "endless")],
      say("never"),
    );
    const settled = Promise.allSettled([run(agent, "go")]);
    await started;
    toolRun.cancel("The person has left.");
    expect(await settled).toMatchObject([
      {
        status: "rejected",
        reason: { error: { code: "cancelled", message: "The person has left." } },
      },
    ]);
    expect(model.calls).toHaveLength(1);
  });

  it("starts no call any more", async () => {
    const { executor, looked } = museum();
    const toolRun = executor.startRun();
    const { agent } = scripted(await agentTools(toolRun), [call("c1", "look", { id: 1 })]);
    toolRun.cancel();
    await expect(run(agent, "go")).rejects.toMatchObject({ error: { code: "cancelled" } });
    expect(looked).toEqual([]);
  });
});
