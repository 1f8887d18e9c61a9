import type { CallOptions, ContentBlock, ToolOutcome, ToolOutput } from "@toolweave/core";
import { isContentBlock } from "@toolweave/core/adapter";
import {
  contentText,
  modelContent,
  toToolFailure,
  waitingText,
  type ContentFile,
} from "@toolweave/core/integration";
import type { ModelOutput } from "./source/sdk-output.ts";

type ContentPart = Extract<ModelOutput, { type: "content" }>["value"][number];

type OnUpdate = NonNullable<CallOptions["onUpdate"]>;

/** The maximum length, in UTF-16 units, of a value without its original content. */
const maxJsonLength = 50_000;

/** The content for the model, by the output for the host: stored as long as that lives. */
const modelOutputs = new WeakMap<object, () => ModelOutput>();

/**
 * The host's `toolResults[].output`: the structured value; or the text; or, if there is more than text and no value,
 * the content blocks. If a call waits for input that the SDK cannot request, it is the `interrupted` outcome, to be
 * resumed with `executor.resume`.
 *
 * @throws ToolError when the result is an error. The SDK makes a tool error of it, and the model reads its message.
 */
export function toOutput(outcome: ToolOutcome): unknown {
  if (outcome.status === "interrupted") {
    const value = waitingText(outcome.interruption);
    return withModelOutput({ ...outcome }, () => ({ type: "error-text", value }));
  }
  if (outcome.result.isError) throw toToolFailure(outcome, true);
  return hostOutput(outcome.result);
}

/**
 * A call as a stream for the SDK: its partial outputs, each in place of the one before, and at last its result. The
 * tool waits until an output is read, and the call continues when the stream is no longer read.
 *
 * @throws ToolError when the result is an error.
 */
export async function* partialOutputs(
  execute: (onUpdate: OnUpdate) => Promise<ToolOutcome>,
): AsyncGenerator<unknown, void, undefined> {
  const waiting: { readonly output: unknown; readonly taken: () => void }[] = [];
  let isOver = false;
  let wake = (): void => {};
  const outcome = execute((output) => {
    if (isOver) return;
    return new Promise<void>((taken) => {
      waiting.push({ output: hostOutput(output), taken });
      wake();
    });
  });
  const end = (): void => {
    isOver = true;
    wake();
  };
  outcome.then(end, end);
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        yield next.output;
        next.taken();
      } else if (isOver) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
    yield toOutput(await outcome);
  } finally {
    isOver = true;
    for (const { taken } of waiting) taken();
  }
}

/**
 * The content for the model in place of the host's output: the content that came with it. An output that was serialized
 * in between, such as one in a user interface's messages, has lost it: content blocks are used as they are, and a value
 * becomes its JSON text, truncated at 50,000 characters.
 */
export function modelOutput(output: unknown): ModelOutput {
  if (typeof output === "string") return toContentOutput([{ type: "text", text: output }]);
  if (typeof output === "object" && output !== null) {
    const known = modelOutputs.get(output);
    if (known !== undefined) return known();
    if (Array.isArray(output) && output.length > 0 && output.every(isContentBlock)) {
      return toContentOutput(output);
    }
  }
  const json = JSON.stringify(output) ?? "";
  const value = json.length > maxJsonLength ? `${json.slice(0, maxJsonLength)}… [cut]` : json;
  return { type: "text", value };
}

/** The structured value, or the text, or the content blocks. */
function hostOutput({ content, value }: Pick<ToolOutput, "content" | "value">): unknown {
  if (typeof value === "object" && value !== null) {
    // A copy: a tool may return one object twice, with other content.
    const output = Array.isArray(value) ? [...value] : { ...value };
    return withModelOutput(output, () => toContentOutput(content));
  }
  const text = content.every(({ type }) => type === "text") ? contentText(content) : undefined;
  if (value !== undefined && text === valueText(value)) return value;
  return text ?? withModelOutput([...content], () => toContentOutput(content));
}

function valueText(value: string | number | boolean | null): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function withModelOutput<Output extends object>(output: Output, model: () => ModelOutput): Output {
  modelOutputs.set(output, model);
  return output;
}

function toContentOutput(content: readonly ContentBlock[]): ModelOutput {
  const value = modelContent(content, toFilePart);
  return typeof value === "string" ? { type: "text", value } : { type: "content", value };
}

function toFilePart({ mediaType, data }: ContentFile): ContentPart {
  return { type: "file", mediaType, data: { type: "data", data } };
}
