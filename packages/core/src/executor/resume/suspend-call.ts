import { withdraw } from "../../approvals/pending-call-store.ts";
import { specHashOf } from "../../contract/spec-hash.ts";
import type { PendingCall } from "../../approvals/pending-call.ts";
import { ownerOf } from "../../contract/owner.ts";
import { storeTime, unavailable } from "../../approvals/store-time.ts";
import { spendCarriedOver } from "../../limits/reservation.ts";
import { redactCallForApproval } from "../../redaction/displayed-call.ts";
import type { Interruption } from "../../contract/interruption.ts";
import type { JsonObject, JsonValue } from "../../json/json.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { readOnce } from "../call/read-call.ts";
import type { CallState } from "../call/call-state.ts";
import type { InterruptSignal } from "../call/interrupt-signal.ts";
import { toJson, maxBytes } from "../../json/to-json.ts";
import { cloneJson } from "../../json/clone-json.ts";
import { suspensionRequests } from "../stages/suspension-requests.ts";
import { notSerializableError } from "../call/not-serializable.ts";

/** How long an interruption can be answered. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/**
 * Puts a call aside until a person has answered. What it resolves to is worth nothing when the call
 * has been stopped meanwhile.
 *
 * @throws ToolError `internal` when it cannot be written down, `store_unavailable` or
 * `limit_exceeded` when it cannot be kept.
 */
export async function suspendCall(
  execution: CallState,
  interrupted: InterruptSignal,
): Promise<ToolOutcome> {
  const { engine, run } = execution;
  const interruption = await written(execution, interrupted);
  const { id, expiresAt } = interruption;
  const { decided } = execution;
  if (decided?.decision === "asked") {
    await engine.audit?.write(execution, { ...decided, interruptionId: id });
  }
  await keep(execution, interruption);
  if (execution.ended) void withdraw(engine.pendingCalls, interruption);
  else {
    // Before anybody hears of it: whoever does may stop the call, and it waits already.
    execution.ended = true;
    const narrower = execution.policies.slice(engine.policies.length);
    const counted = spendCarriedOver(execution);
    const live = { run, narrower, expiresAt, ...(counted === undefined ? {} : { counted }) };
    engine.liveCalls.add(id, live, engine.clock.now());
    tell(execution, interrupted, id);
  }
  return { status: "interrupted", interruption: cloneJson(interruption) };
}

async function written(
  execution: CallState,
  { requests, suspension }: InterruptSignal,
): Promise<Interruption> {
  const { engine, run, call, tool, parent, taskId } = execution;
  try {
    // Copies, all of it, and before anything is waited for: neither the tool nor whoever shows it to
    // a person changes what is kept.
    const whole = cloneJson({
      arguments: execution.args as JsonObject,
      requests: suspension === undefined ? requests : suspensionRequests(execution, requests),
    });
    const seen = redactCallForApproval(execution, whole);
    const displayed = {
      call: { ...readOnce(call), arguments: seen.arguments },
      requests: seen.requests,
    };
    const pending = cloneJson({
      ...pendingCall(execution, suspension && toCompleteJson("state", suspension.state)),
      ...(seen === whole ? {} : { unmasked: whole }),
    });
    const [specHash, argumentsHash, now] = await Promise.all([
      specHashOf(tool),
      engine.argumentsHash.of(whole.arguments),
      storeTime(engine),
    ]);
    const visible = {
      id: crypto.randomUUID(),
      runId: run.id,
      // Whoever made a call that goes on as a task waits for it no more, and cannot ask for it.
      ...(parent === undefined || taskId !== undefined ? {} : { parentCallId: parent.call.id }),
      ...displayed,
      specHash,
      expiresAt: now + lifetimeMs,
    };
    return { ...visible, state: await engine.seal.seal(visible, { ...pending, argumentsHash }) };
  } catch (error) {
    throw ToolError.is(error) ? error : notSerializableError(execution, error);
  }
}

function pendingCall(
  execution: CallState,
  state: JsonValue | undefined,
): Omit<PendingCall, "argumentsHash"> {
  const { engine, run, resumption, attempt, approval } = execution;
  const taskId = execution.taskId ?? resumption?.task?.id;
  const narrower = execution.policies.slice(engine.policies.length);
  const policies = narrower.flatMap((layer) => layer.toJSON() ?? []);
  const tools = narrowerTools(execution);
  return {
    admitted: execution.admitted as JsonObject,
    attempt: attempt === 0 ? (resumption?.attempt ?? 1) - 1 : attempt,
    turn: run.turn,
    ...(taskId === undefined ? {} : { taskId }),
    ...(execution.asTask ? { asTask: true } : {}),
    ...(execution.checkpoint === undefined
      ? {}
      : { checkpoint: toCompleteJson("checkpoint", execution.checkpoint) }),
    ...(run.caller === undefined ? {} : { caller: run.caller }),
    ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
    // What was agreed to before the tool asked to wait stays agreed to when it goes on.
    ...(state === undefined
      ? resumption?.suspended && { earlier: resumption.suspended }
      : { suspended: { state }, ...(approval === undefined ? {} : { approval }) }),
    ...(tools === undefined ? {} : { tools }),
    ...(policies.length === 0 ? {} : { policies }),
    ...(policies.length === narrower.length ? {} : { onlyHere: true }),
  };
}

/**
 * JSON of what a tool goes on from.
 *
 * @throws RangeError for more than is kept: half of a state is another one.
 */
function toCompleteJson(what: string, value: unknown): JsonValue {
  const cut = { truncated: false };
  const json = toJson(value, maxBytes, cut);
  if (cut.truncated) throw new RangeError(`its ${what} is more than ${maxBytes} bytes of JSON`);
  return json;
}

/** What may be called, unless it is all that the policy lets run: the list can be very long. */
function narrowerTools({ engine, run, toolset }: CallState): readonly string[] | undefined {
  const all = engine.executor.advertised(run.caller);
  if (toolset === all || toolset.searchable === all) return undefined;
  const wider = Array.from(all.names()).some((name) => toolset.callable(name) === undefined);
  return wider ? Array.from(toolset.callableNames()) : undefined;
}

async function keep(execution: CallState, interruption: Interruption): Promise<void> {
  try {
    await execution.engine.pendingCalls.add(interruption, ownerOf(execution.run));
  } catch (cause) {
    if (ToolError.is(cause) && cause.code === "limit_exceeded") throw cause;
    throw notStoredError(execution, cause);
  }
}

/** It cannot wait for a person: nothing would know of it. */
export function notStoredError({ call, attempt }: CallState, cause?: unknown): ToolError {
  const what =
    attempt === 0
      ? `${call.name} was not run: it has to wait for a person`
      : `${call.name} did run until it had to wait for a person: check what it did before calling it again. It`;
  return unavailable(
    `${what} and cannot be kept, since the store of pending calls does not answer.`,
    cause,
  );
}

function tell(execution: CallState, { suspension }: InterruptSignal, interruptionId: string): void {
  const { engine, attempt, startedAt } = execution;
  engine.events.emitCall(
    execution,
    suspension === undefined
      ? { type: "tool.interrupted", interruptionId }
      : {
          type: "tool.suspended",
          interruptionId,
          attempt,
          durationMs: Math.max(0, engine.clock.now() - startedAt),
        },
  );
}
