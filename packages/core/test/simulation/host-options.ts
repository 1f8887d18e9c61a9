import {
  text,
  type Approver,
  type ExecutorOptions,
  type Hook,
  type HookedCall,
  type ApprovalMode,
  type PolicyInput,
  type PolicyLayerInput,
  type Repair,
} from "@toolweave/core";
import {
  memoryArtifacts,
  memoryGrants,
  memoryRateLimits,
  type ArtifactStore,
  type AuditSink,
  type GrantStore,
  type PendingCallStore,
  type RateLimitStore,
  type TaskStore,
} from "@toolweave/core/stores";
import { key } from "../support/pending-call-stores.ts";
import type { Host } from "./host.ts";
import type { HookPlan, HostDoes, LayerPlan, Plan } from "./plan.ts";
import { answering, forged, secret, type Environment } from "./environment.ts";

const never = (): Promise<never> => new Promise(() => {});

/** Every option of an executor except its registry. */
export function hostOptions(
  host: Host,
  plan: Plan,
  store: PendingCallStore,
  tasks: TaskStore,
): Omit<ExecutorOptions, "registry"> {
  const { environment } = host;
  const given = plan.host;
  const { retries, concurrency, rate, audit, repair } = given;
  const limits = {
    ...(rate === undefined
      ? {}
      : {
          rates: [
            {
              calls: rate.calls,
              windowMs: rate.windowMs,
              per: rate.per,
              ...(rate.spend === undefined ? {} : { spend: rate.spend }),
            },
          ],
        }),
    ...(concurrency === undefined
      ? {}
      : {
          concurrency: {
            ...(concurrency.max === undefined ? {} : { max: concurrency.max }),
            ...(concurrency.perTool === undefined ? {} : { perTool: concurrency.perTool }),
            ...(concurrency.perSource === undefined ? {} : { perSource: concurrency.perSource }),
            ...(concurrency.exclusive ? { exclusive: "t1" } : {}),
          },
        }),
  };
  return {
    clock: environment.clock,
    key,
    pendingCalls: store,
    tasks,
    policy: createPolicy(host, given.policy),
    onAsk: createApprovalMode(host, given.onAsk),
    hooks: given.hooks.map((hook) => createHook(host, hook)),
    hookTimeoutMs: given.hookTimeoutMs,
    timeoutMs: 100,
    maxTimeoutMs: 400,
    ...(retries === undefined
      ? {}
      : {
          retry: {
            attempts: retries.attempts,
            initialDelayMs: 10,
            retryNonIdempotent: retries.any,
          },
        }),
    limits,
    rateLimits: createRateLimits(host, plan),
    grants: createGrants(environment, plan),
    artifacts: createArtifacts(environment, plan),
    ...(audit === "none" ? {} : { audit: createAudit(host, plan) }),
    normaliseArguments: given.normalises,
    ...(repair === "none" ? {} : { repair: createRepair(host, plan, repair) }),
    onInvalidCall: given.onInvalidCall,
    undeclaredArguments: given.undeclared,
    maxOutputBytes: given.maxOutputBytes,
  };
}

/** A store for pending calls that is as reliable as the plan allows. */
export function pendingStore(
  environment: Environment,
  plan: Plan,
  inner: PendingCallStore,
): PendingCallStore {
  const answer = answering(environment, plan.host.faults.pending);
  const ends = answering(
    environment,
    // Only the store could ever end that wait.
    plan.host.faults.pending.map((fault) => (fault === "hangs" ? "slow" : fault)),
  );
  return {
    add: (interruption) => answer(() => inner.add(interruption)),
    claim: (interruption) => answer(() => inner.claim(interruption)) as never,
    finish: (id) => ends(() => inner.finish(id)),
    get: (id) => inner.get(id),
    list: () => inner.list(),
    now: () => answer(() => inner.now?.() ?? environment.clock.now()) as never,
  };
}

/** A store of tasks that is as reliable as the plan allows. */
export function taskStore(environment: Environment, plan: Plan, inner: TaskStore): TaskStore {
  const answer = answering(environment, plan.host.faults.tasks);
  return {
    add: (task) => answer(() => inner.add(task)),
    change: (id, change) => answer(() => inner.change(id, change)) as never,
    get: (id) => answer(() => inner.get(id)) as never,
    list: (owner) => answer(() => inner.list(owner)) as never,
  };
}

function createArtifacts(environment: Environment, plan: Plan): ArtifactStore {
  const inner = memoryArtifacts({ clock: environment.clock });
  const answer = answering(environment, plan.host.faults.artifacts);
  return {
    put: (artifact, data) => answer(() => inner.put(artifact, data)),
    head: (artifact) => answer(() => inner.head(artifact)) as never,
    read: (artifact, offset, length) => answer(() => inner.read(artifact, offset, length)) as never,
    delete: (artifact) => answer(() => inner.delete(artifact)),
  };
}

function createGrants(environment: Environment, plan: Plan): GrantStore {
  const inner = memoryGrants();
  const answer = answering(environment, plan.host.faults.grants);
  return {
    add: (grant) => answer(() => inner.add(grant)),
    list: (tool) => answer(() => inner.list(tool)) as never,
    revoke: (id) => inner.revoke(id),
  };
}

/** Records the reservations that are neither committed nor released. */
function createRateLimits({ environment, reservations }: Host, plan: Plan): RateLimitStore {
  const inner = memoryRateLimits(environment.clock);
  const answer = answering(environment, plan.host.faults.rates);
  const settle = (id: string): void => {
    if (!reservations.delete(id)) environment.violation(`reservation ${id} was settled twice`);
  };
  return {
    reserve: (requests) =>
      answer(() => {
        const reservation = inner.reserve(requests) as { granted: boolean; id: string };
        if (reservation.granted) reservations.add(reservation.id);
        return reservation;
      }) as never,
    commit: (id) => (settle(id), answer(() => inner.commit(id))),
    release: (id) => (settle(id), answer(() => inner.release(id))),
  };
}

function createAudit({ environment, audited }: Host, plan: Plan): AuditSink {
  const answer = answering(environment, plan.host.faults.audit);
  return {
    required: plan.host.audit === "required",
    write: (record) => answer(() => void audited.push(record)),
  };
}

/** The answers of host code: `passes` and `acts` are its own. */
function does<T>(environment: Environment, how: HostDoes, passes: T, acts: T): T | Promise<T> {
  switch (how) {
    case "passes":
      return passes;
    case "acts":
      return acts;
    case "throws":
      throw new Error(secret);
    case "hangs":
      return never();
    case "slow":
      return environment.wait(9).then(() => acts);
    case "garbage":
      return { garbage: true } as never;
  }
}

function createPolicy(host: Host, layers: readonly LayerPlan[]): PolicyInput {
  return layers.map((layer): PolicyLayerInput => {
    if (layer.layer === "rules") return createRules(layer);
    if (layer.layer !== "function") return layer.layer;
    const { answers } = layer;
    return ({ arguments: args }) => {
      if (!Object.isFrozen(args)) host.environment.violation("a policy function could write");
      switch (answers) {
        case "nothing":
          return undefined;
        case "throws":
          throw new Error(secret);
        case "garbage":
          return { effect: secret } as never;
        case "slow":
          return host.environment.wait(4).then(() => "allow");
        case "hangs":
          return never();
        default:
          return answers;
      }
    };
  });
}

function createRules({ effect, on, tool, always }: Extract<LayerPlan, { layer: "rules" }>) {
  const condition = {
    tool: { tools: [`t${tool}`] },
    permission: { tools: "*", permissions: { kind: ["custom.*", "spend"] } },
    caller: { tools: "*", callers: { id: "ada" } },
    hint: { annotations: { destructiveHint: true } },
    foreign: { provenance: { source: "far" } },
  }[on];
  const rule = { effect, ...condition, ...(effect === "ask" && always ? { ask: "always" } : {}) };
  return { rules: [rule] } as Extract<PolicyLayerInput, object>;
}

function createApprovalMode(host: Host, kind: Plan["host"]["onAsk"]): ApprovalMode {
  if (kind === "interrupt" || kind === "deny") return kind;
  const { environment } = host;
  const approver: Approver = ({ callId, arguments: args, signal }) => {
    if (!Object.isFrozen(args)) environment.violation("an approver could write");
    switch (kind) {
      case "approves":
        return { approved: true, by: "approver" };
      case "grants":
        return { approved: true, grant: "session" };
      case "throws":
        host.refused.add(callId);
        throw new Error(secret);
      case "hangs":
        return never();
      case "slow":
        if (signal.aborted) environment.violation("an approver was called without a request");
        return environment.wait(150).then(() => ({ approved: true }));
      case "rejects":
        host.refused.add(callId);
        return { approved: false, reason: "no" };
      case "garbage":
        host.refused.add(callId);
        return "yes" as never;
    }
  };
  return approver;
}

function createRepair(host: Host, { ops }: Plan, how: HostDoes): Repair {
  // A call that is admitted and then made twice is two calls of one id.
  const isOnce = ops.every(({ what }) => what.op !== "checkAdmission");
  return ({ callId }) => {
    const times = host.times(`repair ${callId}`);
    if (isOnce && times > 1) host.environment.violation(`repair was asked ${times} times`);
    return does<{ n: number; tenant: string } | undefined>(host.environment, how, undefined, {
      n: 1,
      tenant: forged,
    });
  };
}

function createHook(host: Host, { into, does: how, when, priority, timeoutMs }: HookPlan): Hook {
  const { environment } = host;
  const look = (call: HookedCall): void => {
    const names = call.spec.injected?.map(({ name }) => name) ?? [];
    if (names.some((name) => Object.hasOwn(call.arguments, name))) {
      environment.violation(`a hook of ${call.callId} got a forged value`);
    }
    if (!Object.isFrozen(call.arguments)) environment.violation("a hook could write");
  };
  const filter: Pick<Hook, "when"> =
    when === "all"
      ? {}
      : {
          when: () => {
            if (when === "throws") throw new Error(secret);
            return false;
          },
        };
  const common = { priority, ...(timeoutMs === undefined ? {} : { timeoutMs }), ...filter };
  switch (into) {
    case "before":
      return {
        ...common,
        beforeCall: (call) => {
          look(call);
          if (how === "throws" || how === "garbage") host.refused.add(call.callId);
          const other = priority === 0 ? { block: "no" } : { arguments: { n: 3, tenant: forged } };
          if (how === "acts" && priority === 0) host.refused.add(call.callId);
          return does<object | undefined>(environment, how, undefined, other) as never;
        },
      };
    case "around":
      return {
        ...common,
        around: async (call, next) => {
          look(call);
          if (how === "passes") return next();
          if (how === "acts" && priority === 0) return "in its place";
          if (how === "garbage") {
            const first = await next().catch(() => undefined);
            return priority === 0 ? first : next();
          }
          if (how === "slow") {
            void next();
            return environment.wait(2).then(() => "without waiting");
          }
          if (how === "throws") await next().catch(() => {});
          return does<unknown>(environment, how, undefined, await next());
        },
      };
    case "after":
      return {
        ...common,
        afterCall: (call) => {
          look(call);
          const output = { content: [text("redacted")] };
          return does<typeof output | undefined>(environment, how, undefined, output);
        },
      };
    case "updates":
      return {
        ...common,
        beforeUpdate: (call) => {
          look(call);
          return does<null | undefined>(environment, how, undefined, null) as never;
        },
        afterUpdate: () => {
          throw new Error(secret);
        },
      };
  }
}
