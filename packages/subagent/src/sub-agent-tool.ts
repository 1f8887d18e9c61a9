import {
  defineTool,
  suspend,
  text,
  ToolError,
  type ArgumentsOf,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Suspension,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type ToolSelection,
  type ToolSpec,
} from "@toolweave/core";
import {
  checkOptions,
  type AnySchema,
  type InjectedParameter,
  ToolsetSnapshot,
} from "@toolweave/core/adapter";
import { noUsage, checkedLimits, type TurnOptions, type AgentLimits } from "./agent-limits.ts";
import { AgentLoop } from "./agent-loop.ts";
import { agentAbove, AgentNode } from "./agent-node.ts";
import { checkDefinition, checkTurns, toSelection, type AgentOptions } from "./agent-options.ts";
import {
  checkedState,
  type AgentResult,
  type InterruptedAgent,
  type AgentState,
} from "./agent-state.ts";
import { Budget } from "./budget.ts";
import { JournaledCalls } from "./journaled-calls.ts";
import type { AgentMessage } from "./message.ts";
import {
  adapter,
  ScopeCalls,
  checkedPolicy,
  narrowing,
  type NarrowingPolicy,
} from "./sub-agent-policy.ts";

/** The default input of a sub-agent. */
type TaskSchema = {
  readonly type: "object";
  readonly properties: { readonly task: { readonly type: "string" } };
  readonly required: readonly ["task"];
};

/** An agent that another one can call. */
export interface SubAgentOptions<Input extends AnySchema = TaskSchema>
  extends AgentOptions, TurnOptions {
  /** The tool's name. */
  readonly name: string;
  readonly title?: string;
  /** The description of its task, for the model that calls it. */
  readonly description: string;
  /** The role of the sub-agent and how it works, for its own model. */
  readonly system: string;
  /** Its tools, of those that its caller has: globs over names, or a selection. */
  readonly tools: ToolSelection | readonly string[];
  /** Defaults: 20 turns, 300,000 ms. */
  readonly limits?: AgentLimits;
  /**
   * The maximum number of levels of sub-agents, this one included. Default: 1, it has none of its own. The limits of
   * outer agents are never exceeded.
   */
  readonly maxDepth?: number;
  /** Applied on top of the caller's policy: it only narrows. */
  readonly policy?: NarrowingPolicy | readonly NarrowingPolicy[];
  /** The schema of its input: a JSON Schema of an object, or a Standard Schema. Default: `{ task }`, a text. */
  readonly input?: Input;
  /** Values of the host that `prompt` may use. The sub-agent's model receives no other data of the host. */
  readonly injected?: readonly InjectedParameter[];
  /**
   * The user's message to the sub-agent. Default: `task`; the whole input as JSON if `input` is given.
   *
   * @param injected those of the declared values that are not secret.
   */
  readonly prompt?: (input: ArgumentsOf<Input>, injected: JsonObject) => string;
  /** The answer has to be JSON that keeps it, and is the result's `value`. Default: the answer is a text. */
  readonly output?: JsonSchema;
}

const optionNames: readonly string[] = [
  "name",
  "title",
  "description",
  "system",
  "model",
  "thinking",
  "settings",
  "tools",
  "limits",
  "maxDepth",
  "policy",
  "input",
  "injected",
  "prompt",
  "output",
  "strategy",
  "maxConcurrency",
  "stopWhen",
] satisfies readonly (keyof SubAgentOptions)[];

/** Characters of JSON that a sub-agent may keep while it waits for a person. */
const maxStateLength = 4_194_304;

const taskSchema: JsonSchema = {
  type: "object",
  properties: {
    task: { type: "string", description: "What to do, with all that is needed to know for it." },
  },
  required: ["task"],
  additionalProperties: false,
};

/**
 * Makes a tool of an agent: a model with a system prompt and tools of its own, which works on a task and answers. It
 * works within the call: its caller's policy, hooks, limits, approvals and cancellation apply to its calls, too. If a
 * call in it waits for a person, the outer call waits, with all that the sub-agent needs to resume.
 *
 * @throws ToolError `invalid_configuration` for an option that is invalid, or would give the sub-agent more than its caller has.
 * @example
 * ```ts
 * const researcher = subAgentTool({
 *   name: "research",
 *   description: "Find something out in the library.",
 *   system: "You are a librarian. Answer in two sentences.",
 *   model,
 *   tools: ["library__*"],
 * });
 * ```
 */
export function subAgentTool<const Input extends AnySchema = TaskSchema>(
  options: SubAgentOptions<Input>,
): Tool {
  const where = "subAgentTool";
  checkOptions(where, options, optionNames);
  const { name, title, description, system, injected, output } = options;
  if (typeof system !== "string") {
    throw new ToolError(
      "invalid_configuration",
      `${where}: describe in system what ${name} is and how it works.`,
    );
  }
  const agent = new SubAgent(where, options as unknown as SubAgentOptions<JsonSchema>);
  const tool = defineTool<JsonSchema, unknown, JsonSchema | undefined>({
    name,
    ...(title === undefined ? {} : { title }),
    description,
    input: (options.input ?? taskSchema) as JsonSchema,
    ...(output === undefined ? {} : { output }),
    ...(injected === undefined ? {} : { injected }),
    annotations: { openWorldHint: true, streamingHint: true },
    // Its own limit ends it with what there is; a timeout would not.
    timeoutMs: 0,
    // Regardless of the host's retries: half of its work may have been done.
    retry: { attempts: 1 },
    preflight: (args) => [
      {
        kind: "delegate",
        target: name,
        summary: `Delegate to ${name}: ${typeof args["task"] === "string" ? args["task"] : JSON.stringify(args)}`,
      },
    ],
    execute: (args, ctx) => agent.work(args as JsonObject, ctx),
  });
  // Schemas stay lazy: descriptors are copied, not read.
  const spec = Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(tool.spec),
      provenance: { value: Object.freeze({ adapter }), enumerable: true },
    },
  ) as ToolSpec;
  return { ...tool, spec, delegates: true };
}

class SubAgent {
  readonly #options: SubAgentOptions<JsonSchema>;
  readonly #definition: ReturnType<typeof checkDefinition>;
  readonly #limits: AgentLimits;
  readonly #turns: TurnOptions;
  readonly #maxDepth: number;
  readonly #policy: readonly NarrowingPolicy[];
  readonly #selection: ToolSelection;

  constructor(where: string, options: SubAgentOptions<JsonSchema>) {
    const { limits = {}, maxDepth = 1, policy = [], tools, output } = options;
    this.#options = options;
    this.#definition = checkDefinition(where, options, output);
    this.#turns = checkTurns(where, options);
    const given = checkedLimits(`${where}: limits`, limits);
    this.#limits = { turns: 20, durationMs: 300_000, ...given };
    if (!Number.isInteger(maxDepth) || maxDepth < 1) {
      throw new ToolError(
        "invalid_configuration",
        `${where}: maxDepth is no whole number above 0.`,
      );
    }
    this.#maxDepth = maxDepth;
    this.#policy = checkedPolicy(`${where}: policy`, policy);
    if (typeof tools !== "object" || tools === null) {
      throw new ToolError(
        "invalid_configuration",
        `${where}: name its tools: ["library__*"], for one.`,
      );
    }
    this.#selection = toSelection(tools);
    // An invalid selection is detected now.
    new ToolsetSnapshot(0, new Map()).select(this.#selection);
  }

  async work(input: JsonObject, ctx: ToolContext): Promise<ToolOutput | Suspension> {
    const { scope, callId, toolName, resumed, signal } = ctx;
    const above = agentAbove(scope);
    const levels = Math.min(this.#maxDepth, above?.levels ?? Infinity) - 1;
    if (levels < 0) {
      throw new ToolError(
        "permission_denied",
        `${toolName} was not run: sub-agents are nested as deep as they may be. Do the work yourself.`,
      );
    }
    const steps = resumed === undefined ? above?.steps?.opened(callId) : undefined;
    const state =
      resumed === undefined
        ? this.#begun(input, ctx, steps?.runId)
        : checkedState(toolName, resumed.state);
    const clock = steps?.clock ?? scope.clock;
    const budget = new Budget(this.#limits, clock, above?.budget, state.usage);
    const { runId } = state;
    const parentRunId = above?.runId ?? ctx.runId;
    const depth = (above?.depth ?? 0) + 1;
    const node = new AgentNode(
      { runId, parentRunId, parentCallId: callId, agent: toolName, depth },
      levels,
      budget,
      above?.hasListener === true ? (event) => above.forward(event) : undefined,
      above?.steps,
    );
    const stop = new AbortController();
    const scopeCalls = new ScopeCalls({
      scope,
      callId,
      selection: this.#selection,
      mayDelegate: levels > 0,
      narrow: narrowing(this.#policy, levels > 0),
      inherit: node.inheritedContext,
      signal: stop.signal,
      turns: this.#turns,
      isResumed: resumed !== undefined,
    });
    const calls =
      steps === undefined ? scopeCalls : new JournaledCalls(scopeCalls, steps, stop.signal);
    let emitted = 0;
    const onText = (answerText: string): void => {
      // Each update is the full text so far: a long text does not need one for every word.
      if (answerText.length > emitted && answerText.length < emitted + emitted / 32) return;
      emitted = answerText.length;
      void ctx.update({ content: [text(answerText)] });
    };
    const onProgress = (message: string): void => ctx.progress({ message });
    const loop = new AgentLoop(
      this.#definition,
      { calls, node, budget, clock: scope.clock, signal, stop, onText, onProgress, steps },
      state,
    );
    return toOutput(toolName, await loop.go());
  }

  #begun(input: JsonObject, ctx: ToolContext, id: string | undefined): AgentState {
    const { system, prompt, injected = [] } = this.#options;
    const host = (ctx.injected ?? {}) as Readonly<Record<string, JsonValue>>;
    const declared = Object.fromEntries(
      injected
        .filter(({ name, secret }) => secret !== true && Object.hasOwn(host, name))
        .map(({ name }) => [name, host[name] as JsonValue]),
    );
    const promptText = prompt?.(input as never, declared) ?? taskText(input, this.#options.input);
    const messages: AgentMessage[] = [
      { role: "system", content: system },
      { role: "user", content: [{ type: "text", text: promptText }] },
    ];
    const runId = id ?? crypto.randomUUID();
    return { version: 1, runId, messages, turn: [], usage: noUsage() };
  }
}

function taskText(input: JsonObject, schema: JsonSchema | undefined): string {
  return schema === undefined ? String(input["task"]) : JSON.stringify(input);
}

/** The sub-agent's output for its caller. */
function toOutput(name: string, result: AgentResult): ToolOutput | Suspension {
  const { runId, usage } = result;
  const common = { childRunId: runId, details: { status: result.status, usage: { ...usage } } };
  switch (result.status) {
    case "interrupted":
      return waiting(name, result) ?? { ...common, ...unfinished(name, result, tooLong) };
    case "cancelled":
      throw result.error;
    case "stopped": {
      const error = new ToolError("limit_exceeded", result.message, { retryable: false });
      return { ...common, ...unfinished(name, result, error) };
    }
    case "failed": {
      const { code, message, cause } = result.error;
      // The status and the wait are passed on; a retry of the same call would repeat half of the work.
      const error = new ToolError(code, `${message} This is not a completed answer.`, {
        ...result.error,
        cause,
        retryable: false,
      });
      return { ...common, ...unfinished(name, result, error) };
    }
    case "completed": {
      const { value } = result;
      const answerText = result.text === "" ? "(The sub-agent gave no text.)" : result.text;
      const content = [text(value === undefined ? answerText : JSON.stringify(value))];
      return value === undefined ? { ...common, content } : { ...common, content, value };
    }
  }
}

const tooLong: ToolError = new ToolError(
  "limit_exceeded",
  "The agent stopped before it was done: it has to wait for a person, and its conversation is too long to be kept. This is not a completed answer.",
);

/** `undefined`: too large to be stored. */
function waiting(name: string, { interruptions, state }: InterruptedAgent): Suspension | undefined {
  if (JSON.stringify(state).length > maxStateLength) return undefined;
  const requests = interruptions.flatMap((interruption) => interruption.requests);
  return suspend(requests, state as unknown as JsonValue);
}

function unfinished(
  name: string,
  { text: answerText }: Pick<AgentResult, "text">,
  error: ToolError,
): Pick<ToolOutput, "content" | "isError" | "error"> {
  const message = `${name}: ${error.message}`;
  const content = [
    text(answerText === "" ? message : `${message} What it has said last:\n${answerText}`),
  ];
  return { content, isError: true, error };
}
