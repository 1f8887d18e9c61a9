import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** The output of a scripted model in one turn. */
export interface Said {
  readonly text?: string;
  readonly calls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly input?: Readonly<Record<string, unknown>>;
  }[];
}

/** The input of a script. */
export interface Asked {
  /** The number of answers of the model in this conversation. */
  readonly turn: number;
  /** The first text of the user. */
  readonly task: string;
  /** The results of the last turn for the model, in call order. */
  readonly results: readonly string[];
  /** The ids of the calls of each of its answers. */
  readonly calls: readonly (readonly string[])[];
}

/** A model that follows a script. The script depends on the conversation only, so that every process has the same. */
export function scriptedModel(script: (asked: Asked) => Said | Promise<Said>): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "test",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const { text, calls = [] } = await script(toAsked(prompt));
      const count = { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0, text: 10, reasoning: 0 };
      return {
        content: [
          ...(text === undefined ? [] : [{ type: "text" as const, text }]),
          ...calls.map(({ id, name, input = {} }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(input),
          })),
        ],
        finishReason: { unified: calls.length === 0 ? "stop" : "tool-calls", raw: undefined },
        usage: { inputTokens: count, outputTokens: count },
        warnings: [],
      };
    },
    doStream: undefined as never,
  };
}

function toAsked(prompt: LanguageModelV4Prompt): Asked {
  const user = prompt.find(({ role }) => role === "user");
  const [first] = user?.role === "user" ? user.content : [];
  const last = prompt.at(-1);
  const results =
    last?.role === "tool"
      ? last.content.flatMap((part) =>
          part.type === "tool-result" && "value" in part.output ? [String(part.output.value)] : [],
        )
      : [];
  const answers = prompt.filter((message) => message.role === "assistant");
  return {
    turn: answers.length,
    calls: answers.map(({ content }) =>
      content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])),
    ),
    task: first?.type === "text" ? first.text : "",
    results,
  };
}
