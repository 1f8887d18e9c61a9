import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls a tool in each turn before the last one, in which it says how many there were. */
export function makeModel(turns: number, tool: string, input: object = {}): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const turn = prompt.filter(({ role }) => role === "assistant").length;
      const isLast = turn + 1 >= turns;
      const parts: LanguageModelV4StreamPart[] = [
        { type: "stream-start", warnings: [] },
        ...(isLast
          ? ([
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: `done after ${turn + 1}` },
              { type: "text-end", id: "t" },
            ] as const)
          : ([
              {
                type: "tool-call",
                toolCallId: `call_${turn}`,
                toolName: tool,
                input: JSON.stringify(input),
              },
            ] as const)),
        {
          type: "finish",
          usage,
          finishReason: { unified: isLast ? "stop" : "tool-calls", raw: undefined },
        },
      ];
      return {
        stream: new ReadableStream({
          start: (controller) => {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  });
}
