import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import { Artifacts } from "../artifacts/artifacts.ts";
import { checkedLargeOutputs, type LargeOutputs } from "../artifacts/large-outputs.ts";
import { memoryArtifacts } from "../artifacts/memory-artifacts.ts";
import { ArgumentsHash } from "../approvals/arguments-hash.ts";
import { GrantSeal } from "../approvals/grant-seal.ts";
import type { GrantStore } from "../approvals/grant-store.ts";
import { LocalCalls } from "./call/local-calls.ts";
import { memoryGrants } from "../approvals/memory-grants.ts";
import { memoryPendingCalls } from "../approvals/memory-pending-calls.ts";
import type { PendingCallStore } from "../approvals/pending-call-store.ts";
import { Seal } from "../approvals/seal.ts";
import { IdempotencyKeys } from "../approvals/idempotency-key.ts";
import { Secret } from "../approvals/secret.ts";
import { Audit } from "../audit/audit.ts";
import type { AuditSink } from "../audit/audit-sink.ts";
import { checkOptions, isAtLeastZero } from "../contract/check-options.ts";
import { EventStream } from "../events/event-stream.ts";
import { frameBytes } from "../framing/frame.ts";
import { enforced, type ExecutorLimits } from "../limits/executor-limits.ts";
import type { RateLimitStore } from "../limits/rate-limit-store.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import type { PolicyInput } from "../contract/policy-definition.ts";
import type { RedactionOptions } from "../redaction/redaction-options.ts";
import { createRedaction } from "../redaction/redactor-of.ts";
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
import type { CallServices, CallState } from "./call/call-state.ts";
import { execute, failCall, pipelineFor, startRetry } from "./execute.ts";
import type { Hook, Middleware } from "./call/hook.ts";
import { hookPhases } from "./call/hook-phases.ts";
import { ActiveCalls } from "./call/active-calls.ts";
import type { OnAsk } from "./call/approver.ts";
import type { Repair } from "./call/repair.ts";
import { resumeNested } from "./resume/resume-nested.ts";
import { checkRetry } from "../contract/retry-policy.ts";
import type { CallExecutor } from "./call/services.ts";

/** What an executor is made with. Only the registry has no default. */
export interface ExecutorOptions {
  readonly registry: ToolRegistry;
  /** What may run, and what asks first. Default: `supervised`. */
  readonly policy?: PolicyInput;
  /** What happens when the policy asks. Default: `interrupt`. */
  readonly onAsk?: OnAsk;
  /**
   * A secret of at least 32 random bytes, which seals the calls that wait for a person. Every process
   * that is to resume them needs the same. Default: a random one, so that only this executor can.
   */
  readonly key?: string | Uint8Array;
  /**
   * Where calls wait for a person, and what makes sure that each goes on at most once. Default:
   * `memoryPendingCalls()`.
   */
  readonly pendingCalls?: PendingCallStore;
  /** What people have agreed to for more than one call. Default: `memoryGrants()`. */
  readonly grants?: GrantStore;
  /** Is told of every decision. Default: nobody. */
  readonly audit?: AuditSink;
  /** Host code around every call, in the order of its priority; a function alone is a middleware. */
  readonly hooks?: readonly (Hook | Middleware)[];
  /** Milliseconds for one answer of a hook, or of `repair`. 0: no limit. Default: 10,000. */
  readonly hookTimeoutMs?: number;
  /** Milliseconds for one attempt of a tool that names no timeout. 0: none. Default: 60,000. */
  readonly timeoutMs?: number;
  /** No attempt gets more milliseconds than this. 0: no cap. Default: 600,000. */
  readonly maxTimeoutMs?: number;
  /**
   * When failed attempts are made again, of tools that name no policy of their own and of all whose
   * source is not trusted. Only tools that a trusted source calls idempotent or read-only are run
   * twice, unless `evenIfNotIdempotent` is set here. Default: never.
   */
  readonly retry?: RetryPolicy;
  /** Bytes of content that a model gets of one result, in UTF-8. Default: 50,000. */
  readonly maxOutputBytes?: number;
  /** What becomes of more than that, and of binary content. */
  readonly largeOutputs?: LargeOutputs;
  /** Where large and binary outputs are kept. Default: `memoryArtifacts()`. */
  readonly artifacts?: ArtifactStore;
  /** Where tasks are kept. Default: `memoryTasks()`. */
  readonly tasks?: TaskStore;
  /**
   * What is taken out of everything that leaves the executor: secrets that were registered, and what
   * has the form of a credential. false: nothing. Default: both.
   */
  readonly redact?: RedactionOptions | false;
  /**
   * What a model reads of a tool's answer stands between two lines that name it as data, and the
   * control tokens of chat formats in it are broken up. Not for tools that a trusted source calls
   * closed (`openWorldHint: false`). It makes injected instructions less likely to be followed, no
   * more. Default: false.
   */
  readonly frameOutputs?: boolean;
  /** Events carry arguments and outputs, redacted. Default: false. */
  readonly eventPayloads?: boolean;
  /**
   * How many events are kept for readers who come back: `executor.events({ after })`. Default: 0, and
   * nothing is.
   */
  readonly eventBacklog?: number;
  /** Arguments that the schema does not name: as the schema says (default), dropped, or refused. */
  readonly undeclaredArguments?: "schema" | "strip" | "reject";
  /**
   * Arguments that are not valid are tried again without their wrapping: a code fence, JSON within a
   * JSON text, an envelope such as `{"arguments": {…}}`. Kept only if that makes them valid.
   * Default: false.
   */
  readonly normaliseArguments?: boolean;
  /** Is asked, once a call, for arguments in place of those that are not valid. */
  readonly repair?: Repair;
  /**
   * What becomes of a run whose model sends arguments that are not valid: the model reads what is
   * wrong with them (`return`), or the run is cancelled, too (`fail`). Default: `return`.
   */
  readonly onInvalidCall?: "return" | "fail";
  /** Rates and concurrency of all calls together. Default: none. */
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
 * What the stages share, made of an executor's options.
 *
 * @throws ToolError `internal` when an option makes no sense.
 */
export function createServices(executor: CallExecutor, options: ExecutorOptions): CallServices {
  checkOptions("new ToolExecutor", options, optionNames);
  // Not by class: the registry may be of another copy of this package.
  if (typeof options.registry?.toolset !== "function") {
    throw new ToolError(
      "internal",
      "new ToolExecutor needs a registry: { registry: new ToolRegistry([…]) }.",
    );
  }
  const wallClock = options.clock ?? systemClock;
  const clock = options.clock ?? steadyClock;
  const activeCalls = new ActiveCalls<CallState>(clock);
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
    leave: failCall,
    resume: resumeNested,
    retries: startRetry,
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

/** What stands around a framed answer counts, too. */
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

function onAskOf(value: OnAsk): OnAsk {
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
