import {
  text,
  type Hook,
  type HookedCall,
  type JsonObject,
  type JsonValue,
  type ToolOutput,
  type ToolResult,
} from "@toolweave/core";
import type { BeforeCallAnswer } from "@toolweave/core/adapter";
import { run, StarlarkError, type HostValue } from "@toolweave/starlark";
import type { HookArtifact, ScriptLimits } from "../artifact/artifact.ts";
import type { ScriptScope } from "../builtins/builtin.ts";
import { predeclared } from "../builtins/table.ts";
import { toJsonValue } from "../builtins/to-json.ts";
import { ScriptProgram } from "../script/program.ts";
import type { ScriptHost } from "../script/run-script.ts";
import { Condition } from "./condition.ts";

/** The decision of a hook. */
export type HookDecision =
  | { readonly action: "allow" }
  | { readonly action: "block"; readonly reason: string }
  | { readonly action: "modify"; readonly payload: JsonObject };

const allowed: HookDecision = { action: "allow" };

type Answered = Pick<ToolResult, "content" | "value" | "isError">;

/** A hook, and the only run whose calls it sees; absent: all. */
export interface ScopedHook {
  readonly artifact: HookArtifact;
  readonly runId?: string;
}

interface LoadedHook {
  readonly scoped: ScopedHook;
  readonly program: ScriptProgram;
  readonly when: Condition | undefined;
}

/** Milliseconds for a hook whose file has no `timeout_ms`. */
const defaultTimeoutMs = 5000;

/**
 * The hooks of markdown files, as one hook of the executor. They are called in order of priority, then of their files; the
 * first that blocks wins, and each sees what those before it have modified. They fail closed: an error, a timeout and an
 * answer that is none block the call.
 */
export class ArtifactHooks {
  readonly #host: ScriptHost;
  readonly #limits: ScriptLimits;
  #byEvent = new Map<string, readonly LoadedHook[]>();

  constructor(host: ScriptHost, limits: ScriptLimits) {
    this.#host = host;
    this.#limits = limits;
  }

  /** Replaces all hooks. Those that are the same stay compiled. */
  set(artifacts: readonly ScopedHook[]): void {
    const known = new Map(
      [...this.#byEvent.values()].flat().map((hook) => [JSON.stringify(hook.scoped), hook]),
    );
    const byEvent = new Map<string, LoadedHook[]>();
    for (const scoped of artifacts) {
      const { artifact } = scoped;
      const loaded = known.get(JSON.stringify(scoped)) ?? loadHook(scoped);
      byEvent.set(artifact.event, [...(byEvent.get(artifact.event) ?? []), loaded]);
    }
    // `sort` is stable: ties stay in the order of their files.
    for (const hooks of byEvent.values())
      hooks.sort((a, b) => a.scoped.artifact.priority - b.scoped.artifact.priority);
    this.#byEvent = byEvent;
  }

  /** For `hooks` of the executor. */
  readonly hook: Hook = {
    // Each file has its own time.
    timeoutMs: 0,
    beforeCall: (call) => (this.#byEvent.has("tool.pre") ? this.#before(call) : undefined),
    afterCall: (call, result) =>
      this.#byEvent.has("tool.post") ? this.#after(call, result) : undefined,
  };

  async #before(call: HookedCall): Promise<BeforeCallAnswer> {
    const decision = await this.#decide("tool.pre", toPrePayload(call), call.runId);
    if (decision.action === "allow") return undefined;
    return decision.action === "block"
      ? { block: decision.reason }
      : { arguments: decision.payload["args"] as JsonObject };
  }

  async #after(call: HookedCall, result: Answered): Promise<ToolOutput | undefined> {
    const before = toPostPayload(call, result);
    const decision = await this.#decide("tool.post", before, call.runId);
    if (decision.action === "allow") return undefined;
    return decision.action === "block"
      ? { content: [text(`The result was withheld: ${decision.reason}`)], isError: true }
      : toPostOutput(decision.payload, before, result);
  }

  /** Calls the hooks of an event of the host. */
  emit(event: string, payload: JsonObject, runId = "host"): Promise<HookDecision> {
    return this.#decide(event, payload, runId);
  }

  async #decide(event: string, given: JsonObject, runId: string): Promise<HookDecision> {
    let payload = given;
    for (const hook of this.#byEvent.get(event) ?? []) {
      const { runId: only } = hook.scoped;
      if (only !== undefined && only !== runId) continue;
      const decision = await this.#ask(hook, event, payload, runId);
      if (decision.action === "block") return decision;
      if (decision.action === "modify") payload = merge(event, payload, decision.payload);
    }
    return payload === given ? allowed : { action: "modify", payload };
  }

  async #ask(
    { scoped, program, when }: LoadedHook,
    event: string,
    payload: JsonObject,
    runId: string,
  ): Promise<HookDecision> {
    const { name, timeoutMs = 0, limits } = scoped.artifact;
    try {
      const args = [event, payload as HostValue];
      if (when !== undefined && !(await when.holds(args))) return allowed;
      const { steps, memoryBytes } = { ...this.#limits, ...limits };
      const { value } = await run(program.program, {
        call: "handle",
        args,
        predeclared: (this.#host.predeclared ?? predeclared)("hook"),
        ...(this.#host.onOperation === undefined ? {} : { onOperation: this.#host.onOperation }),
        context: new HookScope(this.#host, name, runId),
        timeoutMs: timeoutMs === 0 ? defaultTimeoutMs : timeoutMs,
        ...(steps === undefined ? {} : { maxSteps: steps }),
        ...(memoryBytes === undefined ? {} : { maxMemoryBytes: memoryBytes }),
      });
      return toDecision(event, name, value);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#host.log?.({ level: "error", message: `hook ${name}: ${reason}`, tool: name, runId });
      return { action: "block", reason: `the hook ${JSON.stringify(name)} failed` };
    }
  }
}

function loadHook(scoped: ScopedHook): LoadedHook {
  const { script, when, dialect } = scoped.artifact;
  return {
    scoped,
    program: new ScriptProgram(script, "hook", dialect),
    when: when === undefined ? undefined : new Condition(when, ["event", "payload"]),
  };
}

/** @throws StarlarkError for a value that is no decision. */
function toDecision(event: string, name: string, value: HostValue): HookDecision {
  const answer =
    typeof value === "object" && value !== null
      ? (toJsonValue(value, "the decision") as JsonObject)
      : {};
  const { action, reason, payload } = answer;
  if (action === "allow") return allowed;
  if (action === "block")
    return {
      action,
      reason: String(reason ?? "") || `blocked by the hook ${JSON.stringify(name)}`,
    };
  if (action === "modify" && isJsonObject(payload)) {
    if (event !== "tool.pre" || toArguments(payload) !== undefined) return { action, payload };
  }
  throw new StarlarkError(
    "execution_failed",
    "handle must return allow(), block(reason) or modify(payload)",
  );
}

function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The arguments in a payload: `args`, or `arguments` as JSON. */
function toArguments({ args, arguments: written }: JsonObject): JsonObject | undefined {
  if (args !== undefined) return isJsonObject(args) ? args : undefined;
  if (typeof written !== "string") return undefined;
  const parsed = JSON.parse(written) as JsonValue;
  return isJsonObject(parsed) ? parsed : undefined;
}

/** The payload for the next hook. */
function merge(event: string, before: JsonObject, change: JsonObject): JsonObject {
  const after = { ...before, ...change };
  if (event !== "tool.pre") return after;
  const args = toArguments(change) as JsonObject;
  return { ...after, args, arguments: JSON.stringify(args) };
}

function toPrePayload({ callId, spec, arguments: args }: HookedCall): JsonObject {
  return { id: callId, name: spec.name, args, arguments: JSON.stringify(args) };
}

function toPostPayload(call: HookedCall, { content, value, isError }: Answered): JsonObject {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return {
    call_id: call.callId,
    id: call.callId,
    name: call.spec.name,
    args: call.arguments,
    content: texts.join("\n"),
    is_error: isError === true,
    result: value ?? null,
  };
}

/** The output after a change: the parts that the hook has not changed stay as they are. */
function toPostOutput(
  payload: JsonObject,
  before: JsonObject,
  { content, value, isError }: Answered,
): ToolOutput {
  const isSame = (key: string): boolean => payload[key] === before[key];
  const result = payload["result"] ?? null;
  // A hook that removes something from one form must not leave it in the other.
  const changed = !isSame("content")
    ? { content: [text(String(payload["content"]))] }
    : isSame("result")
      ? { content }
      : { content: [text(typeof result === "string" ? result : JSON.stringify(result))] };
  const structured = isSame("result") ? (isSame("content") ? value : undefined) : result;
  const failed = isSame("is_error") ? isError : payload["is_error"] === true;
  return {
    ...changed,
    ...(structured === undefined ? {} : { value: structured }),
    ...(failed === true ? { isError: true } : {}),
  };
}

/** The host as hooks reach it: logs, the cache of the run, variables and the time. They have no effects. */
class HookScope implements ScriptScope {
  readonly #host: ScriptHost;
  readonly #name: string;
  readonly #runId: string;
  readonly signal: undefined;

  constructor(host: ScriptHost, name: string, runId: string) {
    this.#host = host;
    this.#name = name;
    this.#runId = runId;
  }

  get cache(): Map<string, JsonValue> {
    return this.#host.cacheFor(this.#runId);
  }

  get env(): Readonly<Record<string, string>> {
    return this.#host.env ?? {};
  }

  log: ScriptScope["log"] = (level, message) =>
    this.#host.log?.({ level, message, tool: this.#name, runId: this.#runId });

  now = (): number => Date.now();
  random = (): number => Math.random();
  effect = (): Promise<never> => Promise.reject(noEffects());
  callTool = (): Promise<never> => Promise.reject(noEffects());
  listTools = (): readonly never[] => [];
}

function noEffects(): StarlarkError {
  return new StarlarkError("execution_failed", "hooks have no effects");
}
