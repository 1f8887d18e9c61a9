import {
  UnsupportedFunctionalityError,
  type LanguageModelV4,
  type LanguageModelV4Content,
  type LanguageModelV4Prompt,
} from "@ai-sdk/provider";

/**
 * The outputs of the curator's model, so that no key is needed: it reacts to the results that it
 * reads.
 */
export const scriptedModel: LanguageModelV4 = {
  specificationVersion: "v4",
  provider: "museum",
  modelId: "scripted",
  supportedUrls: {},
  doGenerate: async ({ prompt }) => {
    const turn = prompt.filter(({ role }) => role === "assistant").length;
    const content = answer(turn, succeeded(prompt));
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
  doStream: () => Promise.reject(new UnsupportedFunctionalityError({ functionality: "streaming" })),
};

function answer(turn: number, done: ReadonlySet<string>): LanguageModelV4Content[] {
  const added = done.has("create_event");
  switch (turn) {
    case 0:
      // Both at once: one is a request over HTTP, the other goes to the MCP server.
      return [
        call("files__read_text_file", { path: "wishes.txt" }),
        call("list_events", { kind: "tour" }),
      ];
    case 1:
      return [
        call("create_event", {
          title: "Lanterns After Dark, Again",
          kind: "tour",
          startsOn: "2027-04-24",
          capacity: 25,
        }),
      ];
    case 2: {
      const content = added
        ? "There is another lantern tour on 24 April 2027.\n"
        : "We are sorry: there is no other lantern tour this spring.\n";
      return [call("files__write_file", { path: "answer.txt", content })];
    }
    default: {
      const tour = added ? "The tour is on the programme" : "The tour is not on the programme";
      const note = done.has("files__write_file") ? "is written" : "is not written";
      return [{ type: "text", text: `${tour}, and the answer to the visitor ${note}.` }];
    }
  }
}

function call(toolName: string, input: object): LanguageModelV4Content {
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
