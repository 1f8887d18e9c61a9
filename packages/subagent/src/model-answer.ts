import type { JsonObject, JsonValue } from "@toolweave/core";
import { bytesToBase64, parseLossless, withoutBigints } from "@toolweave/core/adapter";
import type {
  LanguageModelV4Content,
  LanguageModelV4File,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import type { TokenCounts } from "./agent-limits.ts";
import type {
  AgentMessage,
  AssistantPart,
  FilePart,
  ProviderOptions,
  ReasoningPart,
  TextPart,
} from "./message.ts";

/** Providers' ids are shorter. */
const maxIdLength = 200;

/** A call that the model wants us to make. */
export interface ModelCall {
  /** Unique in the transcript. */
  readonly id: string;
  readonly name: string;
  /** The model's own text if it is no JSON object: the executor reports the problem. */
  readonly arguments: string | JsonObject;
}

/** The ids of calls, with the number that the next one of the same name gets. */
export type CallIds = Map<string, number>;

/** The ids of the calls in a transcript. */
export function callIdsIn(messages: readonly AgentMessage[]): CallIds {
  const ids: CallIds = new Map();
  for (const { role, content } of messages) {
    if (role !== "assistant") continue;
    for (const part of content) if (part.type === "tool-call") ids.set(part.toolCallId, 2);
  }
  return ids;
}

/** An answer as a journal stores it. */
export type StoredAnswer = Pick<
  ModelAnswer,
  "content" | "calls" | "approvalIds" | "text" | "finishReason" | "usage"
>;

/** The answer of a model in one turn, as it arrives. */
export class ModelAnswer {
  readonly content: AssistantPart[] = [];
  readonly calls: ModelCall[] = [];
  /** The approvals that the provider requests for tools that it runs itself. */
  readonly approvalIds: string[] = [];
  text = "";
  finishReason: string | undefined;
  usage: LanguageModelV4Usage | undefined;
  /** Something has come in. */
  hasBegun = false;
  readonly #blocks = new Map<string, TextPart | ReasoningPart>();
  readonly #ids: CallIds;

  /** @param ids those that the agent's calls have had. A model may number its calls anew in each answer. */
  constructor(ids: CallIds = new Map()) {
    this.#ids = ids;
  }

  /** Takes a part of a stream. Throws the error that one is. */
  take(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start":
        this.#block(part.type === "text-start" ? "text" : "reasoning", part.id, part);
        break;
      case "text-delta":
        this.#block("text", part.id, part).text += part.delta;
        this.text += part.delta;
        break;
      case "reasoning-delta":
        this.#block("reasoning", part.id, part).text += part.delta;
        break;
      case "text-end":
      case "reasoning-end":
        this.#block(part.type === "text-end" ? "text" : "reasoning", part.id, part);
        this.#blocks.delete(`${part.type === "text-end" ? "text" : "reasoning"} ${part.id}`);
        break;
      case "finish":
        this.finishReason = part.finishReason.unified;
        this.usage = part.usage;
        return;
      case "error":
        throw part.error;
      case "stream-start":
      case "response-metadata":
      case "ping":
      case "raw":
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-input-end":
        return;
      default:
        this.add(part);
    }
    this.hasBegun = true;
  }

  /** Takes what is there as a whole. */
  add(part: LanguageModelV4Content): void {
    this.hasBegun = true;
    const options = toProviderOptions(part);
    switch (part.type) {
      case "text":
      case "reasoning":
        if (part.type === "text") this.text += part.text;
        this.content.push({ type: part.type, text: part.text, ...options });
        break;
      case "tool-call":
        this.#call(part);
        break;
      case "tool-result": {
        if (part.preliminary === true) break;
        const output = {
          type: part.isError === true ? "error-json" : "json",
          value: part.result as JsonValue,
        } as const;
        const { toolCallId, toolName } = part;
        this.content.push({ type: "tool-result", toolCallId, toolName, output, ...options });
        break;
      }
      case "tool-approval-request":
        this.approvalIds.push(part.approvalId);
        break;
      case "file":
      case "reasoning-file":
        this.content.push(filePart(part.type, part.mediaType, part.data, options));
        break;
      case "custom":
        this.content.push({ type: "custom", kind: part.kind, ...options });
        break;
      case "source":
        break;
    }
  }

  /** The answer for a journal. */
  stored(): StoredAnswer {
    const { content, calls, approvalIds, text, finishReason, usage } = this;
    return { content, calls, approvalIds, text, finishReason, usage };
  }

  /** Becomes an answer that was stored. */
  restore({ content, calls, approvalIds, text, finishReason, usage }: StoredAnswer): void {
    this.content.splice(0, Infinity, ...content);
    this.calls.splice(0, Infinity, ...calls);
    this.approvalIds.splice(0, Infinity, ...approvalIds);
    this.text = text;
    this.finishReason = finishReason;
    this.usage = usage;
    for (const { id } of calls) if (!this.#ids.has(id)) this.#ids.set(id, 2);
  }

  #block(type: "text" | "reasoning", id: string, part: Described): TextPart | ReasoningPart {
    const key = `${type} ${id}`;
    const block: TextPart | ReasoningPart = this.#blocks.get(key) ?? { type, text: "" };
    if (!this.#blocks.has(key)) {
      this.#blocks.set(key, block);
      this.content.push(block);
    }
    // The last metadata of a block counts: signatures come at its end.
    if (part.providerMetadata !== undefined) Object.assign(block, toProviderOptions(part));
    return block;
  }

  #call(part: LanguageModelV4ToolCall): void {
    const { toolName, providerExecuted } = part;
    const input = parsed(part.input);
    const own = providerExecuted !== true;
    const toolCallId = own ? this.#uniqueId(part.toolCallId) : part.toolCallId;
    this.content.push({
      type: "tool-call",
      toolCallId,
      toolName,
      input: input === undefined ? {} : withoutBigints(input),
      ...(own ? {} : { providerExecuted: true }),
      ...toProviderOptions(part),
    });
    if (own) this.calls.push({ id: toolCallId, name: toolName, arguments: input ?? part.input });
  }

  /** Only ids distinguish results. */
  #uniqueId(given: unknown): string {
    const wanted = typeof given === "string" && given !== "" ? given.slice(0, maxIdLength) : "call";
    let id = wanted;
    let n = this.#ids.get(wanted) ?? 2;
    for (; this.#ids.has(id); n++) id = `${wanted}_${n}`;
    this.#ids.set(wanted, n);
    if (id !== wanted) this.#ids.set(id, 2);
    return id;
  }
}

/** The tokens that a model reports; `undefined`: none. */
export function toTokenCounts(usage: LanguageModelV4Usage | undefined): TokenCounts | undefined {
  const { inputTokens, outputTokens } = (usage ?? {}) as Partial<LanguageModelV4Usage>;
  // A value that is no number is no report: a budget of tokens then estimates them.
  if (!Number.isFinite(inputTokens?.total) && !Number.isFinite(outputTokens?.total))
    return undefined;
  return {
    inputTokens: count(inputTokens?.total),
    cachedInputTokens: count(inputTokens?.cacheRead),
    outputTokens: count(outputTokens?.total),
    reasoningTokens: count(outputTokens?.reasoning),
  };
}

/** A number that is none, or a negative one, would give back what others have used. */
function count(tokens: number | undefined): number {
  return typeof tokens === "number" && tokens > 0 && tokens < Infinity ? tokens : 0;
}

function parsed(input: unknown): JsonObject | undefined {
  if (input === "") return {};
  try {
    const value: unknown = typeof input === "string" ? parseLossless(input) : input;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

type Described = { readonly providerMetadata?: unknown };

/** The metadata of a provider's part goes back to it as its options. */
function toProviderOptions({ providerMetadata }: Described): { providerOptions?: ProviderOptions } {
  return providerMetadata === undefined
    ? {}
    : { providerOptions: providerMetadata as ProviderOptions };
}

function filePart(
  type: "file" | "reasoning-file",
  mediaType: string,
  data: LanguageModelV4File["data"],
  options: { providerOptions?: ProviderOptions },
): AssistantPart {
  // A transcript is JSON, which has no URLs; and a link that a model gives is not to be followed.
  if (data.type === "url") return { type: "text", text: `[${mediaType}: ${data.url.toString()}]` };
  const base64 = typeof data.data === "string" ? data.data : bytesToBase64(data.data);
  const part: Pick<FilePart, "mediaType" | "data"> = {
    mediaType,
    data: { type: "data", data: base64 },
  };
  return { type, ...part, ...options };
}
