import {
  suspend,
  ToolError,
  type Interruption,
  type JsonObject,
  type JsonValue,
  type Suspension,
  type ToolContext,
  type ToolOutcome,
  type ToolOutput,
} from "@toolweave/core";
import type { NestedCallOptions } from "@toolweave/core/adapter";
import {
  Journal,
  run,
  StarlarkError,
  type HostValue,
  type JournalState,
  type LoadOptions,
} from "@toolweave/starlark";
import type { ScriptLimits } from "../artifact/artifact.ts";
import type { LogLevel, ScriptScope, ToolAnswer } from "../builtins/builtin.ts";
import { predeclared } from "../builtins/table.ts";
import type { ScriptProgram } from "./program.ts";
import { ScriptLoader, type FindFile, type ScriptEnvironment } from "./script-loader.ts";
import { toScriptValue } from "./outcome-value.ts";
import { runStatements } from "./run-statements.ts";
import { toScriptError } from "./script-error.ts";
import { missingFunction, toOutput, type ResultOptions } from "./script-result.ts";

/** The part of the host that all scripts of a source share. */
export interface ScriptHost {
  /** Receives what scripts write to the log. */
  readonly log?: (entry: {
    readonly level: LogLevel;
    readonly message: string;
    readonly tool: string;
    readonly runId: string;
  }) => void;
  /** The values that scripts of a run share. */
  cacheFor(runId: string): Map<string, JsonValue>;
  /** Variables that scripts may read. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The values of the predeclared names. Default: the functions of the kind. */
  readonly predeclared?: ScriptEnvironment["predeclared"];
  /** Called before each operation of a script, which runs more slowly then. */
  readonly onOperation?: ScriptEnvironment["onOperation"];
}

/** One call of a tool with a script. */
export interface ScriptRun extends ResultOptions {
  readonly program: Pick<ScriptProgram, "program" | "kind">;
  /** The function to call; absent: the statements of the script run only. */
  readonly call?: string;
  readonly args?: readonly HostValue[];
  /** Without `call`: the global variables of which the first that has a value is the result. */
  readonly resultNames?: readonly string[];
  readonly ctx: ToolContext;
  /** Ends the script. Default: that of `ctx`. */
  readonly signal?: AbortSignal;
  readonly host: ScriptHost;
  readonly limits?: ScriptLimits;
  /** Finds the files that the script loads. Default: there are none. */
  readonly findFile?: FindFile;
  /** Predeclared values beside those of the kind. */
  readonly further?: LoadOptions["predeclared"];
  /** Receives what the script prints. Default: the log of the host. */
  readonly print?: (text: string) => void;
  /** Makes the output of the result. Default: `toOutput`. */
  readonly toOutput?: typeof toOutput;
  /** How the calls of the script run. */
  readonly nested?: Omit<NestedCallOptions, "toolset">;
  /** Bytes of the results of all effects. Default: 1 MiB. */
  readonly maxJournalBytes?: number;
  /**
   * Refuses an effect that the file does not declare.
   *
   * @throws ToolError `permission_denied`
   */
  readonly checkEffect?: (tool: string, args: JsonObject) => void;
}

const defaultLimits: Required<ScriptLimits> = {
  steps: Infinity,
  memoryBytes: 64 * 1024 * 1024,
  effects: 1000,
};

/** The state of a script that waits for a person: the results so far, and the call that waits. */
interface ScriptState {
  readonly version: 1;
  readonly journal: JournalState;
  readonly pending: Interruption;
  /** The calls before the one that waits. */
  readonly effects: number;
  /** The digests of the files that the script has loaded. */
  readonly files: Readonly<Record<string, string>>;
}

/** Errors that a script cannot handle: the call is over. */
const fatalCodes: ReadonlySet<string> = new Set([
  "permission_denied",
  "not_advertised",
  "approval_rejected",
  "approval_invalid",
  "auth_required",
  "cancelled",
  "limit_exceeded",
  "outcome_unknown",
  "skipped",
]);

/**
 * Runs a script for a call of a tool. Every effect is a nested call. If one waits for a person, the result is a suspension
 * whose state is the journal of the effects so far: resumed, in any process, the script takes their results from there.
 *
 * @throws ToolError for a script that fails: see `toScriptError`.
 */
export async function runScript(options: ScriptRun): Promise<ToolOutput | Suspension> {
  const { program, ctx, host, further, maxJournalBytes, signal = ctx.signal } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const state = ctx.resumed?.state as ScriptState | undefined;
  const journal = new Journal({
    ...(state === undefined ? {} : { state: state.journal }),
    ...(maxJournalBytes === undefined ? {} : { maxBytes: maxJournalBytes }),
  });
  const scope = new CallScope(options, limits.effects, journal, state);
  const { kind } = program;
  const { predeclared: valuesFor = predeclared, ...environment } = toEnvironment(host);
  const values = valuesFor(kind);
  const loader = new ScriptLoader(
    options.findFile ?? (() => undefined),
    kind,
    limits,
    state?.files,
    toEnvironment(host),
  );
  try {
    const runOptions = {
      args: options.args ?? [],
      predeclared: further === undefined ? values : { ...values, ...further },
      journal,
      context: scope,
      signal,
      maxSteps: limits.steps,
      maxMemoryBytes: limits.memoryBytes,
      print: options.print ?? ((line: string) => scope.log("info", line)),
      load: loader.load,
      ...environment,
    };
    const { value, steps, memoryBytes } =
      options.call === undefined
        ? await runStatements(program.program, runOptions, options.resultNames ?? [])
        : await run(program.program, { ...runOptions, call: options.call });
    const details = { steps, memoryBytes, effects: scope.effects };
    return (options.toOutput ?? toOutput)(value, { ...options, details });
  } catch (error) {
    const { interruption } = scope;
    if (
      interruption !== undefined &&
      error instanceof StarlarkError &&
      error.code === "interrupted"
    ) {
      const next: ScriptState = {
        version: 1,
        journal: journal.state,
        pending: interruption,
        effects: scope.effects - 1,
        files: loader.digests,
      };
      return suspend(interruption.requests, next as unknown as JsonValue);
    }
    throw toScriptError(describeMissing(error, ctx.toolName, options.call), signal);
  }
}

/** The error of Starlark for a function that does not exist names no tool. */
function describeMissing(error: unknown, name: string, fn: string | undefined): unknown {
  const isMissing =
    error instanceof StarlarkError && fn !== undefined && error.callStack.length === 0;
  return isMissing && error.message === `the program has no function ${fn}`
    ? missingFunction("tool", name, fn)
    : error;
}

function toEnvironment({ predeclared: values, onOperation }: ScriptHost): ScriptEnvironment {
  return {
    ...(values === undefined ? {} : { predeclared: values }),
    ...(onOperation === undefined ? {} : { onOperation }),
  };
}

/** The host as the functions of one run reach it: nested calls of the tool's own call. */
class CallScope implements ScriptScope {
  readonly #options: ScriptRun;
  readonly #maxEffects: number;
  readonly #journal: Journal;
  /** The call that waited for a person when the script was suspended. */
  #pending: Interruption | undefined;
  /** The call that waits for a person now. */
  interruption: Interruption | undefined;
  effects: number;

  constructor(
    options: ScriptRun,
    maxEffects: number,
    journal: Journal,
    state: ScriptState | undefined,
  ) {
    this.#options = options;
    this.#maxEffects = maxEffects;
    this.#journal = journal;
    this.#pending = state?.pending;
    this.effects = state?.effects ?? 0;
  }

  get cache(): Map<string, JsonValue> {
    const { host, ctx } = this.#options;
    return host.cacheFor(ctx.runId);
  }

  get env(): Readonly<Record<string, string>> {
    return this.#options.host.env ?? {};
  }

  get signal(): AbortSignal {
    return this.#options.ctx.signal;
  }

  now(): number {
    return this.#options.ctx.scope.clock.now();
  }

  random(): number {
    return Math.random();
  }

  log(level: LogLevel, message: string): void {
    const { host, ctx } = this.#options;
    host.log?.({ level, message, tool: ctx.toolName, runId: ctx.runId });
  }

  listTools(): readonly { readonly name: string; readonly description: string }[] {
    const { scope } = this.#options.ctx;
    return scope.toolset.specs().map(({ name, description }) => ({ name, description }));
  }

  async effect(tool: string, args: JsonObject): Promise<JsonValue> {
    this.#options.checkEffect?.(tool, args);
    const outcome = await this.#execute(tool, args);
    if (outcome.ok) return toScriptValue(outcome, this.#options.ctx);
    const { error } = outcome;
    if (error?.code === "not_found") {
      throw new ToolError(
        "unavailable",
        `${tool} is not available: the host gives scripts no access to it.`,
      );
    }
    throw error ?? new ToolError("internal", `${tool} gave no result.`);
  }

  async callTool(name: string, args: JsonObject): Promise<ToolAnswer> {
    const outcome = await this.#execute(name, args);
    const value = await toScriptValue(outcome, this.#options.ctx);
    if (outcome.ok) return { ok: true, value };
    const { error } = outcome;
    if (error === undefined || fatalCodes.has(error.code))
      throw error ?? new ToolError("internal", `${name} gave no result.`);
    return { ok: false, value, error: error.message, code: error.code };
  }

  async #execute(name: string, args: JsonObject): Promise<ToolOutcome> {
    const { ctx, nested } = this.#options;
    if (++this.effects > this.#maxEffects) {
      throw new ToolError(
        "limit_exceeded",
        `The script made more than ${this.#maxEffects} calls. Make fewer, or raise limits.effects.`,
      );
    }
    const pending = this.#pending;
    this.#pending = undefined;
    // Numbered by the journal: the ids are the same when the script runs again after an interruption.
    const id = `${ctx.callId}.${this.#journal.length + 1}`;
    const outcome =
      pending === undefined
        ? await ctx.scope.execute({ id, name, arguments: args }, nested)
        : await ctx.scope.resume(pending, { ...inheritedBy(nested), signal: ctx.signal });
    if (outcome.status === "interrupted") {
      this.interruption = outcome.interruption;
      throw new StarlarkError("interrupted", `${name} waits for a person`);
    }
    return outcome;
  }
}

function inheritedBy({ inherit }: NestedCallOptions = {}): Pick<NestedCallOptions, "inherit"> {
  return inherit === undefined ? {} : { inherit };
}
