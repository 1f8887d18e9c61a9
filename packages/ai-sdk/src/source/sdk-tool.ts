import {
  ToolError,
  type JsonObject,
  type JsonSchema,
  type PermissionRequest,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolOutput,
  type ToolReturn,
  type ToolSpec,
} from "@toolweave/core";
import {
  isThenable,
  requestHostResult,
  type Metadata,
  type PreflightContext,
  type ValidationProblem,
} from "@toolweave/core/adapter";
import type { ToolSet } from "ai";
import type { ToolApproval } from "./resolve-approval.ts";
import { readMcpResult, toToolOutput } from "./sdk-output.ts";
import type { SdkParser } from "./sdk-schema.ts";
import { sdkMajor } from "./sdk-version.ts";

/** The parts from which a tool of the SDK is converted. */
export interface SdkToolParts {
  readonly tool: ToolSet[string];
  readonly name: string;
  /** Its name in the SDK. */
  readonly original: string;
  /** The id of its source. */
  readonly source: string;
  /** `code`: a function of the host. */
  readonly adapter: "ai-sdk" | "code";
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
  readonly parser: SdkParser | undefined;
  readonly annotations: ToolAnnotations;
  readonly approval: ToolApproval;
  /** The value of its `context`. */
  readonly context: unknown;
  /** Fires when its source is closed. */
  readonly closing: AbortSignal;
}

/** A tool of the SDK. */
export class SdkTool implements Tool {
  readonly spec: ToolSpec;
  /** The SDK does not enforce its output schemas. */
  readonly outputValidation = "warning";
  readonly argumentsValidation?: "tool";
  readonly validate?: (args: JsonObject) => Promise<readonly ValidationProblem[] | undefined>;
  readonly preflight?: (
    args: JsonObject,
    ctx: PreflightContext,
  ) => Promise<readonly PermissionRequest[]>;
  readonly #parts: SdkToolParts;

  constructor(parts: SdkToolParts) {
    this.#parts = parts;
    this.spec = toSpec(parts);
    const { approval, parser } = parts;
    if (parser !== undefined) {
      this.argumentsValidation = "tool";
      this.validate = (args) => parser.problems(args);
    }
    if (approval !== undefined && !isAlwaysApproval(approval)) {
      this.preflight = (args, ctx) => this.#intentions(approval, args, ctx);
    }
  }

  async invoke(args: JsonObject, ctx: ToolContext): Promise<ToolReturn> {
    const { tool, context, closing } = this.#parts;
    if (tool.execute === undefined) return requestHostResult(args, ctx);
    const toolCallId = ctx.callId;
    const abortSignal = AbortSignal.any([ctx.signal, closing]);
    const input = await this.#parseInput(args);
    // Many tools listen for a later abort and do not check for an earlier one.
    abortSignal.throwIfAborted();
    // `experimental_context` is the name of the context before version 7.
    const options = {
      toolCallId,
      messages: [],
      abortSignal,
      context,
      experimental_context: context,
    };
    const answer: unknown = tool.execute(input as never, options as never);
    const output = isIterable(answer) ? await lastOutput(answer, abortSignal, ctx) : await answer;
    // The SDK's default: text as text, anything else as JSON.
    if (tool.toModelOutput === undefined) return (readMcpResult(output) ?? output) as ToolReturn;
    const given = { toolCallId, input: input as never, output };
    const modelOutput = await tool.toModelOutput(sdkMajor === 5 ? (output as never) : given);
    return toToolOutput(output, modelOutput);
  }

  async #parseInput(args: JsonObject): Promise<unknown> {
    const { parser } = this.#parts;
    return parser === undefined ? args : parser.parsed(args);
  }

  async #intentions(
    approval: ToolApproval,
    args: JsonObject,
    { callId: id }: PreflightContext,
  ): Promise<readonly PermissionRequest[]> {
    const status =
      typeof approval === "function"
        ? await approval({
            id,
            input: await this.#parseInput(args),
            messages: [],
            runtimeContext: {},
          })
        : approval;
    const { type, reason } = typeof status === "object" ? status : { type: status };
    const { name } = this.spec;
    switch (type) {
      case "user-approval":
        return [{ kind: "custom.approval", target: name, summary: reason ?? `Call ${name}` }];
      case "denied":
        throw new ToolError(
          "permission_denied",
          `${name} was not run: ${reason ?? "it is denied"}.`,
        );
      default:
        return [];
    }
  }
}

/** True when every call needs approval, without further details. */
function isAlwaysApproval(approval: ToolApproval): boolean {
  if (typeof approval === "string") return approval === "user-approval";
  return (
    typeof approval === "object" &&
    approval.type === "user-approval" &&
    approval.reason === undefined
  );
}

function toSpec(parts: SdkToolParts): ToolSpec {
  const { tool, name, original, adapter, source, input, output, annotations } = parts;
  const { approval, context } = parts;
  const { description, title, metadata } = tool;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description:
      typeof description === "function"
        ? description({ context: context as never })
        : (description ?? ""),
    inputSchema: input,
    ...(output === undefined ? {} : { outputSchema: output }),
    annotations: isAlwaysApproval(approval)
      ? { ...annotations, needsApprovalHint: true }
      : annotations,
    provenance: { adapter, source, origin: { tool: original } },
    ...(metadata === undefined ? {} : { metadata: metadata as Metadata }),
  };
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/** Emits each output as an update that replaces the one before. The last one is the result. */
async function lastOutput(
  outputs: AsyncIterable<unknown>,
  signal: AbortSignal,
  ctx: ToolContext,
): Promise<unknown> {
  const iterator = outputs[Symbol.asyncIterator]();
  // A generator that is interrupted must run its `finally`.
  const stop = (): void => void Promise.resolve(iterator.return?.()).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    let last: unknown;
    for (;;) {
      const step = await iterator.next();
      if (step.done === true) {
        // An interrupted generator has no result: its last value is not the final one.
        signal.throwIfAborted();
        return last;
      }
      last = step.value;
      const taken = ctx.update(last as ToolOutput);
      if (isThenable(taken)) await taken;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
