import type { LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import {
  ToolError,
  type Clock,
  type JsonSchema,
  type ToolErrorCode,
  type ToolOutcome,
} from "@toolweave/core";
import type { JournalSteps } from "./agent-journal.ts";
import { atOnce, noUsage, type AgentCalls, type TokenCounts } from "./agent-limits.ts";
import type { AgentNode } from "./agent-node.ts";
import type { AgentResult, AgentState, PendingToolCall } from "./agent-state.ts";
import { notCompletedText, type Budget, type LimitReached } from "./budget.ts";
import type { AgentMessage, ToolApprovalResponsePart, ToolResultPart } from "./message.ts";
import { callIdsIn, ModelAnswer, toTokenCounts, type CallIds } from "./model-answer.ts";
import { functionTools, notRun, toResultOutput, modelStep, readOutput } from "./model-step.ts";

/** The settings of a model that every turn has. */
export type ModelSettings = Pick<
  LanguageModelV4CallOptions,
  | "maxOutputTokens"
  | "temperature"
  | "topP"
  | "topK"
  | "stopSequences"
  | "seed"
  | "presencePenalty"
  | "frequencyPenalty"
  | "headers"
  | "providerOptions"
>;

/** How much a model is to think. */
export type Thinking = NonNullable<LanguageModelV4CallOptions["reasoning"]>;

/** The definition of an agent, independent of its task. */
export interface AgentDefinition {
  readonly model: LanguageModelV4;
  readonly thinking: Thinking | undefined;
  readonly settings: ModelSettings | undefined;
  readonly output: JsonSchema | undefined;
}

/** The services of one agent's work. */
export interface AgentWork {
  readonly calls: AgentCalls;
  readonly node: AgentNode;
  readonly budget: Budget;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  /** Fires for the calls of the agent, too, when its own time is up. */
  readonly stop: AbortController;
  /** Receives the model's text of this turn, each time that it grows. */
  readonly onText: ((text: string) => void) | undefined;
  /** Receives a message when a turn begins, with the tools that it calls. */
  readonly onProgress: ((message: string) => void) | undefined;
  /** Stores the answers of the model. */
  readonly steps: JournalSteps | undefined;
}

/** The maximum number of answers that do not match the `output` schema before the agent fails. */
const maxInvalidOutputs = 3;

/** Reasons after which the calls of an answer are whole. */
const whole: ReadonlySet<string | undefined> = new Set(["stop", "tool-calls", "other"]);

type Own<Result> = Result extends AgentResult
  ? Omit<Result, "runId" | "messages" | "usage" | "text" | "state">
  : never;

/** The fields that are specific to a result. */
type Ended = Own<AgentResult>;

/** One agent at work: model, calls, messages, until there is an answer or a limit. */
export class AgentLoop {
  readonly #definition: AgentDefinition;
  readonly #work: AgentWork;
  readonly #messages: AgentMessage[];
  readonly #callIds: CallIds;
  #turn: AgentState["turn"];
  /** The last text of the model. */
  #text = "";
  #halted: LimitReached | undefined;
  /** Answers that were none, by the interruption. */
  readonly #refused: Record<string, ToolError> = {};
  #invalidOutputs = 0;

  constructor(
    definition: AgentDefinition,
    work: AgentWork,
    start: Pick<AgentState, "messages" | "turn">,
  ) {
    this.#definition = definition;
    this.#work = work;
    this.#messages = [...start.messages];
    this.#callIds = callIdsIn(start.messages);
    this.#turn = start.turn;
  }

  /** Works until there is something to give back. Never rejects. */
  async go(): Promise<AgentResult> {
    const { budget, signal, stop, node } = this.#work;
    const cancel = (): void => stop.abort(signal?.reason);
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
    const stopTimer = budget.whenTimeIsUp(() => {
      this.#halted = budget.timeUp;
      stop.abort(new ToolError("timeout", "The agent's time is up."));
    });
    node.emit({ type: this.#turn.length === 0 ? "agent.started" : "agent.resumed" });
    let ended: Ended;
    try {
      ended = await this.#run();
    } catch (error) {
      ended = this.#handleFailure(error);
    } finally {
      stopTimer();
      signal?.removeEventListener("abort", cancel);
    }
    const usage = budget.used;
    const { status } = ended;
    const text = status === "completed" ? this.#text : this.#lastText();
    const common = { runId: node.runId, messages: this.#messages, usage, text };
    node.emit({ type: "agent.ended", status, usage });
    node.end();
    return (
      status === "interrupted"
        ? { ...common, ...ended, state: this.#state(common) }
        : { ...common, ...ended }
    ) as AgentResult;
  }

  async #run(): Promise<Ended> {
    const { budget, stop, calls } = this.#work;
    stop.signal.throwIfAborted();
    if (this.#turn.length > 0) {
      this.#turn = await this.#resumed(this.#turn);
      const waiting = this.#settled([]);
      if (waiting !== undefined) return waiting;
    }
    for (;;) {
      stop.signal.throwIfAborted();
      const reached = budget.takeTurn();
      if (reached !== undefined) return this.#stopped(reached);
      const answer = await this.#answer(functionTools(calls.nextTurn()));
      const ended =
        answer.calls.length === 0 && answer.approvalIds.length === 0
          ? await this.#answered(answer)
          : await this.#called(answer);
      if (ended !== undefined) return ended;
    }
  }

  /** One answer of the model, stored and counted. */
  async #answer(tools: ReturnType<typeof functionTools>): Promise<ModelAnswer> {
    const { model, thinking, settings, output } = this.#definition;
    const { node, budget, clock, stop, onText, steps } = this.#work;
    const turn = budget.used.turns;
    node.emit({ type: "turn.started", turn });
    const answer = new ModelAnswer(this.#callIds);
    const hasListener = node.hasListener || onText !== undefined;
    const options = {
      ...settings,
      // A copy: a model may keep it, and this one grows.
      prompt: [...this.#messages] as LanguageModelV4CallOptions["prompt"],
      ...(tools.length === 0 ? {} : { tools, toolChoice: { type: "auto" } as const }),
      ...(thinking === undefined ? {} : { reasoning: thinking }),
      ...(output === undefined ? {} : { responseFormat: jsonFormat(output) }),
      abortSignal: stop.signal,
    };
    const onDelta = hasListener ? this.#textListener(answer) : undefined;
    const ask = (): Promise<void> => modelStep(model, options, clock, answer, onDelta);
    try {
      await (steps === undefined ? ask() : steps.turn(answer, stop.signal, ask));
    } finally {
      this.#text = answer.text;
      const usage = toTokenCounts(answer.usage) ?? this.#estimated(answer);
      budget.add(usage);
      const finishReason = answer.finishReason ?? "error";
      node.emit({ type: "turn.ended", turn, usage, finishReason });
    }
    const content = answer.content.filter((part) => part.type !== "text" || part.text !== "");
    if (content.length > 0) this.#messages.push({ role: "assistant", content });
    return answer;
  }

  #textListener(
    answer: ModelAnswer,
  ): (type: "text.delta" | "reasoning.delta", delta: string) => void {
    const { node, onText } = this.#work;
    return (type, delta) => {
      node.emit({ type, delta });
      if (type === "text.delta") onText?.(answer.text);
    };
  }

  /** A model that does not report its usage must not be unlimited. */
  #estimated({ content }: ModelAnswer): TokenCounts {
    const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = noUsage();
    const none = { inputTokens, cachedInputTokens, outputTokens, reasoningTokens };
    if (!this.#work.budget.countsTokens) return none;
    const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
    return { ...none, inputTokens: tokens(this.#messages), outputTokens: tokens(content) };
  }

  /** The model wants nothing more: its answer, unless that is none. */
  async #answered({ finishReason, text }: ModelAnswer): Promise<Ended | undefined> {
    if (!whole.has(finishReason)) return this.#cutOff(finishReason);
    const { output } = this.#definition;
    if (output === undefined) return { status: "completed" };
    const read = await readOutput(output, text);
    if (read.problem === undefined) return { status: "completed", value: read.value };
    this.#invalidOutputs += 1;
    if (this.#invalidOutputs === maxInvalidOutputs) {
      return failed(
        new ToolError(
          "invalid_output",
          `The model's answer does not keep its schema: ${read.problem}.`,
        ),
      );
    }
    const ask = `That is not the answer that is needed: ${read.problem}. Answer with nothing but JSON that keeps the schema.`;
    this.#messages.push({ role: "user", content: [{ type: "text", text: ask }] });
    return undefined;
  }

  #cutOff(finishReason: string | undefined): Ended {
    if (finishReason === "length" || finishReason === "content-filter") {
      const limit = finishReason === "length" ? "output" : finishReason;
      const message = notCompletedText(limit);
      return { status: "stopped", limit, message };
    }
    return failed(new ToolError("unavailable", "The model's answer broke off before its end."));
  }

  /** The model wants calls made. */
  async #called(answer: ModelAnswer): Promise<Ended | undefined> {
    const { budget, calls, node, onProgress, stop } = this.#work;
    const { approvalIds, finishReason } = answer;
    const denied = approvalIds.map(deniedApproval);
    if (!whole.has(finishReason)) {
      // A truncated answer may have truncated a call.
      this.#turn = answer.calls.map((call) =>
        notRun(call, "the answer that it belongs to was cut off"),
      );
      this.#settled(denied);
      return this.#cutOff(finishReason);
    }
    const { taken, reached } = budget.takeCalls(answer.calls.length);
    const made = answer.calls.slice(0, taken);
    const turn: (ToolResultPart | PendingToolCall)[] = [];
    if (made.length > 0) {
      onProgress?.(`calls ${made.map(({ name }) => name).join(", ")}`);
      for (const { id, name } of made) {
        node.emit({ type: "tool.called", callId: calls.callId(id), tool: name });
      }
      const outcomes = await calls.executeAll(
        made.map((call) => ({ ...call, id: calls.callId(call.id) })),
      );
      for (const [index, { id, name }] of made.entries()) {
        turn.push(this.#outcome(id, name, outcomes[index] as ToolOutcome));
      }
    }
    const why = reached === undefined ? "" : "the agent has no tool calls left";
    for (const call of answer.calls.slice(taken)) turn.push(notRun(call, why));
    this.#turn = turn;
    const waiting = stop.signal.aborted ? undefined : this.#settled(denied);
    if (waiting !== undefined) return waiting;
    if (stop.signal.aborted) this.#cancelCalls(denied);
    stop.signal.throwIfAborted();
    return reached === undefined ? undefined : this.#stopped(reached);
  }

  /** Resumes calls that have been answered; the others still wait. */
  async #resumed(turn: AgentState["turn"]): Promise<AgentState["turn"]> {
    const { calls, stop } = this.#work;
    const now = [...turn];
    const next = turn.entries();
    const continueLoop = async (): Promise<void> => {
      for (const [index, part] of next) {
        // An answer that has not been used yet can be given again.
        if (part.type !== "pending" || stop.signal.aborted) continue;
        const outcome = await calls.resume(part.interruption);
        const refused = outcome && calls.refusal(part.interruption, outcome);
        if (refused !== undefined) this.#refused[part.interruption.id] = refused;
        else if (outcome !== undefined) {
          now[index] = this.#outcome(part.toolCallId, part.toolName, outcome);
        }
      }
    };
    await Promise.all(
      Array.from({ length: Math.min(turn.length, atOnce(calls.turns)) }, continueLoop),
    );
    return now;
  }

  #outcome(
    toolCallId: string,
    toolName: string,
    outcome: ToolOutcome,
  ): ToolResultPart | PendingToolCall {
    const { calls, node } = this.#work;
    const { status } = outcome;
    const isError = status !== "interrupted" && outcome.result.isError;
    const callId = calls.callId(toolCallId);
    node.emit({ type: "tool.ended", callId, tool: toolName, status, isError });
    if (status === "interrupted") {
      return { type: "pending", toolCallId, toolName, interruption: outcome.interruption };
    }
    return { type: "tool-result", toolCallId, toolName, output: toResultOutput(outcome.result) };
  }

  /** Ends the turn once all its calls have a result. `undefined`: they have. */
  #settled(more: readonly ToolApprovalResponsePart[]): Ended | undefined {
    const pending = this.#turn.filter((part) => part.type === "pending");
    if (pending.length > 0) {
      this.#work.stop.signal.throwIfAborted();
      const interruptions = pending.map(({ interruption }) => interruption);
      const refused = this.#refused;
      return Object.keys(refused).length === 0
        ? { status: "interrupted", interruptions }
        : { status: "interrupted", interruptions, refused };
    }
    const content = [...(this.#turn as readonly ToolResultPart[]), ...more];
    this.#turn = [];
    if (content.length > 0) this.#messages.push({ role: "tool", content });
    return undefined;
  }

  /** A transcript in which a call has no result is of no use to any model. */
  #cancelCalls(more: readonly ToolApprovalResponsePart[]): void {
    this.#turn = this.#turn.map((part) =>
      part.type === "pending"
        ? notRun({ id: part.toolCallId, name: part.toolName }, "the agent was cancelled meanwhile")
        : part,
    );
    this.#settled(more);
  }

  /** The last text of the model, also from before turns that only call tools. */
  #lastText(): string {
    if (this.#text !== "") return this.#text;
    for (const message of this.#messages.toReversed()) {
      if (message.role !== "assistant") continue;
      const texts = message.content.flatMap((part) => (part.type === "text" ? part.text : []));
      if (texts.length > 0) return texts.join("");
    }
    return "";
  }

  #stopped(reached: LimitReached): Ended {
    return { status: "stopped", limit: reached.limit, message: notCompletedText(reached) };
  }

  #handleFailure(error: unknown): Ended {
    if (this.#turn.length > 0) this.#cancelCalls([]);
    const { signal, stop } = this.#work;
    if (this.#halted !== undefined) return this.#stopped(this.#halted);
    if (stop.signal.aborted) {
      const error = toToolError(signal?.reason, "cancelled", "The agent was cancelled.");
      return { status: "cancelled", error };
    }
    return failed(toToolError(error, "internal", "The agent could not continue."));
  }

  #state({ runId, usage }: Pick<AgentState, "runId" | "usage">): AgentState {
    return { version: 1, runId, messages: this.#messages, turn: this.#turn, usage };
  }
}

function toToolError(cause: unknown, code: ToolErrorCode, message: string): ToolError {
  return ToolError.is(cause) ? cause : new ToolError(code, message, { cause });
}

function failed(error: ToolError): Ended {
  return { status: "failed", error };
}

function jsonFormat(output: JsonSchema): LanguageModelV4CallOptions["responseFormat"] & object {
  return { type: "json", schema: output as never };
}

/** A tool that a provider runs itself bypasses the executor: no policy has allowed it. */
function deniedApproval(approvalId: string): ToolApprovalResponsePart {
  const reason = "Only tools of the host run here.";
  return { type: "tool-approval-response", approvalId, approved: false, reason };
}
