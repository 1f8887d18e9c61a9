import { canonicalJson, sha256 } from "../json/canonical-json.ts";
import type { ToolOutcome, ArtifactRef, ToolOutput } from "./tool-result.ts";
import type { Answer, Interruption, Suspension } from "./interruption.ts";
import type { Awaitable, JsonObject, JsonSchema, JsonValue } from "../json/json.ts";
import type { Caller } from "./caller.ts";
import type { ContentBlock } from "./content-block.ts";
import type {
  PermissionRequest,
  AnnotationCondition,
  PolicyInput,
  ProvenanceCondition,
} from "./policy-definition.ts";
import type { ToolCall } from "./tool-call.ts";
import type { ToolSpec } from "./tool-spec.ts";
import type { Clock } from "../time/clock.ts";
import type { ExecuteAllOptions } from "./call-options.ts";

/** The data of an artifact: text, bytes, or a stream of either. */
export type ArtifactData = string | Uint8Array | AsyncIterable<string | Uint8Array>;

/** The content that is stored under a key. */
export interface StoredContent {
  readonly ref: ArtifactRef;
  /** All of it. */
  bytes(): Promise<Uint8Array>;
  /** All of it, as UTF-8. */
  text(): Promise<string>;
}

/** Stores data that is too large or too binary for a model, and reads it again. Usable only during the attempt. */
export interface ArtifactWriter {
  /**
   * Stores `data`, redacted, and returns its reference. A reference in `ToolOutput.artifacts` is given to the model.
   * Data beyond the executor's limit is lost: the reference then has `truncated`.
   *
   * @throws ToolError `store_unavailable`, `limit_exceeded` when there is no room for it, `cancelled` after the attempt
   * has ended; the exception of the stream.
   */
  write(
    data: ArtifactData,
    options: { readonly mediaType: string; readonly name?: string },
  ): Promise<ArtifactRef>;
  /**
   * An artifact of the same session and caller, by its key: `art_…`, or `artifact:art_…`.
   *
   * @throws ToolError `artifact_missing`: it has expired, does not exist, or belongs to another owner;
   * `store_unavailable`, `cancelled` after the attempt has ended.
   */
  read(key: string): Promise<StoredContent>;
}

/** The context of a call before it may have effects. */
export interface PreflightContext {
  readonly callId: string;
  readonly toolName: string;
  readonly runId: string;
  readonly sessionId?: string;
  readonly caller?: Caller;
  /** The host's values that the tool names (`injected`), except secret ones. */
  readonly injected?: Readonly<Record<string, unknown>>;
  /** Fires when the call is cancelled. */
  readonly signal: AbortSignal;
}

/** How a running tool makes a call of its own. */
export interface NestedCallOptions {
  /** The tools that may be called, of those that the tool's own call may call. Default: all of them. */
  readonly toolset?: Toolset;
  /** A policy on top of the one in force, for the call and for the calls below it: it can only narrow. */
  readonly narrow?: PolicyInput;
  /** Left for the tools that run below, whichever is in between: they find it in `scope.inheritedContext`. */
  readonly inherit?: ReadonlyMap<symbol, unknown>;
}

/** Options for resuming a nested call. */
export interface NestedResumeOptions extends Pick<NestedCallOptions, "inherit"> {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs other tools on behalf of a running one. */
export interface ToolScope {
  /**
   * The tools that a nested call may use: those that the tool's own call may call (if the tool `delegates`: those that
   * its caller may call), and `read_artifact` once an artifact exists. The same object while nothing changes.
   */
  readonly toolset: Toolset;
  /** The clock of limits and deadlines. */
  readonly clock: Clock;
  /**
   * The values that outer tools have passed with `inherit`, and the host with `startRun({ inheritedContext })`. In this
   * process only.
   */
  readonly inheritedContext: ReadonlyMap<symbol, unknown>;
  /** Runs a nested call under the same policy, hooks, limits and signal. */
  execute(call: ToolCall, options?: NestedCallOptions): Promise<ToolOutcome>;
  /**
   * Runs several, as `run.executeAll` does: all are admitted in order before any starts.
   *
   * @throws ToolError `invalid_configuration` (by rejecting) for an invalid option; nothing has run then.
   */
  executeAll(
    calls: readonly ToolCall[],
    options?: Omit<ExecuteAllOptions, "timeoutMs" | "deadlineMs" | "onUpdate" | "asTask"> &
      NestedCallOptions,
  ): Promise<readonly ToolOutcome[]>;
  /**
   * Resumes a nested call that waited for a person. The tool must have passed on the requests of the call's
   * interruption, unchanged, in its own suspension; the answers are those that it was resumed with. A tool cannot
   * answer for a person: a request that was not displayed, or not answered, fails with `approval_invalid`.
   */
  resume(interruption: Interruption, options?: NestedResumeOptions): Promise<ToolOutcome>;
}

/** How far a running tool is. */
export interface ToolProgress {
  readonly message?: string;
  readonly done?: number;
  readonly total?: number;
}

/** The context that the executor gives to a running tool. None of it is ever in a schema. */
export interface ToolContext<Injected = unknown> {
  readonly callId: string;
  readonly toolName: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  readonly runId: string;
  readonly turnId?: string;
  readonly sessionId?: string;
  readonly caller?: Caller;
  /** Set when the call continues as a task, for whose end no caller waits. */
  readonly taskId?: string;
  /** Fires on cancellation and on timeout. Made when first read. */
  readonly signal: AbortSignal;
  /** The values that the host supplied to the run. */
  readonly injected: Injected;
  /**
   * The permissions that `preflight` has requested, all of which were given. A tool that opens an object only now checks
   * that what it opens is still what they are for. Absent: it has requested none.
   */
  readonly permissions?: readonly PermissionRequest[];
  /** Set when a suspended call resumes. */
  readonly resumed?: { readonly state: JsonValue; readonly answers: readonly Answer[] };
  readonly scope: ToolScope;
  readonly artifacts: ArtifactWriter;
  /**
   * Emits a partial output, for hosts and user interfaces, in place of the one before; never for the model. Output over
   * the limit is truncated. The promise resolves when the listeners have taken the update: awaiting it lets a slow
   * listener slow down the tool. If updates come faster than they are taken, only the latest is emitted. Ignored after
   * the end.
   */
  update(partial: ToolOutput): Awaitable<void>;
  /** How far the tool is; 1,000 bytes of message at most. Ignored after the end. */
  progress(progress: ToolProgress): void;
  /**
   * Stores `state` with the call, for `checkpointed` of a later attempt, or of the call when it resumes after it has
   * waited for a person. JSON. Ignored after the end. A call whose process has ended is not run again, so that only the
   * state of pending calls survives.
   */
  checkpoint(state: JsonValue): void;
  /**
   * A key that names this call to another system, so that a request which is sent twice is carried out once: an HMAC of
   * caller, run, call id, tool and arguments, 64 hexadecimal digits. The same in every attempt of the call, and when it
   * resumes after it has waited for a person; in other processes if executors have the same `key`. Calls need ids of
   * their own within a run. Computed on demand.
   */
  idempotencyKey(): Promise<string>;
  /** The state that was stored last. Absent: none. */
  readonly checkpointed?: JsonValue;
}

/** One thing that is wrong with a call's arguments or a tool's output. */
export interface ValidationProblem {
  /** A JSON pointer to the place (RFC 6901); empty for the whole. */
  readonly path: string;
  /** The expected value. */
  readonly message: string;
}

/** The value of an output as its schema returns it, such as without unknown properties; or what is wrong with it. */
export type ParsedOutput =
  | { readonly value: unknown }
  | { readonly problems: readonly ValidationProblem[] };

/** Whether a tool can be called just now. */
export type ToolAvailability =
  | { readonly status: "available" }
  | { readonly status: "unavailable"; readonly reason: string };

/**
 * The possible results of `invoke`: text, a JSON value, content blocks, a complete `ToolOutput`, or a `Suspension`.
 * `undefined` is an empty output. Bytes are an image, a sound, a text or a resource. A stream, an async iterable, a
 * `Response` or a `Blob` is read, under the attempt's timeout and up to `largeOutputs.maxCapturedBytes`: texts are
 * joined to one text, bytes are handled as above, other pieces are a list; of `itemStream` each piece is an item of the
 * list.
 */
export type ToolReturn =
  | string
  | JsonValue
  | readonly ContentBlock[]
  | ToolOutput
  | Suspension
  | ArrayBuffer
  | ArrayBufferView
  | AsyncIterable<unknown>
  | Response
  | Blob
  | undefined
  | void;

/**
 * A tool: its description, and the work.
 *
 * @typeParam Injected what the host supplies as `ctx.injected`.
 */
export interface Tool<Injected = unknown> {
  readonly spec: ToolSpec;
  /**
   * The schema that validates arguments, if `spec.inputSchema` gives a model less of it: `spec.inputSchema` must accept
   * everything that this schema accepts. May be a memoised getter. Default: `spec.inputSchema`.
   */
  readonly argumentsSchema?: JsonSchema;
  /** Changes whenever the spec or `argumentsSchema` does; spares a diff the realisation of lazy schemas. */
  readonly fingerprint?: string;
  /**
   * The effect of an output that does not match `outputSchema`: a failed call, or a warning in the event of its end.
   * Default: `error`.
   */
  readonly outputValidation?: "error" | "warning";
  /**
   * `invoke`, `validate` and `preflight` accept a `bigint` where the schema has an integer: an argument that a JavaScript
   * number cannot hold, such as 9007199254740993. Calls with such an argument are refused otherwise. Default: false.
   */
  readonly acceptsBigint?: boolean;
  /**
   * The part that decides whether arguments are valid: the schema and then `validate`, or with `tool` only `validate`. The
   * schema then describes the arguments to the model, and may reject arguments that `validate` accepts. Default: `schema`.
   */
  readonly argumentsValidation?: "schema" | "tool";
  /**
   * Marks a tool that chooses tools for an agent of its own: its calls may use all tools that its caller may call, in
   * place of those that the call was narrowed to (`toolset`); in a run with `delegateScope: "policy"`, all that the policy
   * allows. Believed of trusted tools only. Default: false.
   */
  readonly delegates?: boolean;
  /**
   * Tools for the calls of this tool alone: no model sees them, and no other call finds them. They go before tools of
   * the same names, are as trusted as this tool, and run under the same policy, hooks and limits. Default: none.
   */
  readonly localTools?: readonly Tool[];
  /** Absent: available. */
  readonly availability?: ToolAvailability;
  /** Checks what JSON Schema cannot express; runs in stage 4. */
  validate?(args: JsonObject): Awaitable<readonly ValidationProblem[] | undefined>;
  /**
   * Validates the value of an output in place of `outputSchema`, and returns the value that the result has. `undefined`:
   * `outputSchema` decides.
   */
  parseOutput?(value: JsonValue): Awaitable<ParsedOutput | undefined>;
  /** Declares the actions that a call intends. Must not perform any of them. */
  preflight?(args: JsonObject, ctx: PreflightContext): Awaitable<readonly PermissionRequest[]>;
  /** Does the work. A thrown error becomes an error result. */
  invoke(args: JsonObject, ctx: ToolContext<Injected>): Awaitable<ToolReturn>;
}

/** A tool as the registry holds it. */
export interface RegisteredTool {
  readonly tool: Tool;
  /** The id of its source; `host` for tools that host code added itself. */
  readonly source: string;
  /** Its annotations may loosen a decision. */
  readonly trusted: boolean;
}

/** True when a trusted source says that the tool changes nothing: its call can be repeated. Never throws. */
export function isTrustedRead(entry: RegisteredTool | undefined): boolean {
  if (entry?.trusted !== true) return false;
  try {
    const { readOnlyHint, destructiveHint } = entry.tool.spec.annotations;
    return readOnlyHint === true && destructiveHint !== true;
  } catch {
    return false;
  }
}

/** Which tools of a registry a turn gets. Every condition that is there has to hold. */
export interface ToolSelection {
  /** Globs over names; absent: all. */
  readonly include?: readonly string[];
  /** Globs over names that are excluded afterwards. */
  readonly exclude?: readonly string[];
  /**
   * The hints that the tools must have. An absent hint has MCP's default; a claim against the default counts only when
   * the tool's source is trusted, and selects nothing otherwise.
   */
  readonly annotations?: AnnotationCondition;
  /** Where they must come from. `source` is the id in the registry; `host`: the host's own tools. */
  readonly provenance?: ProvenanceCondition;
  /**
   * The maximum number of tokens of all descriptions, estimated as a quarter of the characters of name, description and
   * input schema. In order of name: a tool that exceeds the budget is omitted, and a smaller one after it may fit.
   */
  readonly maxTokens?: number;
}

/**
 * An immutable snapshot of tools for one turn, ordered by name: the listed tools, which a model is given, and behind
 * them, where tools are searched for, tools that are not listed. Both can be called; nothing else can.
 */
export interface Toolset extends Iterable<Tool> {
  /** The registry's version when the snapshot was made. */
  readonly version: number;
  /** The tools that can be called without being listed; it may hold listed tools, too. */
  readonly searchable: Toolset | undefined;
  /** The number of listed tools. */
  readonly size: number;
  /** The listed tool of that name. */
  get(name: string): Tool | undefined;
  /** The listed tool of that name, as the registry holds it. */
  entry(name: string): RegisteredTool | undefined;
  /** The tool that a call of that name runs, whether it is listed or can only be searched for. */
  callable(name: string): RegisteredTool | undefined;
  /** All listed tools as the registry holds them, in order of name. */
  entries(): IterableIterator<RegisteredTool>;
  /** The names of the listed tools, in order. */
  names(): IterableIterator<string>;
  /** The names of all tools that can be called, the listed ones first. */
  callableNames(): IterableIterator<string>;
  /** The descriptions of the listed tools, in order of name. A tool whose input schema cannot be used is left out. */
  specs(): readonly ToolSpec[];
  /**
   * Some tool that can be called continues as a task on its own.
   *
   * @internal
   */
  readonly hasTasks: boolean;
  /** The snapshot with only the tools that `keep` accepts, listed or not; itself when these are all. */
  filter(keep: (entry: RegisteredTool) => boolean): Toolset;
  /**
   * The part of the snapshot that `selection` names. A budget counts the listed tools.
   *
   * @throws ToolError `invalid_configuration` for an invalid selection.
   */
  select(selection: ToolSelection): Toolset;
  /**
   * The snapshot without the listed tools that `keep` rejects; they can still be searched for.
   *
   * @internal
   */
  filterListed(keep: (entry: RegisteredTool) => boolean): Toolset;
  /**
   * The snapshot with further listed tools; they replace those of the same names.
   *
   * @internal
   */
  with(added: readonly RegisteredTool[]): Toolset;
  /**
   * All tools that can be called as one toolset, without the built-in tools among the listed ones.
   *
   * @internal
   */
  whole(): Toolset;
}

/** The whole schema of a tool's arguments: what they are validated against, be it what a model sees or more. */
export function argumentsSchemaOf({ argumentsSchema, spec }: Tool): JsonSchema {
  return argumentsSchema ?? spec.inputSchema;
}

/**
 * SHA-256 of a tool's spec. Computed each time: an approval is for the tool as it is.
 *
 * @throws the exception of a part of the spec that is read.
 */
export async function specHashOf(tool: Tool): Promise<string> {
  const { spec } = tool;
  const schema = argumentsSchemaOf(tool);
  return sha256(canonicalJson(schema === spec.inputSchema ? spec : [spec, schema]));
}
