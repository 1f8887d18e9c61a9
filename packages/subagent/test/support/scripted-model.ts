import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { JsonObject } from "@toolweave/core";
import { MockLanguageModelV4 } from "ai/test";

/** The output of a scripted model in one turn. */
export interface Said {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly input?: JsonObject | string;
  }[];
  readonly finish?: "stop" | "length" | "tool-calls" | "content-filter" | "error" | "interrupted";
  readonly tokens?: readonly [input: number, output: number];
}

/** The input of a script. */
export interface Asked {
  /** The number of answers of the model in this conversation. */
  readonly turn: number;
  readonly prompt: LanguageModelV4Prompt;
  readonly options: LanguageModelV4CallOptions;
  /** The first text of the user. */
  readonly task: string;
  /** The results of the last turn for the model, in call order. */
  readonly results: readonly string[];
}

export type Script = (asked: Asked) => Said | Promise<Said>;

/** The AI SDK's own mock of a model, which streams a script. */
export function scriptedModel(
  script: Script,
  more: { modelId?: string } = {},
): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    ...more,
    doStream: async (options) => ({
      stream: toStream(toParts(await script(readPrompt(options)))),
    }),
  });
}

/** One answer after the other, in each conversation from the first. */
export function inTurn(...answers: readonly Said[]): Script {
  return ({ turn }) => {
    const said = answers[turn];
    if (said === undefined) throw new Error(`the script ends before turn ${turn}`);
    return said;
  };
}

export function readPrompt(options: LanguageModelV4CallOptions): Asked {
  const { prompt } = options;
  const user = prompt.find(({ role }) => role === "user");
  const [first] = user?.role === "user" ? user.content : [];
  const last = prompt.at(-1);
  return {
    turn: prompt.filter(({ role }) => role === "assistant").length,
    prompt,
    options,
    task: first?.type === "text" ? first.text : "",
    results:
      last?.role === "tool"
        ? last.content.flatMap((part) =>
            part.type === "tool-result" && "value" in part.output ? String(part.output.value) : [],
          )
        : [],
  };
}

export function toParts({
  text,
  reasoning,
  calls = [],
  finish,
  tokens,
}: Said): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }];
  for (const [type, said] of [
    ["reasoning", reasoning],
    ["text", text],
  ] as const) {
    if (said === undefined) continue;
    parts.push({ type: `${type}-start`, id: "0" });
    for (const delta of said.split(/(?<= )/)) parts.push({ type: `${type}-delta`, id: "0", delta });
    parts.push({ type: `${type}-end`, id: "0" });
  }
  for (const [index, { id = `call_${index}`, name, input = {} }] of calls.entries()) {
    const json = typeof input === "string" ? input : JSON.stringify(input);
    parts.push({ type: "tool-call", toolCallId: id, toolName: name, input: json });
  }
  const unified = finish ?? (calls.length > 0 ? "tool-calls" : "stop");
  parts.push({
    type: "finish",
    usage: toUsage(...(tokens ?? [10, 5])),
    finishReason: { unified, raw: undefined },
  });
  return parts;
}

export function toStream(
  parts: readonly LanguageModelV4StreamPart[],
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

export function toUsage(input: number, output: number): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: output, text: output, reasoning: undefined },
  };
}
