import type { Cancellation } from "../../time/waiting.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import type {
  ArtifactWriter,
  PreflightContext,
  ToolContext,
  ToolScope,
  ArtifactData,
  StoredContent,
} from "../../contract/tool.ts";
import type { ToolCall } from "../../contract/tool-call.ts";
import type { ToolOutcome, ArtifactRef } from "../../contract/tool-result.ts";
import type { Caller } from "../../contract/caller.ts";
import type { PermissionRequest } from "../../contract/policy-definition.ts";
import type { JsonValue } from "../../json/json.ts";
import { mayRun } from "../../policy/decision.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { readCall, readInterruption } from "../call/read-call.ts";
import { CallState } from "../call/call-state.ts";
import { update } from "../hooks/update-hooks.ts";
import { executeAllNested, executeNested, toolsetBelow } from "./nested-calls.ts";
import { refuse } from "../call/outcome.ts";
import { pauseDeadlineWhile } from "./pause-deadline.ts";
import { StreamBuffer } from "../../results/captured.ts";
import { readStream, isStreamed, streamSource } from "../../results/stream-source.ts";

/** The context of a running tool: a view of its call. Most members are created when they are read. */
export class ExecutionContext implements ToolContext {
  readonly #execution: CallState;
  readonly attempt: number;

  constructor(execution: CallState) {
    this.#execution = execution;
    this.attempt = execution.attempt;
  }

  get callId(): string {
    return this.#execution.call.id;
  }

  get toolName(): string {
    return this.#execution.call.name;
  }

  get runId(): string {
    return this.#execution.run.id;
  }

  // `exactOptionalPropertyTypes` requires absent members, which getters cannot be: hence the casts below.
  get turnId(): string {
    return this.#execution.run.turnId as string;
  }

  get sessionId(): string {
    return this.#execution.run.sessionId as string;
  }

  get caller(): Caller {
    return this.#execution.run.caller as Caller;
  }

  get signal(): AbortSignal {
    const execution = this.#execution;
    return execution.context === this ? execution.signal : AbortSignal.abort(overAttempt());
  }

  /**
   * The same as `signal`, without creating one.
   *
   * @internal
   */
  get cancellation(): Cancellation {
    const execution = this.#execution;
    return execution.context === this ? execution.cancellation : this.signal;
  }

  /** True while the attempt that it was created for runs. */
  get isLive(): boolean {
    return this.#execution.isCurrentAttempt(this);
  }

  /**
   * True when a call of that tool may run, made as this call was: the toolset and the policies of a nested call can be
   * narrower than those of its run.
   *
   * @internal
   */
  mayCall(name: string): boolean {
    const { toolset, policies, run } = this.#execution;
    const entry = toolset.callable(name);
    return entry !== undefined && mayRun(policies, entry, run.caller);
  }

  /**
   * Adds a warning to the event that ends the call.
   *
   * @internal
   */
  warn(message: string): void {
    (this.#execution.warnings ??= []).push(message);
  }

  /**
   * Pauses the deadlines of the call until a person has answered.
   *
   * @internal
   */
  whileAsking<T>(answer: PromiseLike<T>): PromiseLike<T> {
    return this.isLive ? pauseDeadlineWhile(this.#execution, answer) : answer;
  }

  get taskId(): string {
    return this.#execution.taskId as string;
  }

  get injected(): unknown {
    return this.#execution.run.injected;
  }

  get permissions(): readonly PermissionRequest[] {
    return this.#execution.permissions as readonly PermissionRequest[];
  }

  get resumed(): { state: JsonValue; answers: readonly Answer[] } {
    const suspended = this.#execution.resumption?.suspended;
    if (suspended === undefined) return undefined as never;
    const { state, answers } = suspended;
    return { state, answers };
  }

  get checkpointed(): JsonValue {
    return this.#execution.checkpoint as JsonValue;
  }

  get scope(): ToolScope {
    const execution = this.#execution;
    const isOver = (): boolean => execution.context !== this;
    return {
      get toolset() {
        return toolsetBelow(execution);
      },
      clock: execution.engine.clock,
      get inheritedContext() {
        return execution.inheritedContext;
      },
      execute: (call, options) =>
        isOver() ? refuseNested(execution, call) : executeNested(execution, call, options),
      executeAll: (calls, options) =>
        isOver()
          ? Promise.all(calls.map((call) => refuseNested(execution, call)))
          : executeAllNested(execution, calls, options),
      resume: (interruption, options) =>
        isOver()
          ? refuseResumed(execution, interruption)
          : execution.engine.resume(execution, interruption, options),
    };
  }

  get artifacts(): ArtifactWriter {
    return new ToolArtifacts(this.#execution, () => this.isLive);
  }

  get idempotencyKey(): ToolContext["idempotencyKey"] {
    const execution = this.#execution;
    return () => {
      const { engine, run, call, args } = execution;
      const ids: (string | number)[] = [];
      for (let at: CallState | undefined = execution; at !== undefined; at = at.parent) {
        ids.push(at.call.id);
        if (at.earlierWithId !== undefined) ids.push(at.earlierWithId);
      }
      return engine.idempotencyKeys.of([run.caller?.id, run.id, ids, call.name, args]);
    };
  }

  // Getters, as `scope`: tools destructure their context.
  get update(): ToolContext["update"] {
    const execution = this.#execution;
    return (output) => {
      if (this.isLive) return update(execution, output);
    };
  }

  get progress(): ToolContext["progress"] {
    const execution = this.#execution;
    return (progress) => {
      if (this.isLive) execution.engine.events.progressed(execution, progress);
    };
  }

  get checkpoint(): ToolContext["checkpoint"] {
    const execution = this.#execution;
    return (state) => {
      if (this.isLive) execution.checkpoint = state;
    };
  }
}

function overAttempt(): ToolError {
  return new ToolError("cancelled", "The attempt that made this call has ended.");
}

/** Refuses a call that a tool makes in an abandoned attempt; the calling call continues without it. */
function refuseNested(parent: CallState, call: ToolCall): Promise<ToolOutcome> {
  const { engine, run, toolset, policies } = parent;
  const refused = new CallState(engine, run, readCall(call), toolset, policies, undefined, parent);
  refused.stop(parent.nestedRefusal ?? overAttempt());
  return engine.execute(refused);
}

/** Refuses to resume a nested call in an abandoned attempt; it stays pending. */
async function refuseResumed(parent: CallState, given: Interruption): Promise<ToolOutcome> {
  return refuse(parent.engine, readInterruption(given), overAttempt(), parent.run, parent);
}

/**
 * The context of a preflight: nothing in it can have an effect. A class, since an object literal with a getter gets a
 * hidden class for each call, which the garbage collector then has to free.
 */
export class ExecutionPreflight implements PreflightContext {
  readonly #execution: CallState;
  declare readonly sessionId?: string;
  declare readonly caller?: Caller;
  declare readonly injected?: Readonly<Record<string, unknown>>;

  constructor(execution: CallState) {
    this.#execution = execution;
    const { sessionId, caller } = execution.run;
    const injected = notSecret(execution);
    if (sessionId !== undefined) this.sessionId = sessionId;
    if (caller !== undefined) this.caller = caller;
    if (injected !== undefined) this.injected = injected;
  }

  get callId(): string {
    return this.#execution.call.id;
  }

  get toolName(): string {
    return this.#execution.call.name;
  }

  get runId(): string {
    return this.#execution.run.id;
  }

  get signal(): AbortSignal {
    return this.#execution.signal;
  }
}

/** The values from the host that the tool declares and that are not secret. */
function notSecret({ tool, run }: CallState): Readonly<Record<string, unknown>> | undefined {
  const { injected } = tool.spec;
  if (injected === undefined || typeof run.injected !== "object" || run.injected === null) return;
  const supplied = run.injected as Readonly<Record<string, unknown>>;
  const visible = injected.filter(({ secret, name }) => secret !== true && name in supplied);
  return Object.fromEntries(visible.map(({ name }) => [name, supplied[name]]));
}

/**
 * Waits for a person whom a running tool asks by other means than a suspension. For adapters: until the answer arrives,
 * the deadlines of the call are paused.
 *
 * @param ctx of the call; with any other object the answer is only awaited.
 */
export function pauseDeadlineFor<T>(
  ctx: Pick<ToolContext, "signal">,
  answer: PromiseLike<T>,
): PromiseLike<T> {
  return ctx instanceof ExecutionContext ? ctx.whileAsking(answer) : answer;
}

/**
 * The cancellation of a running call: its timeout, a cancelled run, an abandoned attempt. For adapters, which only wait
 * for it: `ctx.signal` fires for the same reasons, but creating a platform signal costs as much as the rest of a call.
 *
 * @param ctx of a call; of any other object its `signal` is returned.
 */
export function cancellationOf(ctx: Pick<ToolContext, "signal">): Cancellation {
  return ctx instanceof ExecutionContext ? ctx.cancellation : ctx.signal;
}

/** The artifacts that a running tool may write and read: those of the session and caller that it runs for. */
class ToolArtifacts implements ArtifactWriter {
  readonly #execution: CallState;
  readonly #isLive: () => boolean;

  constructor(execution: CallState, isLive: () => boolean) {
    this.#execution = execution;
    this.#isLive = isLive;
  }

  async write(
    data: ArtifactData,
    options: { readonly mediaType: string; readonly name?: string },
  ): Promise<ArtifactRef> {
    this.#check();
    if (typeof options?.mediaType !== "string") {
      throw misuse(`needs a media type: { mediaType: "text/plain" }`);
    }
    const { mediaType, name } = options;
    const { engine, run } = this.#execution;
    const captured = await this.#capture(data);
    this.#check();
    const whole = captured.take();
    if (typeof whole !== "string" && !(whole instanceof Uint8Array)) {
      throw misuse("takes text, bytes or a stream of them; make JSON with JSON.stringify");
    }
    const redactor = this.#execution.redactor;
    const clean =
      typeof whole === "string"
        ? (redactor?.text(whole) ?? whole)
        : (redactor?.bytes(whole, mediaType) ?? whole);
    const { truncated } = captured;
    const displayName = typeof name === "string" ? (redactor?.text(name) ?? name) : undefined;
    return engine.artifacts.write(run, clean, { mediaType, name: displayName, truncated });
  }

  async read(key: string): Promise<StoredContent> {
    this.#check();
    const { engine, run } = this.#execution;
    const ref = await engine.artifacts.head(run, key);
    const bytes = async (): Promise<Uint8Array> => {
      this.#check();
      return engine.artifacts.read(ref);
    };
    return { ref, bytes, text: async () => new TextDecoder().decode(await bytes()) };
  }

  /** Copies the data, so that it cannot change while it is stored; at most `maxCapturedBytes`. */
  async #capture(data: ArtifactData): Promise<StreamBuffer> {
    const captured = new StreamBuffer(this.#execution.engine.largeOutputs.maxCapturedBytes);
    if (!isStreamed(data)) {
      captured.add(data);
      return captured;
    }
    const { signal } = this.#execution;
    const source = streamSource(data);
    const cancel = (): void => source.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const broke = await readStream(source, captured, signal);
    signal.removeEventListener("abort", cancel);
    if (broke !== undefined || captured.truncated) cancel();
    if (broke !== undefined) throw broke.thrown;
    return captured;
  }

  #check(): void {
    if (this.#isLive()) return;
    throw new ToolError("cancelled", "The attempt that this belongs to has ended.");
  }
}

function misuse(what: string): ToolError {
  return new ToolError("internal", `ctx.artifacts.write ${what}.`);
}
