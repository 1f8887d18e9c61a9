import {
  UnsupportedFunctionalityError,
  type LanguageModelV4,
  type LanguageModelV4Content,
  type LanguageModelV4Prompt,
} from "@ai-sdk/provider";

/**
 * The output of a turn, from 0, and the tools that have answered without an error so far. A text ends the conversation.
 */
export type Script = (turn: number, done: ReadonlySet<string>) => readonly LanguageModelV4Content[];

/** A model whose outputs are a script, so that no key is needed: it reacts to the results that it reads. */
export function scriptedModel(script: Script): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "museum",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const turn = prompt.filter(({ role }) => role === "assistant").length;
      const content = [...script(turn, succeeded(prompt))];
      const calls = content.some(({ type }) => type === "tool-call");
      return {
        content,
        finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
        usage: {
          inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: 0, text: 0, reasoning: undefined },
        },
        warnings: [],
      };
    },
    // The loop then asks for the complete answer at once.
    doStream: () =>
      Promise.reject(new UnsupportedFunctionalityError({ functionality: "streaming" })),
  };
}

/** A call in a script. Its id is the name of the tool. */
export function scriptedCall(toolName: string, input: object): LanguageModelV4Content {
  return { type: "tool-call", toolCallId: toolName, toolName, input: JSON.stringify(input) };
}

/** The tools that have answered without an error so far. */
function succeeded(prompt: LanguageModelV4Prompt): ReadonlySet<string> {
  const results = prompt.flatMap((message) =>
    message.role === "tool" ? message.content.filter((part) => part.type === "tool-result") : [],
  );
  return new Set(
    results.flatMap(({ toolName, output }) => (output.type === "error-text" ? [] : toolName)),
  );
}
