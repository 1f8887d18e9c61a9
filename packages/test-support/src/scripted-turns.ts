import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultOutput,
} from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** The model answers. */
export function say(text: string): LanguageModelV4Content {
  return { type: "text", text };
}

/** The model calls a tool; a string is sent unchanged. */
export function call(
  toolCallId: string,
  toolName: string,
  input: unknown = {},
): LanguageModelV4ToolCall {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { type: "tool-call", toolCallId, toolName, input: text };
}

/** The model's output of a turn, or a function of the received results. */
export type Turn =
  | LanguageModelV4Content[]
  | ((read: Record<string, LanguageModelV4ToolResultOutput>) => LanguageModelV4Content[]);

/** A model with scripted answers, generating or streaming. */
export function scripted(...turns: readonly Turn[]): MockLanguageModelV4 {
  let next = 0;
  const say = (): LanguageModelV4GenerateResult => {
    const turn = turns[next++];
    if (turn === undefined) throw new Error(`The script has no turn ${next}.`);
    const content = typeof turn === "function" ? turn(resultsRead(model)) : turn;
    const unified = content.some(({ type }) => type === "tool-call") ? "tool-calls" : "stop";
    return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] };
  };
  const model = new MockLanguageModelV4({
    doGenerate: () => Promise.resolve(say()),
    doStream: () => {
      const { content, finishReason } = say();
      const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }];
      for (const part of content) {
        if (part.type === "text") {
          parts.push(
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: part.text },
            { type: "text-end", id: "t" },
          );
        } else if (part.type === "tool-call") parts.push(part);
      }
      parts.push({ type: "finish", finishReason, usage });
      return Promise.resolve({ stream: ReadableStream.from(parts) });
    },
  });
  return model;
}

/** The results of the model's calls before its latest turn, by call id. */
export function resultsRead(
  model: MockLanguageModelV4,
): Record<string, LanguageModelV4ToolResultOutput> {
  const { prompt } = lastRequest(model);
  const parts = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
  return Object.fromEntries(
    parts.flatMap((part) =>
      part.type === "tool-result" ? [[part.toolCallId, part.output] as const] : [],
    ),
  );
}

/** The latest request to the model. */
export function lastRequest(model: MockLanguageModelV4): LanguageModelV4CallOptions {
  const request = model.doGenerateCalls.at(-1) ?? model.doStreamCalls.at(-1);
  if (request === undefined) throw new Error("The model was not asked.");
  return request;
}
