import { dynamicTool, jsonSchema, type JSONSchema7 } from "ai";
import type {
  CallOptions,
  ToolExecutor,
  ToolOutcome,
  ToolRun,
  ToolSpec,
  Toolset,
  ContentBlock,
  ToolOutput,
} from "@toolweave/core";
import {
  CallGate,
  resolveTarget,
  perObject,
  contentText,
  modelContent,
  toToolFailure,
  waitingText,
  type ContentFile,
} from "@toolweave/core/integration";
import { gatedTools, isApproved, requestApproval, type GatedTool } from "./ai-tool-approval.ts";
import { checks, checkOptions, isContentBlock } from "@toolweave/core/adapter";
import { toolInputs, type ToolInput, type ToolProvider } from "@toolweave/providers";
import type { ModelOutput } from "./source/sdk-output.ts";
import { sdkMajor } from "./source/sdk-version.ts";

/** The `tools` of `generateText` and `streamText`, by name. */
export type AiTools = Record<string, ReturnType<typeof dynamicTool>>;

/** Options of `aiTools`. */
export interface AiToolsOptions {
  /**
   * The provider of the model, whose rules the schemas follow then. Default: a schema that some provider would refuse
   * becomes one that all of them accept, and all others stay unchanged.
   */
  readonly provider?: ToolProvider;
}

/**
 * Gives every tool of an executor, or of one run, to the AI SDK's `generateText` and `streamText`. Every call goes
 * through the executor's pipeline. The model reads the result's bounded content; `toolResults[].output` is the
 * structured value, or the text; a failure is a tool error that the model reads, and `error` is a `ToolError`.
 *
 * A call that the policy asks about becomes the SDK's own `tool-approval-request`, and runs after an approving
 * `tool-approval-response`: once, with exactly the arguments of the request, within 24 hours, in this process or another
 * one with the same key and store of pending calls, and for the same caller and session (a run with neither: in a run of
 * the same id). Any other approval
 * fails with `approval_invalid`, and the call does not run. An answer in the SDK's `toolApproval` option does not count
 * as a person's: see `aiToolApproval`, which also says why a call is asked about.
 *
 * AI SDK 5 has no approvals: there, a call that the policy asks about does not run, and the model reads that it needs an
 * approval, unless the executor's `onAsk` decides inline.
 *
 * A run that searches (`startRun({ search })`) needs nothing more. With a constant list, the calls inside of
 * `call_tool` are the ones that need approval and run. With a growing one the object itself grows between steps: pass
 * it on unchanged, and add tools of your own with `Object.assign(tools, …)`, since a copy would not grow.
 *
 * @param target an executor, for calls without a caller; or a run, for a caller, a session, limits, injected values, a
 * search or a toolset of its own.
 * @returns the tools as they are once every source has loaded, and with them the built-in tools that a later call may
 * need.
 * @example
 * ```ts
 * const { text } = await generateText({ model, prompt, tools: await aiTools(executor) });
 * ```
 *
 * @throws ToolError `invalid_configuration` (by rejecting) for another target, and for an invalid option.
 */
export async function aiTools(
  target: ToolExecutor | ToolRun,
  options: AiToolsOptions = {},
): Promise<AiTools> {
  checkOptions("aiTools", options, ["provider"]);
  const toInput = toolInputs("aiTools", options.provider);
  const gate = new CallGate(await resolveTarget("aiTools", target));
  const { run } = gate;
  const toAiTool = (spec: ToolSpec): AiTools[string] => aiTool(spec, toInput(spec), gate);
  const toolset = run.freezeToolset();
  if (toolset.searchable !== undefined) return growingTools(run, toAiTool);
  // `fromEntries` makes own properties, whatever the name: `__proto__` is one.
  return Object.fromEntries(toolset.specs().map((spec) => [spec.name, toAiTool(spec)]));
}

function aiTool(spec: ToolSpec, input: ToolInput, gate: CallGate): AiTools[string] {
  const { name, description, annotations } = spec;
  const title = spec.title ?? annotations.title;
  const gated: GatedTool = { gate, input };
  const tool = dynamicTool({
    description,
    ...(title === undefined ? {} : { title }),
    // Without a validator of its own: the executor's error about invalid arguments helps a model more.
    inputSchema: jsonSchema(() => input.schema as JSONSchema7),
    needsApproval: async (args, { toolCallId: id, messages }) =>
      (await requestApproval(gated, { id, name, input: args }, messages)) !== undefined,
    execute: (args, { toolCallId: id, messages, abortSignal: signal }) => {
      const call = { id, name, input: input.restore(args) };
      const execute = (options: Pick<CallOptions, "onUpdate">): Promise<ToolOutcome> =>
        gate.execute(call, isApproved(messages, id), {
          ...options,
          ...(signal && { signal }),
        });
      // An iterable result would be displayed twice, as partial and as final: only for tools that declare streaming.
      return annotations.streamingHint === true
        ? partialOutputs((onUpdate) => execute({ onUpdate }))
        : execute({}).then(toOutput);
    },
    // Version 5 passes the output itself.
    toModelOutput: (given) => modelOutput(sdkMajor === 5 ? given : given.output),
  });
  gatedTools.set(tool, gated);
  return tool;
}

/**
 * The tools of a run that searches, as one object that grows. The SDK reads it anew before every step and gives a model
 * its enumerable members: the tools that the run lists then. Every other tool that may be called can be read by its
 * name: for a model that knows it, and for an approval that is answered in a later request. Tools are made when they
 * are needed, and new ones come last.
 */
function growingTools<AiTool extends object>(
  run: ToolRun,
  make: (spec: ToolSpec) => AiTool,
): Record<string, AiTool> {
  const listed = new Map<string, AiTool>();
  let lastToolset: Toolset | undefined;
  const toolFor = perObject(make);
  const follow = (target: Record<string, AiTool>): void => {
    const { toolset } = run;
    if (toolset === lastToolset) return;
    lastToolset = toolset;
    for (const [name, tool] of listed) {
      const spec = toolset.get(name)?.spec;
      if (spec !== undefined && toolFor(spec) === tool) continue;
      listed.delete(name);
      // The host may have put one of its own in its place.
      if (target[name] === tool) delete target[name];
    }
    for (const spec of toolset.specs()) {
      if (listed.has(spec.name) || Object.hasOwn(target, spec.name)) continue;
      const value = toolFor(spec);
      listed.set(spec.name, value);
      const visible = { enumerable: true, configurable: true, writable: true };
      Object.defineProperty(target, spec.name, { value, ...visible });
    }
  };
  const hidden = (target: Record<string, AiTool>, name: string | symbol): AiTool | undefined => {
    if (typeof name !== "string" || Object.hasOwn(target, name)) return undefined;
    const spec = run.toolset.callable(name)?.tool.spec;
    return spec === undefined ? undefined : toolFor(spec);
  };
  return new Proxy<Record<string, AiTool>>(
    {},
    {
      ownKeys(target) {
        follow(target);
        return Reflect.ownKeys(target);
      },
      getOwnPropertyDescriptor(target, name) {
        follow(target);
        const value = hidden(target, name);
        return value === undefined
          ? Reflect.getOwnPropertyDescriptor(target, name)
          : { value, enumerable: false, configurable: true, writable: true };
      },
      has(target, name) {
        follow(target);
        return hidden(target, name) !== undefined || Reflect.has(target, name);
      },
      get(target, name, receiver) {
        follow(target);
        return hidden(target, name) ?? Reflect.get(target, name, receiver);
      },
    },
  );
}

/** The output of a tool as a model reads it: the `output` of the SDK's `tool-result`. */
export type AiToolOutput = ModelOutput;

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
function toOutput(outcome: ToolOutcome): unknown {
  if (outcome.status === "interrupted") {
    return withModelOutput({ ...outcome }, () => toAiToolOutput(outcome));
  }
  if (outcome.result.isError) throw toToolFailure(outcome, true);
  return hostOutput(outcome.result);
}

const checkOutcome = checks.valueThat(
  (value) => typeof (value as Partial<ToolOutcome> | null | undefined)?.status === "string",
  "an outcome: await executor.resume(interruption, answers)",
);

/**
 * Converts an outcome to the `output` of the SDK's `tool-result`: what a model reads of it. For a call that the SDK does
 * not execute itself, such as one that a person has approved elsewhere: `executor.resume` returns its outcome.
 *
 * An error, and a call that still waits, become `error-text`.
 *
 * @throws ToolError `invalid_configuration` for what is no outcome, such as a promise.
 *
 * @example
 * ```text
 * const { id: toolCallId, name: toolName } = interruption.call;
 * const output = toAiToolOutput(await executor.resume(interruption, [{ type: "approve", by: "Ada" }]));
 * messages.push({ role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] });
 * ```
 */
export function toAiToolOutput(outcome: ToolOutcome): AiToolOutput {
  checkOutcome.check("toAiToolOutput: outcome", outcome);
  if (outcome.status === "interrupted") {
    return { type: "error-text", value: waitingText(outcome.interruption) };
  }
  if (outcome.result.isError) {
    return { type: "error-text", value: toToolFailure(outcome, true).message };
  }
  return toContentOutput(outcome.result.content);
}

/**
 * A call as a stream for the SDK: its partial outputs, each in place of the one before, and at last its result. The
 * tool waits until an output is read, and the call continues when the stream is no longer read.
 *
 * @throws ToolError when the result is an error.
 */
async function* partialOutputs(
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
function modelOutput(output: unknown): ModelOutput {
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
  if (sdkMajor < 7) return { type: "media", mediaType, data } as unknown as ContentPart;
  return { type: "file", mediaType, data: { type: "data", data } };
}
