import { run } from "@openai/agents-core";
import { describe, expect, it } from "vitest";
import { agentTools } from "../src/index.ts";
import { call, say, scripted, textsRead } from "./support/agents.ts";
import { museum } from "./support/museum.ts";

describe("a streamed run", () => {
  it("calls tools, asks, and resumes approved calls", async () => {
    const { executor, removed } = museum();
    const { agent, model } = scripted(
      await agentTools(executor),
      [call("a", "look", { id: 1 }), call("b", "remove", { id: 7 })],
      say("It is gone."),
    );
    const names: string[] = [];
    const first = await run(agent, "go", { stream: true });
    for await (const event of first) {
      if (event.type === "run_item_stream_event") names.push(event.name);
    }
    expect(names).toContain("tool_output");
    expect(names).toContain("tool_approval_requested");
    first.state.approve(first.interruptions[0]!);
    const second = await run(agent, first.state, { stream: true });
    await second.completed;
    expect(second.finalOutput).toBe("It is gone.");
    expect(removed).toEqual([7]);
    expect(textsRead(model)).toEqual({ a: "exhibit 1", b: '{"removed":7}' });
  });
});
