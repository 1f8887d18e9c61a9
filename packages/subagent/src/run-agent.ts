import {
  ToolError,
  type Toolset,
  type Caller,
  type JsonSchema,
  type ToolExecutor,
  type RunOptions,
  type ToolRun,
  type ToolSelection,
} from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import {
  noUsage,
  checkedLimits,
  type AgentAnswers,
  type TurnOptions,
  type AgentLimits,
} from "./agent-limits.ts";
import { JournalSteps, type AgentJournal, type JournaledResume } from "./agent-journal.ts";
import { AgentNode, type AgentEvent } from "./agent-node.ts";
import { AgentLoop } from "./agent-loop.ts";
import { checkDefinition, checkTurns, toSelection, type AgentOptions } from "./agent-options.ts";
import { checkedState, isConversation, type AgentResult, type AgentState } from "./agent-state.ts";
import { Budget } from "./budget.ts";
import { JournaledCalls } from "./journaled-calls.ts";
import type { AgentMessage } from "./message.ts";
import { isToolset, RunCalls } from "./run-calls.ts";

/** The options of an agent, when it starts and when it resumes. */
export interface AgentRunOptions extends AgentOptions, TurnOptions {
  readonly executor: ToolExecutor;
  /**
   * The tools: globs over names, a selection, or a toolset. Default: all that the policy may allow. In place of more
   * than 100, the model is given a search.
   */
  readonly tools?: Toolset | ToolSelection | readonly string[];
  /** The schema of the answer, which must be JSON; `value` of the result has it parsed. */
  readonly output?: JsonSchema;
  readonly limits?: AgentLimits;
  /** Cancels the agent, and all that works for it. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the events of the agent and its sub-agents as they happen. Exceptions are ignored. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** The caller. */
  readonly caller?: Caller;
  readonly sessionId?: string;
  /** The value of `ctx.injected` in tools. No model sees it. */
  readonly injected?: unknown;
}

/** The options with which an agent starts: `prompt`, or `messages`. */
export interface RunAgentOptions extends AgentRunOptions {
  /** The role of the agent and how it works. */
  readonly system?: string;
  /** The user's message. */
  readonly prompt?: string;
  /** A conversation in place of `prompt`; `messages` of an earlier result, for one. */
  readonly messages?: readonly AgentMessage[];
  /**
   * Stores the answers of the models and the outcomes of the calls, so that another process can repeat the agent. The
   * executor needs a `ledger`. Calls that wait for people continue within the agent, so that it is never `interrupted`.
   * Calls of sub-agents run one at a time; `durationMs` is checked before each turn only; `stopWhen` is not possible.
   * Default: none.
   */
  readonly journal?: AgentJournal;
}

const runNames: readonly string[] = [
  "model",
  "thinking",
  "settings",
  "executor",
  "tools",
  "output",
  "limits",
  "signal",
  "onEvent",
  "caller",
  "sessionId",
  "injected",
  "strategy",
  "maxConcurrency",
  "stopWhen",
] satisfies readonly (keyof AgentRunOptions)[];

/**
 * Runs an agent: asks the model, makes its calls through the executor, passes back the results, and repeats this until
 * the model answers, a limit is reached, or calls wait for people.
 *
 * @returns the result: also for a model that fails and for a cancellation.
 * @throws ToolError `invalid_configuration` (by rejecting) for an invalid option; nothing has run then.
 * @example
 * ```ts
 * const result = await runAgent({ model, executor, prompt: "Which pets are for sale?" });
 * if (result.status === "completed") console.log(result.text);
 * ```
 */
export async function runAgent(options: RunAgentOptions): Promise<AgentResult> {
  checkOptions("runAgent", options, ["system", "prompt", "messages", "journal", ...runNames]);
  const { system, prompt, messages, journal, ...run } = options;
  if ((prompt === undefined) === (messages === undefined)) {
    throw new ToolError(
      "invalid_configuration",
      "runAgent: pass prompt, a text, or messages, a conversation.",
    );
  }
  if (messages !== undefined && !isConversation(messages)) {
    throw new ToolError(
      "invalid_configuration",
      "runAgent: messages is no conversation; the content of a message is a list of parts, and of a system message a text.",
    );
  }
  const begun: AgentMessage[] = system === undefined ? [] : [{ role: "system", content: system }];
  if (messages !== undefined) begun.push(...messages);
  else begun.push({ role: "user", content: [{ type: "text", text: String(prompt) }] });
  const runId = journal?.runId ?? crypto.randomUUID();
  const state = { runId, messages: begun, turn: [], usage: noUsage() };
  return work("runAgent", run, state, {}, journal);
}

/**
 * Resumes an interrupted agent, in this process or another one, exactly where it was interrupted: calls that had ended
 * are not run again. Calls that have no answer yet still wait, and the result is `interrupted` once more.
 *
 * @param state `result.state`, unchanged.
 * @param answers people's answers, by the ids of the interruptions.
 * @param options the same as before: the model, the executor (in another process: with the same `key` and the same
 * tools), and the same caller and session.
 * @throws ToolError `invalid_configuration` (by rejecting) for an invalid option, or for an answer to no pending call; nothing has
 * run then.
 */
export async function resumeAgent(
  state: AgentState,
  answers: AgentAnswers,
  options: AgentRunOptions,
): Promise<AgentResult> {
  checkOptions("resumeAgent", options, runNames);
  const checked = checkedState("resumeAgent", state);
  const waiting = new Set(
    checked.turn.flatMap((part) => (part.type === "pending" ? part.interruption.id : [])),
  );
  for (const id of Object.keys(answers)) {
    if (waiting.has(id)) continue;
    throw new ToolError(
      "invalid_configuration",
      `resumeAgent: no interruption "${id.slice(0, 100)}" waits here.`,
    );
  }
  return work("resumeAgent", options, checked, answers);
}

async function work(
  where: string,
  options: AgentRunOptions,
  state: Omit<AgentState, "version">,
  answers: AgentAnswers,
  journal?: AgentJournal,
): Promise<AgentResult> {
  const { executor, tools, output, limits = {}, signal, onEvent } = options;
  if (typeof executor?.startRun !== "function") {
    throw new ToolError("invalid_configuration", `${where}: executor is no ToolExecutor.`);
  }
  const definition = checkDefinition(where, options, output);
  const turns = checkTurns(where, options);
  const steps =
    journal === undefined ? undefined : journalSteps(options, journal, () => runCalls.run);
  const clock = steps?.clock ?? executor.clock;
  const given = checkedLimits(`${where}: limits`, limits);
  const budget = new Budget({ turns: 50, ...given }, clock, undefined, state.usage);
  const { runId } = state;
  const node = new AgentNode({ runId, depth: 0 }, Infinity, budget, onEvent, steps);
  const stop = new AbortController();
  if (executor.registry.loading) await loaded(executor, budget, signal);
  const { caller, sessionId, injected } = options;
  const runCalls: RunCalls = await RunCalls.begin(
    executor,
    tools === undefined || isToolset(tools) ? tools : toSelection(tools),
    {
      id: runId,
      signal: stop.signal,
      inheritedContext: node.inheritedContext,
      ...(caller === undefined ? {} : { caller }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(injected === undefined ? {} : { injected }),
      ...(journal === undefined ? {} : { durable: durableRun(journal, steps) }),
    },
    turns,
    answers,
  );
  const calls = steps === undefined ? runCalls : new JournaledCalls(runCalls, steps, stop.signal);
  const onText = undefined;
  const onProgress = undefined;
  const loop = new AgentLoop(
    definition,
    { calls, node, budget, clock: executor.clock, signal, stop, onText, onProgress, steps },
    state,
  );
  try {
    const result = await loop.go();
    // The agent has not ended: another process, or this one later, repeats it.
    steps?.throwIfBroken();
    return result;
  } finally {
    await runCalls.run[Symbol.asyncDispose]();
  }
}

function journalSteps(
  { executor, injected }: AgentRunOptions,
  journal: AgentJournal,
  run: () => ToolRun,
): JournalSteps {
  const { clock, pendingCalls } = executor;
  const resume: JournaledResume["resume"] = (interruption, answers, signal) =>
    executor.resume(interruption, answers, {
      signal,
      // The tools of a sub-agent are not those of the run.
      ...(interruption.parentCallId === undefined ? { run: run() } : { injected }),
    });
  return JournalSteps.of(journal, { clock, pendingCalls, resume });
}

function durableRun(
  { epoch }: AgentJournal,
  steps: JournalSteps | undefined,
): NonNullable<RunOptions["durable"]> {
  const isJournaled = (callId: string): boolean => steps?.opened(callId) !== undefined;
  return epoch === undefined ? { isJournaled } : { epoch, isJournaled };
}

/** Resolves when every source has loaded or failed, and sooner when the agent is cancelled or has no time left. */
async function loaded(
  { registry }: ToolExecutor,
  budget: Budget,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    let stopTimer = (): void => {};
    const go = (): void => {
      signal?.removeEventListener("abort", go);
      stopTimer();
      resolve();
    };
    signal?.addEventListener("abort", go, { once: true });
    stopTimer = budget.whenTimeIsUp(go);
    void registry.ready.then(go);
  });
}
