import type { AgentToolExecutionContext, ToolExecutionContext } from "@mastra/core/tools";
import type {
  CallOptions,
  Interruption,
  ToolOutcome,
  ContentBlock,
  JsonValue,
} from "@toolweave/core";
import {
  ToolFailure,
  toToolCall,
  modelContent,
  toToolFailure,
  type ContentFile,
} from "@toolweave/core/integration";
import { AgentQuestions } from "./agent-questions.ts";
import type { AgentRuns } from "./agent-runs.ts";
import {
  toAnswers,
  isApproval,
  namesRequests,
  toQuestionChunk,
  readQuestion,
  toResumeSchema,
  type Question,
} from "./question.ts";
import { isContentBlock } from "@toolweave/core/adapter";

/**
 * Runs a call that Mastra makes, or resumes a pending one.
 *
 * @param input the model's input: parsed JSON, of any type.
 * @returns the output for the host; nothing when the call waits.
 * @throws ToolError when the result is an error. Mastra makes a tool error of it, and the model reads its message.
 */
export async function executeCall(
  name: string,
  input: unknown,
  context: ToolExecutionContext,
  runs: AgentRuns,
): Promise<unknown> {
  const { agent } = context;
  const runId = runs.agentRunId(context);
  if (runId !== undefined && agent?.toolCallId) {
    return new AgentCall(name, context, agent, runs, runId).execute(input);
  }
  const call = toToolCall({ name, input });
  const outcome = await runs.of(context).execute(call, callOptions(context));
  if (outcome.status === "interrupted") throw cannotAskError(name);
  return toOutput(outcome);
}

/** A call within an agent's run, in which a person can be asked. */
class AgentCall {
  readonly #name: string;
  readonly #context: ToolExecutionContext;
  readonly #agent: AgentToolExecutionContext<unknown, unknown>;
  readonly #runs: AgentRuns;
  readonly #runId: string;
  readonly #questions: AgentQuestions;

  constructor(
    name: string,
    context: ToolExecutionContext,
    agent: AgentToolExecutionContext<unknown, unknown>,
    runs: AgentRuns,
    runId: string,
  ) {
    this.#name = name;
    this.#context = context;
    this.#agent = agent;
    this.#runs = runs;
    this.#runId = runId;
    this.#questions = AgentQuestions.of(runs.executor, runId);
  }

  async execute(input: unknown): Promise<unknown> {
    const { toolCallId, resumeData } = this.#agent;
    this.#questions.begin(toolCallId);
    let interruption: Interruption | undefined;
    try {
      const isAnswered = resumeData !== undefined && resumeData !== null;
      const outcome = isAnswered ? await this.#resume(resumeData) : await this.#start(input);
      if (outcome.status !== "interrupted") return toOutput(outcome);
      ({ interruption } = outcome);
    } finally {
      if (interruption === undefined) await this.#end();
    }
    return this.#ask(interruption);
  }

  #start(input: unknown): Promise<ToolOutcome> {
    const call = toToolCall({ id: this.#agent.toolCallId, name: this.#name, input });
    return this.#runs.of(this.#context).execute(call, callOptions(this.#context));
  }

  async #resume(answer: unknown): Promise<ToolOutcome> {
    const { toolCallId, suspendPayload } = this.#agent;
    const question = readQuestion(suspendPayload, toolCallId);
    if (question === undefined) {
      const interruption = this.#questions.openBeside(toolCallId, answer);
      if (interruption !== undefined) return { status: "interrupted", ok: false, interruption };
      throw notAskedError(this.#name);
    }
    const { interruption, before } = question;
    const isTaken =
      this.#questions.takes(toolCallId, answer, before) ||
      namesRequests(answer, interruption.requests);
    if (!isTaken) return { status: "interrupted", ok: false, interruption };
    const run = this.#runs.of(this.#context);
    const answers = toAnswers(interruption.requests, answer);
    return run.executor.resume(interruption, answers, { ...callOptions(this.#context), run });
  }

  /** Suspends the call until a person has answered. */
  async #ask(interruption: Interruption): Promise<void> {
    const { toolCallId, suspend } = this.#agent;
    this.#questions.open(toolCallId, interruption);
    this.#runs.reported.whenReported(interruption, () => this.#reportApproval(interruption));
    const question: Question = { interruption, before: this.#questions.before(toolCallId) };
    await suspend(question, toResumeSchema(interruption));
  }

  /** Reports it as Mastra's own approval, too, if it is the question that the next answer is for. */
  async #reportApproval(interruption: Interruption): Promise<void> {
    const isFirst = this.#questions.first === interruption;
    if (isFirst && isApproval(interruption)) await this.#report(interruption);
  }

  /**
   * Announces the questions of other calls, after a pending call has ended: Mastra does not run those again, and treats
   * a resumed run without a question and without output as failed.
   */
  async #end(): Promise<void> {
    this.#questions.end(this.#agent.toolCallId);
    const { first } = this.#questions;
    if (first !== undefined && this.#agent.resumeData !== undefined) await this.#report(first);
  }

  async #report(interruption: Interruption): Promise<void> {
    await this.#context.writer?.custom(toQuestionChunk(interruption, this.#runId));
  }
}

function callOptions({
  abortSignal,
  writer,
}: ToolExecutionContext): Pick<CallOptions, "signal" | "onUpdate"> {
  return {
    ...(abortSignal === undefined ? {} : { signal: abortSignal }),
    ...(writer === undefined ? {} : { onUpdate: (output) => writer.write(hostOutput(output)) }),
  };
}

function cannotAskError(name: string): ToolFailure {
  return new ToolFailure(
    "approval_invalid",
    `${name} was not run: it needs a person's approval, which cannot be requested here.`,
  );
}

function notAskedError(name: string): ToolFailure {
  return new ToolFailure(
    "approval_invalid",
    `${name} was not run now: it got an answer to a question that is not open. ` +
      `If it has not been done already, call ${name} again to request a new approval.`,
  );
}

type EndedOutcome = Exclude<ToolOutcome, { readonly status: "interrupted" }>;

/** A result whose content contains more than its value. */
interface ContentOutput {
  readonly content: readonly ContentBlock[];
  readonly value?: JsonValue;
}

/**
 * The result of a call for the host.
 *
 * @throws ToolError when the result is an error.
 */
function toOutput(outcome: EndedOutcome): unknown {
  // Mastra stores and streams errors.
  if (outcome.result.isError) throw toToolFailure(outcome);
  return hostOutput(outcome.result);
}

/**
 * The structured value, if the model reads exactly that; the text, if there is nothing else; or both. Mastra stores it
 * and derives the content for the model from it later, perhaps in another process: it must contain all of that.
 */
export function hostOutput({ content, value }: ContentOutput): unknown {
  const [block, ...others] = content;
  const isText = block?.type === "text" && others.length === 0;
  if (isText && (value === undefined || value === block.text)) return block.text;
  // A string would be given to the model without its quotes, and Mastra does not convert `null` for the model.
  const isSameForModel = typeof value !== "string" && value !== null && !isContentOutput(value);
  if (isText && isSameForModel && JSON.stringify(value) === block.text) return value;
  return value === undefined ? { content } : { content, value };
}

/** Converts the host's output to the content for the model: one text, or parts. */
export function modelOutput(output: unknown): object {
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  const content = isContentOutput(output) ? output.content : [{ type: "text" as const, text }];
  const value = modelContent(content, toFilePart);
  return { type: typeof value === "string" ? "text" : "content", value };
}

function toFilePart({ data, mediaType }: ContentFile): object {
  return { type: mediaType.startsWith("image/") ? "image-data" : "file-data", data, mediaType };
}

/** True for a result that brings its content along. */
function isContentOutput(output: unknown): output is ContentOutput {
  if (typeof output !== "object" || output === null || !("content" in output)) return false;
  const { content, value: _, ...others } = output as Record<string, unknown>;
  return (
    Array.isArray(content) && content.every(isContentBlock) && Object.keys(others).length === 0
  );
}
