import { canonicalJson, sha256 } from "../schema/canonical-json.ts";
import type { Toolset } from "../registry/toolset.ts";
import type {
  Answer,
  Interruption,
  InterruptionRequest,
  RejectAnswer,
} from "../spec/interruption.ts";
import type { Tool } from "../spec/tool.ts";
import type { ToolCall } from "../spec/tool-call.ts";
import type { ToolOutcome } from "../spec/tool-result.ts";
import { ToolError } from "../tool-error.ts";
import type { Engine } from "./engine.ts";
import { checkedCall } from "./checked-call.ts";
import { execute } from "./execute.ts";
import { Execution } from "./execution.ts";
import { followSignal } from "./follow-signal.ts";
import { failure } from "./outcome.ts";
import type { PendingCall } from "./pending-calls.ts";
import type { ResumeOptions } from "./tool-executor.ts";
import { rejection } from "./stages/authorize.ts";
import { ToolRun } from "./tool-run.ts";

/** Goes on with a pending call: at most once, and only as it was agreed to. */
export async function resume(
  engine: Engine,
  advertised: () => Toolset,
  interruption: Interruption,
  answers: readonly Answer[],
  { signal, run }: ResumeOptions,
): Promise<ToolOutcome> {
  if (engine.registry.loading) await engine.registry.ready;
  // Whatever was passed for an interruption may come from outside.
  const given: Partial<Interruption> = isObject(interruption) ? interruption : {};
  const state = String(given.state);
  const pending = engine.pending.peek(state);
  const call = checkedCall(pending?.call ?? (given.call as ToolCall));
  const refuse = (why: string): ToolOutcome => {
    const id = typeof given.runId === "string" ? given.runId : "";
    const own = pending?.run ?? new ToolRun(engine, advertised, { id });
    const execution = new Execution(engine, run ?? own, call, advertised(), []);
    return failure(execution, new ToolError("approval_invalid", why));
  };
  if (!Array.isArray(answers) || !(answers as readonly unknown[]).every(isObject)) {
    return refuse(`The answers are no list of answers: pass [{ type: "approve" }], for one.`);
  }
  if (pending === undefined || pending.interruption.id !== given.id) {
    return refuse(
      `This interruption of ${call.name} is not pending here: it was answered before, has expired, or belongs to another process.`,
    );
  }
  if (pending.interruption.expiresAt <= engine.clock.now()) {
    engine.pending.claim(state);
    return refuse(`The interruption of ${pending.call.name} has expired; make the call again.`);
  }
  if (
    run !== undefined &&
    (run.executor !== engine.executor || behalf(run) !== behalf(pending.run))
  ) {
    return refuse(`The interruption of ${pending.call.name} belongs to another caller or session.`);
  }
  for (const request of pending.interruption.requests) {
    const answer = answerTo(request, answers);
    if (answer === undefined) {
      return refuse(`The request "${request.id}" has no answer; answer every request at once.`);
    }
    if (!fits(request, answer)) {
      return refuse(
        `An answer of type "${answer.type}" does not answer the ${request.type} request "${request.id}".`,
      );
    }
  }
  // What was not advertised when the call was made has not become callable by waiting.
  const toolset = (run?.toolset ?? advertised()).filter(
    ({ tool }) => pending.toolset.entry(tool.spec.name) !== undefined,
  );
  const tool = toolset.get(pending.call.name);
  const changed = tool !== undefined && (await hashOf(tool)) !== pending.interruption.specHash;
  // From here on it is this call's own: whoever comes second finds nothing.
  if (engine.pending.claim(state) !== pending) {
    return refuse(`This interruption of ${call.name} was answered before.`);
  }
  if (changed) {
    return refuse(`${pending.call.name} has changed since it was approved; make the call again.`);
  }
  return goOn(engine, toolset, run ?? pending.run, pending, answers, signal);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

async function goOn(
  engine: Engine,
  toolset: Toolset,
  run: ToolRun,
  pending: PendingCall,
  answers: readonly Answer[],
  signal: AbortSignal | undefined,
): Promise<ToolOutcome> {
  const { interruption, call } = pending;
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
            request.type === "approval" && answerTo(request, answers)?.type === "approve"
              ? [canonicalJson(request.permission)]
              : [],
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

function behalf({ caller, sessionId }: ToolRun): string {
  return canonicalJson([caller, sessionId]);
}

function answerTo({ id }: InterruptionRequest, answers: readonly Answer[]): Answer | undefined {
  return (
    answers.find((answer) => answer.requestId === id) ??
    answers.find((answer) => answer.requestId === undefined)
  );
}

/** A no answers everything; only an explicit yes approves. */
function fits(request: InterruptionRequest, answer: Answer): boolean {
  if (answer.type === "reject") return true;
  switch (request.type) {
    case "approval":
      return answer.type === "approve";
    case "auth":
      return answer.type === "approve" || answer.type === "input";
    case "input":
      return answer.type === "input";
    case "result":
      return answer.type === "result";
  }
}

/** `undefined`: the spec can no longer be read, so it is not the one that was approved. */
async function hashOf({ spec }: Tool): Promise<string | undefined> {
  try {
    return await sha256(canonicalJson(spec));
  } catch {
    return undefined;
  }
}
