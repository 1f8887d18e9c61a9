import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import type { Toolset } from "../registry/toolset.ts";
import type { Answer, Interruption, RejectAnswer } from "../spec/interruption.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
import type { Engine } from "./engine.ts";
import { execute } from "./execute.ts";
import { Execution } from "./execution.ts";
import { followSignal } from "./follow-signal.ts";
import { failure } from "./outcome.ts";
import type { PendingCall } from "./pending-calls.ts";
import { rejection } from "./stages/authorize.ts";
import { ToolRun } from "./tool-run.ts";

/** Goes on with a pending call: at most once, and only as it was agreed to. */
export async function resume(
  engine: Engine,
  advertised: () => Toolset,
  interruption: Interruption,
  answers: readonly Answer[],
  signal: AbortSignal | undefined,
): Promise<ToolOutcome> {
  if (engine.registry.loading) await engine.registry.ready;
  const { state, call } = interruption;
  const pending = engine.pending.peek(state);
  const refuse = (why: string): ToolOutcome => {
    const run = pending?.run ?? new ToolRun(engine, advertised, { id: interruption.runId });
    const execution = new Execution(engine, run, pending?.call ?? call, advertised(), []);
    return failure(execution, new ToolError("approval_invalid", why));
  };
  if (pending === undefined || pending.interruption.id !== interruption.id) {
    return refuse(
      `This interruption of ${call.name} is not pending here: it was answered before, has expired, or belongs to another process.`,
    );
  }
  if (pending.interruption.expiresAt <= engine.clock.now()) {
    engine.pending.claim(state);
    return refuse(`The interruption of ${pending.call.name} has expired; make the call again.`);
  }
  const unanswered = pending.interruption.requests.find(({ id }) => !answerTo(id, answers));
  if (unanswered !== undefined) {
    return refuse(`The request "${unanswered.id}" has no answer; answer every request at once.`);
  }
  const entry = advertised().entry(pending.call.name);
  const changed =
    entry !== undefined &&
    (await sha256(canonicalJson(entry.tool.spec))) !== pending.interruption.specHash;
  // From here on it is this call's own: whoever comes second finds nothing.
  if (engine.pending.claim(state) !== pending) {
    return refuse(`This interruption of ${call.name} was answered before.`);
  }
  if (changed) {
    return refuse(`${pending.call.name} has changed since it was approved; make the call again.`);
  }
  return goOn(engine, advertised(), pending, answers, signal);
}

async function goOn(
  engine: Engine,
  toolset: Toolset,
  pending: PendingCall,
  answers: readonly Answer[],
  signal: AbortSignal | undefined,
): Promise<ToolOutcome> {
  const { interruption, run, call } = pending;
  const suspended = pending.suspendedState !== undefined;
  const execution = new Execution(
    engine,
    run,
    call,
    toolset,
    pending.policies,
    undefined,
    undefined,
    {
      arguments: pending.admitted,
      attempt: pending.attempt + 1,
      approval: pending.approval ?? {
        arguments: pending.finalArguments,
        permissions: new Set(
          interruption.requests.flatMap((request) =>
            request.type === "approval" ? [canonicalJson(request.permission)] : [],
          ),
        ),
      },
      ...(suspended
        ? { suspended: { state: pending.suspendedState ?? null, answers } }
        : pending.earlier === undefined
          ? {}
          : { suspended: pending.earlier }),
    },
  );
  engine.events.emitCall(execution, { type: "tool.resumed", interruptionId: interruption.id });
  const rejected = answers.find((answer): answer is RejectAnswer => answer.type === "reject");
  // A tool that asked by itself decides by itself what a no means.
  if (rejected !== undefined && !suspended) {
    return failure(execution, rejection(call.name, rejected.reason));
  }
  if (run.stopped !== undefined) execution.stop(run.stopped);
  return followSignal(signal, execution, execute);
}

function answerTo(requestId: string, answers: readonly Answer[]): Answer | undefined {
  return (
    answers.find((answer) => answer.requestId === requestId) ??
    answers.find((answer) => answer.requestId === undefined)
  );
}
