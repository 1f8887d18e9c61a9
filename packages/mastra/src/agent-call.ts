import type { AgentToolExecutionContext, ToolExecutionContext } from "@mastra/core/tools";
import type { CallOptions, Interruption, JsonObject, ToolOutcome } from "@toolweave/core";
import { AgentQuestions } from "./agent-questions.ts";
import type { AgentRuns } from "./agent-runs.ts";
import { answersOf, namesRequests } from "./answers-of.ts";
import {
  isApproval,
  questionChunk,
  questionOf,
  resumeSchemaOf,
  type Question,
} from "./question.ts";
import { ToolFailure } from "./tool-failure.ts";
import { hostOutput, outputOf } from "./tool-output.ts";

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
  const outcome = await begin(crypto.randomUUID(), name, input, context, runs);
  if (outcome.status === "interrupted") throw cannotAsk(name);
  return outputOf(outcome);
}

/** A call within an agent's run, which can ask a person. */
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
      const outcome = isAnswered
        ? await this.#resume(resumeData)
        : await begin(toolCallId, this.#name, input, this.#context, this.#runs);
      if (outcome.status !== "interrupted") return outputOf(outcome);
      ({ interruption } = outcome);
    } finally {
      if (interruption === undefined) await this.#end();
    }
    return this.#ask(interruption);
  }

  async #resume(answer: unknown): Promise<ToolOutcome> {
    const { toolCallId, suspendPayload } = this.#agent;
    const question = questionOf(suspendPayload, toolCallId);
    if (question === undefined) {
      const interruption = this.#questions.openBeside(toolCallId, answer);
      if (interruption !== undefined) return { status: "interrupted", interruption };
      throw notAsked(this.#name);
    }
    const { interruption, before } = question;
    const isTaken =
      this.#questions.takes(toolCallId, answer, before) ||
      namesRequests(answer, interruption.requests);
    if (!isTaken) return { status: "interrupted", interruption };
    const run = this.#runs.of(this.#context);
    const answers = answersOf(interruption.requests, answer);
    return run.executor.resume(interruption, answers, { ...callOptions(this.#context), run });
  }

  /** Suspends the call until a person has answered. */
  async #ask(interruption: Interruption): Promise<void> {
    const { toolCallId, suspend } = this.#agent;
    this.#questions.open(toolCallId, interruption);
    this.#runs.reported.whenTold(interruption, () => this.#tellApproval(interruption));
    const question: Question = { interruption, before: this.#questions.before(toolCallId) };
    await suspend(question, resumeSchemaOf(interruption));
  }

  /** As an approval in Mastra's own word, too, when it is the one that an answer is given to. */
  async #tellApproval(interruption: Interruption): Promise<void> {
    const isFirst = this.#questions.first === interruption;
    if (isFirst && isApproval(interruption)) await this.#tell(interruption);
  }

  /**
   * Announces the questions of other calls, after a pending call has ended: Mastra does not run those again, and treats
   * a resumed run without a question and without output as failed.
   */
  async #end(): Promise<void> {
    this.#questions.end(this.#agent.toolCallId);
    const { first } = this.#questions;
    if (first !== undefined && this.#agent.resumeData !== undefined) await this.#tell(first);
  }

  async #tell(interruption: Interruption): Promise<void> {
    await this.#context.writer?.custom(questionChunk(interruption, this.#runId));
  }
}

function begin(
  id: string,
  name: string,
  input: unknown,
  context: ToolExecutionContext,
  runs: AgentRuns,
): Promise<ToolOutcome> {
  // The executor would parse a text: what the model sent as a JSON string is one, not arguments.
  const isObject = typeof input === "object" && input !== null;
  const args = isObject ? (input as JsonObject) : (JSON.stringify(input) ?? "");
  return runs.of(context).execute({ id, name, arguments: args }, callOptions(context));
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

function cannotAsk(name: string): ToolFailure {
  return new ToolFailure(
    "approval_invalid",
    `${name} was not run: a person has to be asked first, and nobody can be asked here.`,
  );
}

function notAsked(name: string): ToolFailure {
  return new ToolFailure(
    "approval_invalid",
    `${name} was not run now: it got an answer to a question that is not open. ` +
      `If it has not been done already, call ${name} again to ask anew.`,
  );
}
