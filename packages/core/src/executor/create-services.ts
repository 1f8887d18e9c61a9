import { Artifacts } from "../artifacts/artifacts.ts";
import { checkedLargeOutputs } from "../artifacts/large-outputs.ts";
import { ArgumentsHash, Secret, IdempotencyKeys } from "../approvals/secret.ts";
import { noGrants } from "../contract/grant.ts";
import { GrantSeal } from "../approvals/matching-grants.ts";
import { LocalCalls } from "./call/local-calls.ts";
import { Seal } from "../approvals/seal.ts";
import { Audit } from "../audit/audit.ts";
import { EventStream } from "../events/event-stream.ts";
import { frameBytes } from "./call/framed-content.ts";
import { ToolError } from "../contract/tool-error.ts";
import { enforced } from "../limits/executor-limits.ts";
import { compilePolicy } from "../policy/compile-policy.ts";
import { createRedaction } from "../redaction/create-redaction.ts";
import { SchemaCache } from "../schema/schema-cache.ts";
import { Tasks } from "../tasks/tasks.ts";
import { steadyClock, systemClock } from "../time/clock.ts";
import { Drain } from "./call/drain.ts";
import type { CallServices } from "./call/call-state.ts";
import { abandonCall } from "./abandon-call.ts";
import { endNow, execute, failCall, pipelineFor, startRetry } from "./execute.ts";
import { hookPhases } from "./call/hook-phases.ts";
import { ActiveCalls } from "./call/active-calls.ts";
import type { CallLifecycle } from "./call/call-lifecycle.ts";
import type { CallExecutor } from "./call/services.ts";
import { readOptions, type ExecutorOptions } from "./executor-options.ts";

/**
 * Creates the services that the stages share from an executor's options.
 *
 * @throws ToolError `invalid_configuration` when an option is not valid.
 */
export function createServices(executor: CallExecutor, options: ExecutorOptions): CallServices {
  const checked = readOptions(options);
  const { registry, frameOutputs, retry } = checked;
  const wallClock = checked.clock ?? systemClock;
  const clock = checked.clock ?? steadyClock;
  const activeCalls = new ActiveCalls<CallLifecycle>(clock);
  const secret = new Secret(checked.key);
  if (checked.ledger !== undefined && !secret.shared) {
    throw new ToolError(
      "invalid_configuration",
      "new ToolExecutor: ledger needs a key, the same in every process: without it, they could not compare the arguments of a call.",
    );
  }
  const largeOutputs = checkedLargeOutputs(checked.largeOutputs);
  const configured = {
    hooks: hookPhases(checked.hooks),
    ...createRedaction(checked.redact, registry),
    frameOutputs: frameOutputs === true,
    normaliseArguments: checked.normaliseArguments === true,
    repair: checked.repair,
    onInvalidCall: checked.onInvalidCall,
    ledger: checked.ledger,
    ...enforced(checked.limits, checked.rateLimits, clock),
  };
  return {
    ...configured,
    pipeline: pipelineFor(configured, false),
    limitedPipeline: pipelineFor(configured, true),
    executor,
    execute,
    failCall,
    endNow,
    abandonCall,
    resume: async (...nested) => (await import("./resume/resume.ts")).resumeNested(...nested),
    startRetry,
    registry,
    policies: compilePolicy(checked.policy),
    onAsk: checked.onAsk,
    clock,
    wallClock,
    timeoutMs: checked.timeoutMs,
    maxTimeoutMs: checked.maxTimeoutMs,
    // The lines around a framed output count towards the limit.
    maxOutputBytes: Math.max(0, checked.maxOutputBytes - (frameOutputs === true ? frameBytes : 0)),
    largeOutputs,
    artifacts: new Artifacts(checked.artifacts, wallClock, largeOutputs.lifetimeMs),
    tasks: new Tasks(checked.tasks, wallClock),
    undeclaredArguments: checked.undeclaredArguments,
    hookTimeoutMs: checked.hookTimeoutMs,
    retry: retry === undefined ? undefined : { ...retry },
    schemas: new SchemaCache(checked.validator),
    activeCalls,
    drain: new Drain(clock, activeCalls),
    events: new EventStream(wallClock, checked.eventPayloads === true, checked.eventBacklog),
    seal: new Seal(secret),
    grantSeal: new GrantSeal(secret),
    argumentsHash: new ArgumentsHash(secret),
    idempotencyKeys: new IdempotencyKeys(secret),
    pendingCalls: checked.pendingCalls,
    liveCalls: new LocalCalls(),
    grants: checked.grants === false ? noGrants : checked.grants,
    audit: checked.audit === undefined ? undefined : new Audit(checked.audit),
  };
}
