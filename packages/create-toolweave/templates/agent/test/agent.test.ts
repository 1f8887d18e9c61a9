import assert from "node:assert/strict";
import { test } from "node:test";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";
import { runWithApprovals } from "../src/agent.ts";
import { invoiceTools } from "../src/tools.ts";

type Part = Extract<LanguageModelV4StreamPart, { type: "tool-call" | "text-delta" }>;

/** A model that follows a script: each turn is one call or one text. */
function scriptedModel(...turns: Part[]): MockLanguageModelV4 {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  const outputTokens = { total: 1, text: 1, reasoning: 0 };
  return new MockLanguageModelV4({
    doStream: turns.map((part) => ({
      stream: ReadableStream.from<LanguageModelV4StreamPart>([
        part,
        {
          type: "finish",
          finishReason: {
            unified: part.type === "tool-call" ? "tool-calls" : "stop",
            raw: undefined,
          },
          usage: { inputTokens, outputTokens },
        },
      ]),
    })),
  });
}

const payment: Part = {
  type: "tool-call",
  toolCallId: "1",
  toolName: "pay_invoice",
  input: '{"invoice":"B-2"}',
};
const say = (delta: string): Part => ({ type: "text-delta", id: "1", delta });

test("an invoice is paid after a person has approved the call", async () => {
  const paid: string[] = [];
  const asked: unknown[] = [];
  const model = scriptedModel(payment, say("B-2 is paid."));
  const result = await runWithApprovals("Pay B-2.", model, invoiceTools(paid), async ({ call }) => {
    assert.deepEqual(paid, []);
    asked.push(call.arguments);
    return true;
  });
  assert.equal(result.status, "completed");
  assert.equal(result.text, "B-2 is paid.");
  assert.deepEqual(asked, [{ invoice: "B-2" }]);
  assert.deepEqual(paid, ["B-2"]);
});

test("a rejected payment is not made, and the agent continues", async () => {
  const paid: string[] = [];
  const model = scriptedModel(payment, say("It was not paid."));
  const result = await runWithApprovals("Pay B-2.", model, invoiceTools(paid), async () => false);
  assert.equal(result.status, "completed");
  assert.deepEqual(paid, []);
});
