import {
  type Toolset,
  type Interruption,
  type ToolError,
  type RunOptions,
  type ToolCall,
  type ToolExecutor,
  type ToolOutcome,
  type ToolRun,
  type ToolSelection,
} from "@toolweave/core";
import { searchOptions } from "@toolweave/core/integration";
import type { AgentAnswers, AgentCalls, TurnOptions } from "./agent-limits.ts";

/** The calls of an agent that is not a sub-agent: in a run of its own. */
export class RunCalls implements AgentCalls {
  readonly run: ToolRun;
  readonly turns: TurnOptions;
  readonly #answers: AgentAnswers;
  readonly #selection: ToolSelection | undefined;
  /** The tools that the policy currently allows for the same caller. */
  readonly #all: ToolRun;
  #selectedFrom: Toolset | undefined;

  private constructor(
    run: ToolRun,
    all: ToolRun,
    selection: ToolSelection | undefined,
    turns: TurnOptions,
    answers: AgentAnswers,
  ) {
    this.run = run;
    this.#all = all;
    this.#selection = selection;
    this.turns = turns;
    this.#answers = answers;
  }

  static async begin(
    executor: ToolExecutor,
    tools: Toolset | ToolSelection | undefined,
    options: RunOptions,
    turns: TurnOptions,
    answers: AgentAnswers,
  ): Promise<RunCalls> {
    const isFixed = isToolset(tools);
    const { caller, sessionId } = options;
    const all = executor.startRun({
      ...(caller === undefined ? {} : { caller }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(isFixed ? { toolset: tools } : {}),
    });
    const selection = isFixed ? undefined : tools;
    const listed = selection === undefined ? all.toolset : all.toolset.select(selection);
    const run = executor.startRun({
      ...options,
      delegateScope: "policy",
      ...(isFixed ? { toolset: tools } : {}),
      ...(await searchOptions(listed, "growing")),
    });
    return new RunCalls(run, all, selection, turns, answers);
  }

  callId(modelId: string): string {
    return modelId;
  }

  nextTurn(): Toolset {
    const { toolset } = this.#all;
    if (this.#selection === undefined || toolset === this.#selectedFrom) this.run.nextTurn();
    else this.run.nextTurn(toolset.select(this.#selection));
    this.#selectedFrom = toolset;
    return this.run.toolset;
  }

  executeAll(calls: readonly ToolCall[]): Promise<readonly ToolOutcome[]> {
    return this.run.executeAll(calls, this.turns);
  }

  execute(call: ToolCall): Promise<ToolOutcome> {
    return this.run.execute(call);
  }

  admit(call: ToolCall): Promise<ToolOutcome | undefined> {
    return this.run.checkAdmission(call);
  }

  refusal({ expiresAt }: Interruption, outcome: ToolOutcome): ToolError | undefined {
    if (outcome.status !== "failed") return undefined;
    const { error } = outcome;
    if (error.code === "store_unavailable") return error;
    // A second answer must not make two agents of one. A call whose approval has expired is lost for good.
    const isLate = this.run.executor.clock.now() >= expiresAt;
    return error.code === "approval_invalid" && !isLate ? error : undefined;
  }

  resume(interruption: Interruption): Promise<ToolOutcome> | undefined {
    const { id } = interruption;
    if (!Object.hasOwn(this.#answers, id)) return undefined;
    const { run } = this;
    return run.executor.resume(interruption, this.#answers[id] ?? [], { run });
  }
}

/** True for a toolset, false for a selection of tools; it may be of another copy of core. */
export function isToolset(value: unknown): value is Toolset {
  return typeof (value as Partial<Toolset> | undefined)?.callable === "function";
}
