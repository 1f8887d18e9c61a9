import { memoryGrants, type GrantStore } from "../contract/grant.ts";
import { localPendingCalls } from "../approvals/memory-pending-calls.ts";
import type { PendingCallStore } from "../approvals/pending-call-store.ts";
import type { ArtifactStore } from "../artifacts/artifact-store.ts";
import type { LargeOutputs } from "../artifacts/large-outputs.ts";
import { memoryArtifacts } from "../artifacts/memory-artifacts.ts";
import type { AuditSink } from "../audit/audit-sink.ts";
import { checkOptions, type OptionCheck } from "../contract/check-options.ts";
import {
  atLeastZero,
  callback,
  clock,
  flag,
  oneOf,
  valueThat,
  wholeFrom,
  withMethods,
} from "../contract/option-checks.ts";
import type { PolicyInput } from "../contract/policy-definition.ts";
import { checkRetry } from "../contract/retry-policy.ts";
import type { RetryPolicy } from "../contract/tool-spec.ts";
import type { ExecutorLimits } from "../limits/executor-limits.ts";
import type { CallLedger } from "../ledger/call-ledger.ts";
import type { RateLimitStore } from "../limits/rate-limits.ts";
import type { RedactionOptions } from "../redaction/create-redaction.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { ajvValidator } from "../schema/ajv-validator.ts";
import type { SchemaValidator } from "../schema/schema-validator.ts";
import { memoryTasks } from "../tasks/memory-tasks.ts";
import type { TaskStore } from "../tasks/task-store.ts";
import { systemClock, type Clock } from "../time/clock.ts";
import type { ApprovalMode } from "./call/approver.ts";
import type { Hook, Middleware, Repair } from "./call/hook.ts";

/** Options of an executor. Only the registry has no default. */
export interface ExecutorOptions {
  /** The tools that can be called. */
  readonly registry: ToolRegistry;
  /** Decides which calls may run, and which need approval. Default: `supervised`. */
  readonly policy?: PolicyInput;
  /** Handling of calls for which the policy asks. Default: `interrupt`. */
  readonly onAsk?: ApprovalMode;
  /**
   * A secret of at least 32 random bytes, which encrypts pending calls. Every process that resumes them needs the same
   * key, and the same `pendingCalls`. Default: a random one, so that only this executor can resume them.
   */
  readonly key?: string | Uint8Array;
  /**
   * Store of pending calls, which ensures that each is resumed at most once. Executors with the same `key` need the same
   * store: with a store of its own, each would run the call once. Default: `memoryPendingCalls()`, with a process
   * warning (`TOOLWEAVE_UNSHARED_STORE`) when a call of another process is resumed.
   */
  readonly pendingCalls?: PendingCallStore;
  /**
   * Store of approvals for more than one call. `false`: an approval holds for one call, and no other one is offered; for
   * hosts that cannot tell their callers apart. Default: `memoryGrants()`.
   */
  readonly grants?: GrantStore | false;
  /** Receives every decision. Default: none. */
  readonly audit?: AuditSink;
  /** Host code around every call, in order of priority; a function alone is a middleware. Default: none. */
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
  /** Handling of larger results, and of binary content. Default: the defaults of `LargeOutputs`. */
  readonly largeOutputs?: LargeOutputs;
  /** Where large and binary outputs are kept. Default: `memoryArtifacts()`. */
  readonly artifacts?: ArtifactStore;
  /** Where tasks are kept. Default: `memoryTasks()`. */
  readonly tasks?: TaskStore;
  /**
   * Redaction of everything that leaves the executor: registered secrets, and text in the format of a credential.
   * `false`: no redaction. Default: both.
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
  /** Number of events that are kept for readers that reconnect: `executor.events({ after })`. Default: 0. */
  readonly eventBacklog?: number;
  /**
   * Arguments that the schema does not name: as the schema says (`schema`), dropped (`strip`), or refused (`reject`).
   * Default: `schema`.
   */
  readonly undeclaredArguments?: "schema" | "strip" | "reject";
  /**
   * Unwraps arguments that are not valid: a code fence, JSON within a JSON string, an envelope such as `{"arguments":
   * {…}}`. Used only if the unwrapped arguments are valid. Default: false.
   */
  readonly normaliseArguments?: boolean;
  /** Called once per call for arguments in place of those that are not valid. Default: none. */
  readonly repair?: Repair;
  /**
   * Handling of a run whose model sends arguments that are not valid: the model reads the error (`return`), or the run
   * is also cancelled (`fail`). Default: `return`.
   */
  readonly onInvalidCall?: "return" | "fail";
  /** Rates and concurrency of all calls together. Default: none. */
  readonly limits?: ExecutorLimits;
  /** Where rates are counted. Default: `memoryRateLimits()`. */
  readonly rateLimits?: RateLimitStore;
  /**
   * Ensures that each call of a durable run (`startRun({ durable: true })`) starts at most once, over all processes that
   * share the ledger. Requires a `key`, the same in all of them. Default: none, and no run can be durable.
   */
  readonly ledger?: CallLedger;
  /** Validates arguments and outputs against their schemas. Default: Ajv, loaded when first needed. */
  readonly validator?: SchemaValidator;
  /** Time and timers; another clock makes time testable. Default: the platform's. */
  readonly clock?: Clock;
}

/** The options that may be absent without a value in their place. */
type AbsentOption =
  | "key"
  | "audit"
  | "hooks"
  | "retry"
  | "largeOutputs"
  | "redact"
  | "repair"
  | "rateLimits"
  | "ledger"
  | "clock";

/** The options of an executor, with their defaults. */
export type CheckedOptions = Required<Omit<ExecutorOptions, AbsentOption>> &
  Pick<ExecutorOptions, AbsentOption>;

interface RequiredRow {
  readonly required: true;
  readonly check: OptionCheck;
}

/** Without `check`: the function that converts the value checks it, such as `compilePolicy`. */
interface AbsentRow {
  readonly check?: OptionCheck;
}

type DefaultRow<Value> = AbsentRow &
  ({ readonly default: Value } | { readonly create: (clock: Clock) => Value });

type OptionTable = {
  readonly [Name in keyof Required<ExecutorOptions>]: Name extends "registry"
    ? RequiredRow
    : Name extends AbsentOption
      ? AbsentRow
      : DefaultRow<Required<ExecutorOptions>[Name]>;
};

const grantStore = withMethods("a store, or false", "add", "list", "revoke");

/** Every option of an executor: its default and its check. An option that is not in this table is refused. */
export const executorOptions: OptionTable = {
  registry: {
    required: true,
    // Not by class: the registry may come from another copy of this package.
    check: withMethods("registry: new ToolRegistry([…])", "toolset"),
  },
  policy: { default: "supervised" },
  onAsk: {
    default: "interrupt",
    check: valueThat(
      (value) => value === "interrupt" || value === "deny" || typeof value === "function",
      '"interrupt", "deny" or a function that decides',
    ),
  },
  key: {},
  pendingCalls: {
    create: localPendingCalls,
    check: withMethods("a store", "add", "claim", "finish"),
  },
  grants: {
    create: () => memoryGrants(),
    check: {
      check: (name, value) => {
        if (value !== false) grantStore.check(name, value);
      },
    },
  },
  audit: {},
  hooks: {},
  hookTimeoutMs: { default: 10_000, check: atLeastZero },
  timeoutMs: { default: 60_000, check: atLeastZero },
  maxTimeoutMs: { default: 600_000, check: atLeastZero },
  retry: {
    check: {
      check: (name, value) => checkRetry(`new ToolExecutor: ${name}`, value as RetryPolicy),
    },
  },
  maxOutputBytes: { default: 50_000, check: atLeastZero },
  largeOutputs: {},
  artifacts: {
    create: (clock) => memoryArtifacts({ clock }),
    check: withMethods("a store", "put", "head", "read", "delete"),
  },
  tasks: {
    create: memoryTasks,
    check: withMethods("a store", "add", "change", "get", "list"),
  },
  redact: {},
  frameOutputs: { default: false, check: flag },
  eventPayloads: { default: false, check: flag },
  eventBacklog: { default: 0, check: wholeFrom(0) },
  undeclaredArguments: { default: "schema", check: oneOf("schema", "strip", "reject") },
  normaliseArguments: { default: false, check: flag },
  repair: { check: callback },
  onInvalidCall: { default: "return", check: oneOf("return", "fail") },
  limits: { default: {} },
  rateLimits: {
    check: withMethods("a store such as memoryRateLimits()", "reserve", "commit", "release"),
  },
  ledger: { check: withMethods("a store", "begin", "end") },
  validator: { create: () => ajvValidator(), check: withMethods("a validator", "compile") },
  clock: { check: clock },
};

type AnyRow = Partial<RequiredRow> & {
  readonly default?: unknown;
  readonly create?: (clock: Clock) => unknown;
};

/**
 * Checks the options of an executor, and adds the defaults of those that are absent.
 *
 * @throws ToolError `invalid_configuration` when an option is unknown or not valid.
 */
export function readOptions(options: ExecutorOptions): CheckedOptions {
  checkOptions("new ToolExecutor", options, Object.keys(executorOptions));
  const ticking = options.clock ?? systemClock;
  const checked: Record<string, unknown> = {};
  for (const [name, row] of Object.entries<AnyRow>(executorOptions)) {
    const given = options[name as keyof ExecutorOptions];
    const value = given ?? row.default ?? row.create?.(ticking) ?? given;
    if (value !== undefined || row.required === true) row.check?.check(name, value);
    checked[name] = value;
  }
  return checked as unknown as CheckedOptions;
}
