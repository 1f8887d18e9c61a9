import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import type { Interruption } from "../spec/interruption.ts";
import type { JsonObject } from "../spec/json.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import type { Execution } from "./execution.ts";
import type { Interrupted } from "./interrupted.ts";
import { jsonValue } from "./json-value.ts";

/** How long an interruption can be answered. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** Puts a call aside until a person has answered. */
export async function interrupt(
  execution: Execution,
  { requests, suspension }: Interrupted,
): Promise<ToolOutcome> {
  const { engine, run, call, tool, resumption } = execution;
  execution.ended = true;
  // Copies, all of it: neither the tool nor whoever shows it to a person changes what is kept.
  const admitted = plainCopy(execution.admitted as JsonObject);
  const finalArguments = canonicalJson(execution.args);
  const suspendedState =
    suspension === undefined ? undefined : plainCopy(jsonValue(suspension.state));
  const interruption: Interruption = plainCopy({
    id: crypto.randomUUID(),
    runId: run.id,
    call: { ...call, arguments: execution.args as JsonObject },
    specHash: await sha256(canonicalJson(tool.spec)),
    requests,
    expiresAt: engine.clock.now() + lifetimeMs,
    state: crypto.randomUUID(),
  });
  // What was agreed to before the tool asked to wait stays agreed to when it goes on.
  const approval = suspension === undefined ? undefined : execution.approval;
  engine.pending.expire(engine.clock.now());
  engine.pending.add({
    interruption,
    run,
    call: { ...call },
    policies: execution.policies,
    toolset: execution.toolset,
    admitted,
    finalArguments,
    attempt: execution.attempt === 0 ? (resumption?.attempt ?? 1) - 1 : execution.attempt,
    ...(approval === undefined ? {} : { approval }),
    ...(suspendedState === undefined ? {} : { suspendedState }),
    ...(resumption?.suspended === undefined ? {} : { earlier: resumption.suspended }),
  });
  if (suspension === undefined) {
    engine.events.emitCall(execution, {
      type: "tool.interrupted",
      interruptionId: interruption.id,
    });
  } else {
    engine.events.emitCall(execution, {
      type: "tool.suspended",
      interruptionId: interruption.id,
      attempt: execution.attempt,
      durationMs: Math.max(0, engine.clock.now() - execution.startedAt),
    });
  }
  return { status: "interrupted", interruption: plainCopy(interruption) };
}

function plainCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
