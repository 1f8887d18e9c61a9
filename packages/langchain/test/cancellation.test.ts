import { HumanMessage } from "@langchain/core/messages";
import { defineTool, ToolExecutor, ToolRegistry, type ToolEvent } from "@toolweave/core";
import { endlessTool } from "@toolweave/test-support/tools";
import { describe, expect, it } from "vitest";
import { langchainTools } from "../src/index.ts";
import { agent, graphMakers, createThread } from "./support/graphs.ts";

const calls = [{ id: "c1", name: "endless", args: {} }];

/** A tool that runs until it is stopped. */
function endless(needsApproval = false) {
  const { definition, started } = endlessTool(needsApproval);
  const executor = new ToolExecutor({ registry: new ToolRegistry([defineTool(definition)]) });
  const events: ToolEvent[] = [];
  executor.on((event) => events.push(event));
  return { executor, started, ended: () => events.at(-1)?.type };
}

describe.each(Object.entries(graphMakers))("%s", (_, maker) => {
  it("that is aborted stops the running tool, and does not call the model again", async () => {
    const { executor, started, ended } = endless();
    const controller = new AbortController();
    const thread = createThread(maker, () => langchainTools(executor), calls);
    const settled = Promise.allSettled([thread.begin(controller.signal)]);
    const signal = await started;
    controller.abort();
    const [{ status }] = await settled;
    expect(status).toBe("rejected");
    expect(signal.aborted).toBe(true);
    expect(ended()).toBe("tool.failed");
    expect(thread.last).toBeUndefined();
  });

  it("that is aborted without a checkpointer stops the running tool", async () => {
    const { executor, started, ended } = endless();
    const controller = new AbortController();
    const graph = maker(await langchainTools(executor), calls, undefined);
    const config = { configurable: {} as { thread_id: string }, signal: controller.signal };
    const settled = Promise.allSettled([
      graph.invoke({ messages: [new HumanMessage("Go.")] }, config),
    ]);
    const signal = await started;
    controller.abort();
    const [{ status }] = await settled;
    expect(status).toBe("rejected");
    expect(signal.aborted).toBe(true);
    expect(ended()).toBe("tool.failed");
  });

  it("that is aborted stops a tool that a person has approved, which is never run again", async () => {
    const { executor, started } = endless(true);
    let runs = 0;
    executor.on(({ type }) => void (type === "tool.started" && (runs += 1)));
    const thread = createThread(maker, () => langchainTools(executor), calls);
    await thread.begin();
    const id = thread.asked[0]?.interruption.id as string;
    const controller = new AbortController();
    const settled = Promise.allSettled([
      thread.resume({ [id]: { type: "approve" } }, controller.signal),
    ]);
    const signal = await started;
    controller.abort();
    const [{ status }] = await settled;
    expect(status).toBe("rejected");
    expect(signal.aborted).toBe(true);
    // The answer was used: a call that is resumed from the checkpoint is not confused with another
    // one.
    await thread.resume({ [id]: { type: "approve" } });
    expect(runs).toBe(1);
  });
});

describe("a run that is cancelled", () => {
  it("ends the graph: the model is not called again", async () => {
    const { executor, started } = endless();
    const run = executor.startRun();
    const thread = createThread(agent, () => langchainTools(run), calls);
    const settled = Promise.allSettled([thread.begin()]);
    await started;
    run.cancel("enough");
    // A call beside it is aborted, too, and LangGraph reports both.
    expect(await settled).toMatchObject([
      { status: "rejected", reason: { errors: [{ code: "cancelled", message: "enough" }, {}] } },
    ]);
  });

  it("throws from the tool, and does not start another call", async () => {
    const { executor } = endless();
    const run = executor.startRun();
    const [tool] = await langchainTools(run);
    run.cancel("enough");
    await expect(
      tool?.invoke({ type: "tool_call", id: "c1", name: "endless", args: {} }),
    ).rejects.toMatchObject({ code: "cancelled", message: "enough" });
  });
});

describe("a tool outside of a graph", () => {
  it("is stopped by the signal, and throws its reason", async () => {
    const { executor, started } = endless();
    const [tool] = await langchainTools(executor);
    const controller = new AbortController();
    const call = tool?.invoke(
      { type: "tool_call", id: "c1", name: "endless", args: {} },
      { signal: controller.signal },
    );
    await started;
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
  });
});
