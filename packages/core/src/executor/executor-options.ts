import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import { Artifacts } from "../artifacts/artifacts.ts";
import { checkedLargeOutputs, type LargeOutputs } from "../artifacts/large-outputs.ts";
import { memoryArtifacts } from "../artifacts/memory-artifacts.ts";
import { ArgumentsHash, Secret, IdempotencyKeys } from "../approvals/secret.ts";
import { GrantSeal } from "../approvals/grant-seal.ts";
import { memoryGrants, type GrantStore } from "../approvals/grant-store.ts";
import { LocalCalls } from "./call/local-calls.ts";
import { memoryPendingCalls } from "../approvals/memory-pending-calls.ts";
import type { PendingCallStore } from "../approvals/pending-call-store.ts";
import { Seal } from "../approvals/seal.ts";
import { Audit } from "../audit/audit.ts";
import type { AuditSink } from "../audit/audit-sink.ts";
import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { EventStream } from "../events/event-stream.ts";
import { frameBytes } from "../framing/frame.ts";
import { enforced, type ExecutorLimits } from "../limits/executor-limits.ts";
import type { RateLimitStore } from "../limits/rate-limit-store.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import type { PolicyInput } from "../contract/policy-definition.ts";
import { createRedaction, type RedactionOptions } from "../redaction/redactor-of.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { ajvValidator } from "../schema/ajv-validator.ts";
import { SchemaCache } from "../schema/schema-cache.ts";
import type { SchemaValidator } from "../schema/schema-validator.ts";
import { formatValue } from "../text/format-value.ts";
import type { RetryPolicy } from "../contract/tool-spec.ts";
import { memoryTasks } from "../tasks/memory-tasks.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { Tasks } from "../tasks/tasks.ts";
import { ToolError } from "../contract/tool-error.ts";
import { steadyClock, systemClock, type Clock } from "../time/clock.ts";
import { Drain } from "./call/drain.ts";
import type { CallServices } from "./call/call-state.ts";
import { endNow, execute, failCall, pipelineFor, startRetry } from "./execute.ts";
import type { Hook, Middleware, Repair } from "./call/hook.ts";
import { hookPhases } from "./call/hook-phases.ts";
import { ActiveCalls } from "./call/active-calls.ts";
import type { CallLifecycle } from "./call/call-lifecycle.ts";
import type { ApprovalMode } from "./call/approver.ts";
import { resumeNested } from "./resume/resume-nested.ts";
import { checkRetry } from "../contract/retry-policy.ts";
import type { CallExecutor } from "./call/services.ts";

/** Options of an executor. Only the registry has no default. */
export interface ExecutorOptions {
  readonly registry: ToolRegistry;
  /** Decides which calls may run, and which need approval. Default: `supervised`. */
  readonly policy?: PolicyInput;
  /** Handling of calls for which the policy asks. Default: `interrupt`. */
  readonly onAsk?: ApprovalMode;
  /**
   * A secret of at least 32 random bytes, which encrypts pending calls. Every process that resumes them needs the same
   * key. Default: a random one, so that only this executor can resume them.
   */
  readonly key?: string | Uint8Array;
  /** Store of pending calls, which ensures that each is resumed at most once. Default: `memoryPendingCalls()`. */
  readonly pendingCalls?: PendingCallStore;
  /** Store of approvals for more than one call. Default: `memoryGrants()`. */
  readonly grants?: GrantStore;
  /** Receives every decision. Default: none. */
  readonly audit?: AuditSink;
  /** Host code around every call, in order of priority; a function alone is a middleware. */
  readonly hooks?: readonly (Hook | Middleware)[];
  /** Milliseconds for one answer of a hook, or of `repair`. 0: no limit. Default: 10,000. */
  readonly hookTimeoutMs?: number;
  /** Milliseconds for one attempt of a tool without a timeout. 0: none. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Maximum timeout of an attempt in milliseconds. 0: no maximum. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /**
   * Retry policy for failed attempts, of tools without a policy of their own and of all tools of untrusted sources.
   * Only tools that a trusted source calls idempotent or read-only are retried, unless `retryNonIdempotent` is set
   * here. Default: no retries.
   */
  readonly retry?: RetryPolicy;
  /** Bytes of content that a model gets of one result, in UTF-8. Default: 50,000. */
  readonly maxOutputBytes?: number;
  /** Handling of larger results, and of binary content. */
  readonly largeOutputs?: LargeOutputs;
  /** Where large and binary outputs are kept. Default: `memoryArtifacts()`. */
  readonly artifacts?: ArtifactStore;
  /** Where tasks are kept. Default: `memoryTasks()`. */
  readonly tasks?: TaskStore;
  /**
   * Redaction of everything that leaves the executor: registered secrets, and text in the format of a credential.
   * false: no redaction. Default: both.
   */
  readonly redact?: RedactionOptions | false;
  /**
   * Puts the output of a tool, as the model reads it, between two lines that mark it as data, and breaks up the control
   * tokens of chat formats in it. Not for tools that a trusted source calls closed (`openWorldHint: false`). This only
   * makes it less likely that injected instructions are followed. Default: false.
   */
  readonly frameOutputs?: boolean;
  /** Includes arguments and outputs in events, redacted. Default: false. */
  readonly eventPayloads?: boolean;
  /** Number of events that are kept for readers that reconnect: `executor.events({ after })`. Default: 0, none. */
  readonly eventBacklog?: number;
  /** Arguments that the schema does not name: as the schema says (default), dropped, or refused. */
  readonly undeclaredArguments?: "schema" | "strip" | "reject";
  /**
   * Unwraps arguments that are not valid: a code fence, JSON within a JSON string, an envelope such as `{"arguments":
   * {…}}`. Used only if the unwrapped arguments are valid. Default: false.
   */
  readonly normaliseArguments?: boolean;
  /** Called once per call for arguments in place of those that are not valid. */
  readonly repair?: Repair;
  /**
   * Handling of a run whose model sends arguments that are not valid: the model reads the error (`return`), or the run
   * is also cancelled (`fail`). Default: `return`.
   */
  readonly onInvalidCall?: "return" | "fail";
  /** Rates and concurrency of all calls together. Default: no limits. */
  readonly limits?: ExecutorLimits;
  /** Where rates are counted. Default: in memory. */
  readonly rateLimits?: RateLimitStore;
  /** Default: Ajv, loaded when first needed. */
  readonly validator?: SchemaValidator;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

const optionNames: readonly string[] = [
  "registry",
  "policy",
  "onAsk",
  "key",
  "pendingCalls",
  "grants",
  "audit",
  "hooks",
  "hookTimeoutMs",
  "retry",
  "timeoutMs",
  "maxTimeoutMs",
  "maxOutputBytes",
  "largeOutputs",
  "artifacts",
  "tasks",
  "redact",
  "frameOutputs",
  "eventPayloads",
  "eventBacklog",
  "undeclaredArguments",
  "normaliseArguments",
  "repair",
  "onInvalidCall",
  "limits",
  "rateLimits",
  "validator",
  "clock",
] satisfies readonly (keyof ExecutorOptions)[];

/**
 * Creates the services that the stages share from an executor's options.
 *
 * @throws ToolError `internal` when an option is not valid.
 */
export function createServices(executor: CallExecutor, options: ExecutorOptions): CallServices {
  checkOptions("new ToolExecutor", options, optionNames);
  // Not by class: the registry may come from another copy of this package.
  if (typeof options.registry?.toolset !== "function") {
    throw new ToolError(
      "internal",
      "new ToolExecutor needs a registry: { registry: new ToolRegistry([…]) }.",
    );
  }
  const wallClock = options.clock ?? systemClock;
  const clock = options.clock ?? steadyClock;
  const activeCalls = new ActiveCalls<CallLifecycle>(clock);
  const secret = new Secret(options.key);
  const largeOutputs = checkedLargeOutputs(options.largeOutputs);
  const configured = {
    hooks: hookPhases(options.hooks),
    ...createRedaction(options.redact, options.registry),
    frameOutputs: options.frameOutputs === true,
    normaliseArguments: options.normaliseArguments === true,
    repair: repairOf(options.repair),
    onInvalidCall: onInvalidCall(options.onInvalidCall ?? "return"),
    ...enforced(options.limits ?? {}, options.rateLimits, clock),
  };
  return {
    ...configured,
    pipeline: pipelineFor(configured, false),
    limitedPipeline: pipelineFor(configured, true),
    executor,
    execute,
    failCall,
    endNow,
    resume: resumeNested,
    startRetry,
    registry: options.registry,
    policies: compilePolicy(options.policy ?? "supervised"),
    onAsk: onAskOf(options.onAsk ?? "interrupt"),
    clock,
    wallClock,
    timeoutMs: atLeastZero("timeoutMs", options.timeoutMs ?? 60_000),
    maxTimeoutMs: atLeastZero("maxTimeoutMs", options.maxTimeoutMs ?? 600_000),
    maxOutputBytes: Math.max(
      0,
      atLeastZero("maxOutputBytes", options.maxOutputBytes ?? 50_000) - frameOf(options),
    ),
    largeOutputs,
    artifacts: new Artifacts(
      store("artifacts", options.artifacts ?? memoryArtifacts({ clock: wallClock }), [
        "put",
        "head",
        "read",
        "delete",
      ]),
      wallClock,
      largeOutputs.lifetimeMs,
    ),
    tasks: new Tasks(
      store("tasks", options.tasks ?? memoryTasks(wallClock), ["add", "change", "get", "list"]),
      wallClock,
    ),
    undeclaredArguments: undeclared(options.undeclaredArguments ?? "schema"),
    hookTimeoutMs: atLeastZero("hookTimeoutMs", options.hookTimeoutMs ?? 10_000),
    retry: retryOf(options.retry),
    schemas: new SchemaCache(options.validator ?? ajvValidator()),
    activeCalls,
    drain: new Drain(clock, activeCalls),
    events: new EventStream(
      wallClock,
      options.eventPayloads === true,
      backlogOf(options.eventBacklog),
    ),
    seal: new Seal(secret),
    grantSeal: new GrantSeal(secret),
    argumentsHash: new ArgumentsHash(secret),
    idempotencyKeys: new IdempotencyKeys(secret),
    pendingCalls: store("pendingCalls", options.pendingCalls ?? memoryPendingCalls(wallClock), [
      "add",
      "claim",
      "finish",
    ]),
    liveCalls: new LocalCalls(),
    grants: store("grants", options.grants ?? memoryGrants(), ["add", "list", "revoke"]),
    audit: options.audit === undefined ? undefined : new Audit(options.audit),
  };
}

/** The lines around a framed output count towards the limit. */
function frameOf({ frameOutputs }: ExecutorOptions): number {
  return frameOutputs === true ? frameBytes : 0;
}

function store<Store extends object>(
  option: string,
  store: Store,
  methods: readonly (keyof Store & string)[],
): Store {
  for (const method of methods) {
    if (typeof (store as Store | null)?.[method] !== "function") {
      throw new ToolError("internal", `${option} is no such store: it has no ${method}().`);
    }
  }
  return store;
}

function retryOf(retry: RetryPolicy | undefined): RetryPolicy | undefined {
  if (retry === undefined) return undefined;
  checkRetry("new ToolExecutor: retry", retry);
  return { ...retry };
}

function backlogOf(given = 0): number {
  if (Number.isInteger(given) && given >= 0) return given;
  throw new ToolError(
    "internal",
    `eventBacklog is ${formatValue(given)}; use a whole number, or 0 to keep none.`,
  );
}

function repairOf(repair: Repair | undefined): Repair | undefined {
  if (repair === undefined || typeof repair === "function") return repair;
  throw new ToolError("internal", "repair is no function: use repair: ({ arguments }) => ….");
}

function onAskOf(value: ApprovalMode): ApprovalMode {
  if (value === "interrupt" || value === "deny" || typeof value === "function") return value;
  throw new ToolError(
    "internal",
    `onAsk is ${formatValue(value)}; use "interrupt", "deny" or a function that decides.`,
  );
}

function undeclared(value: "schema" | "strip" | "reject"): "schema" | "strip" | "reject" {
  if (value === "schema" || value === "strip" || value === "reject") return value;
  throw new ToolError(
    "internal",
    `undeclaredArguments is ${formatValue(value)}; use "schema", "strip" or "reject".`,
  );
}

function onInvalidCall(value: "return" | "fail"): "return" | "fail" {
  if (value === "return" || value === "fail") return value;
  throw new ToolError("internal", `onInvalidCall is "${String(value)}"; use "return" or "fail".`);
}

function atLeastZero(option: string, value: number): number {
  if (isAtLeastZero(value)) return value;
  throw new ToolError("internal", `${option} is ${formatValue(value)}; use 0 or more.`);
}
