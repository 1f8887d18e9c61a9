import { describe, expect, test } from "vitest";
import { runAgent, type AgentEvent } from "@toolweave/subagent";
import { ended, executorFor, resultsIn, tool } from "./support/executor-for.ts";
import { inTurn, scriptedModel } from "./support/scripted-model.ts";

const add = tool("add", ({ a, b }) => (a as number) + (b as number));

describe("an agent", () => {
  test("calls the model, makes its calls, and returns its last answer", async () => {
    const model = scriptedModel(
      inTurn(
        {
          reasoning: "two sums",
          text: "Let me see.",
          calls: [
            { id: "a", name: "add", input: { a: 1, b: 2 } },
            { id: "b", name: "add", input: { a: 3, b: 4 } },
          ],
        },
        { text: "It is 3 and 7." },
      ),
    );
    const events: AgentEvent[] = [];
    const result = ended(
      await runAgent({
        model,
        executor: executorFor([add]),
        system: "You add.",
        prompt: "1+2, 3+4",
        onEvent: (event) => events.push(event),
      }),
      "completed",
    );
    expect(result.text).toBe("It is 3 and 7.");
    expect(result.messages).toEqual([
      { role: "system", content: "You add." },
      { role: "user", content: [{ type: "text", text: "1+2, 3+4" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "two sums" },
          { type: "text", text: "Let me see." },
          { type: "tool-call", toolCallId: "a", toolName: "add", input: { a: 1, b: 2 } },
          { type: "tool-call", toolCallId: "b", toolName: "add", input: { a: 3, b: 4 } },
        ],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "a",
            toolName: "add",
            output: { type: "text", value: "3" },
          },
          {
            type: "tool-result",
            toolCallId: "b",
            toolName: "add",
            output: { type: "text", value: "7" },
          },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "It is 3 and 7." }] },
    ]);
    expect(result.usage).toMatchObject({
      turns: 2,
      toolCalls: 2,
      inputTokens: 20,
      outputTokens: 10,
    });
    expect(JSON.parse(JSON.stringify(result.messages))).toEqual(result.messages);
    expect(model.doStreamCalls[0]?.prompt).toHaveLength(2);
    expect(model.doStreamCalls[1]?.prompt).toHaveLength(4);
    expect(resultsIn(result)).toEqual(["3", "7"]);
    expect(events.map(({ type }) => type)).toEqual([
      "agent.started",
      "turn.started",
      "reasoning.delta",
      "reasoning.delta",
      "text.delta",
      "text.delta",
      "text.delta",
      "turn.ended",
      "tool.called",
      "tool.called",
      "tool.ended",
      "tool.ended",
      "turn.started",
      "text.delta",
      "text.delta",
      "text.delta",
      "text.delta",
      "text.delta",
      "turn.ended",
      "agent.ended",
    ]);
  });
});
