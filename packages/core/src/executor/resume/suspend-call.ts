import { withdraw, storeTime, unavailable } from "../../approvals/pending-call-store.ts";
import { specHashOf } from "../../contract/tool.ts";
import type { PendingCall } from "../../approvals/pending-call.ts";
import { toOwner } from "../../contract/caller.ts";
import { spendCarriedOver } from "../../limits/limited-call.ts";
import { redactCallForApproval } from "../../redaction/displayed-call.ts";
import type { Interruption, InterruptionRequest } from "../../contract/interruption.ts";
import type { JsonObject, JsonValue } from "../../json/json.ts";
import type { ToolOutcome } from "../../contract/tool-result.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { readOnce } from "../call/read-call.ts";
import type { CallName, CallState } from "../call/call-state.ts";
import type { LiveGuard } from "../../contract/call-info.ts";
import type { InterruptSignal } from "../call/interrupt-signal.ts";
import { toJson, maxBytes, type Cut } from "../../json/to-json.ts";
import { cloneJson } from "../../json/clone-json.ts";
import { notSerializableError } from "../call/to-tool-error.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { toErrorMessage } from "../../contract/error-message.ts";
import { suspendInLedger } from "../stages/ledger.ts";
import type { NamedPlace } from "./named-calls.ts";
import { readPermission } from "../stages/permissions.ts";

/** Lifetime of an interruption in milliseconds: 24 hours. */
const lifetimeMs = 24 * 60 * 60 * 1000;

/** The end of a call, once a store or the audit has it. */
export interface StoredEnd {
  /** Ends the call. */
  readonly finish: () => ToolOutcome;
  /** Called instead when the call was stopped meanwhile. */
  readonly undo?: () => void;
}

/**
 * Suspends a call until a person has answered.
 *
 * @throws ToolError `internal` when its state is not JSON, `store_unavailable` or `limit_exceeded` when it cannot be
 * stored.
 */
export async function suspendCall(
  execution: CallState,
  interrupted: InterruptSignal,
): Promise<StoredEnd> {
  const { engine, run } = execution;
  const live = execution.guard();
  const named = execution.settings.callName !== undefined;
  const stored = named ? live(await storeNamed(execution, interrupted)) : undefined;
  if (stored?.isEarlier === true) {
    return { finish: () => endWaiting(execution, interrupted, stored.interruption) };
  }
  const interruption = stored?.interruption ?? live(await written(execution, interrupted));
  const { id, expiresAt } = interruption;
  try {
    await writeAsked(execution, id, live);
  } catch (error) {
    if (named) await withdraw(engine.pendingCalls, interruption);
    throw error;
  }
  if (!named) await store(execution, interruption);
  await suspendInLedger(execution, interruption);
  return {
    finish: () => {
      const narrower = execution.policies.slice(engine.policies.length);
      const counted = spendCarriedOver(execution);
      const local = { run, narrower, expiresAt, ...(counted === undefined ? {} : { counted }) };
      engine.liveCalls.add(id, local, engine.clock.now());
      return endWaiting(execution, interrupted, interruption);
    },
    undo: () => void withdraw(engine.pendingCalls, interruption),
  };
}

function endWaiting(
  execution: CallState,
  interrupted: InterruptSignal,
  interruption: Interruption,
): ToolOutcome {
  // Before the event: a listener may stop the call, which is pending already.
  execution.enter("ended");
  emitInterrupted(execution, interrupted, interruption.id);
  return { status: "interrupted", ok: false, interruption: cloneJson(interruption, Infinity) };
}

async function writeAsked(
  execution: CallState,
  interruptionId: string,
  live: LiveGuard,
): Promise<void> {
  const { engine, decided } = execution;
  if (decided?.decision !== "asked") return;
  live(await engine.audit?.write(execution, { ...decided, interruptionId }));
}

/** Stores a call that has a name, unless the same call waits already. */
async function storeNamed(
  execution: CallState,
  interrupted: InterruptSignal,
): Promise<{ readonly interruption: Interruption; readonly isEarlier: boolean }> {
  const { engine, settings } = execution;
  const { findPlace, maxRepeats } = await import("./named-calls.ts");
  for (let from = 0; ;) {
    let place: NamedPlace;
    try {
      place = await findPlace(engine, settings.callName as CallName, await storeTime(engine), from);
    } catch (cause) {
      throw notStoredError(execution, cause);
    }
    if ("pending" in place) return { interruption: place.pending, isEarlier: true };
    const interruption = await written(execution, interrupted, place.id);
    try {
      await store(execution, interruption);
      return { interruption, isEarlier: false };
    } catch (error) {
      // Another process has taken the place, or a store that forgets finished calls has had it.
      const isTaken =
        ToolError.is(error) && ToolError.is(error.cause) && error.cause.code === "internal";
      if (!isTaken || place.repeat >= maxRepeats) throw error;
      from = place.repeat + 1;
    }
  }
}

async function written(
  execution: CallState,
  { requests, suspension }: InterruptSignal,
  id: string = crypto.randomUUID(),
): Promise<Interruption> {
  const { engine, run, call, tool, parent, taskId } = execution;
  try {
    // Copies, made before anything is awaited: neither the tool nor a user interface can change what is stored.
    const whole = cloneJson({
      arguments: execution.args as JsonObject,
      requests: suspension === undefined ? requests : suspensionRequests(execution, requests),
    });
    const seen = redactCallForApproval(execution, whole);
    const displayed = {
      call: { ...readOnce(call), arguments: seen.arguments },
      requests: seen.requests,
    };
    const pending = cloneJson(
      {
        ...pendingCall(
          execution,
          suspension && toCompleteJson(execution, "state", suspension.state),
        ),
        ...(seen === whole ? {} : { unmasked: whole }),
      },
      Infinity, // Each part is bounded.
    );
    const [specHash, argumentsHash, now] = await Promise.all([
      specHashOf(tool),
      engine.argumentsHash.of(whole.arguments),
      storeTime(engine),
    ]);
    const visible = {
      id,
      runId: run.id,
      // The caller of a call that runs as a task does not wait for it, and cannot resume it.
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
    ...(execution.earlierWithId === undefined ? {} : { earlierWithId: execution.earlierWithId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(execution.settings.asTask === true ? { asTask: true } : {}),
    ...durableOption(execution),
    ...(execution.checkpoint === undefined
      ? {}
      : { checkpoint: toCompleteJson(execution, "checkpoint", execution.checkpoint) }),
    ...(run.caller === undefined ? {} : { caller: run.caller }),
    ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
    // An approval from before the tool asked to wait stays valid when the tool resumes.
    ...(state === undefined
      ? resumption?.suspended && { earlier: resumption.suspended }
      : { suspended: { state }, ...(approval === undefined ? {} : { approval }) }),
    ...(tools === undefined ? {} : { tools }),
    ...(policies.length === 0 ? {} : { policies }),
    ...(policies.length === narrower.length ? {} : { onlyHere: true }),
  };
}

/** Without the epoch: that of the process in which the call is resumed counts. */
function durableOption({ run, resumption }: CallState): Pick<PendingCall, "durable"> {
  const durable = run.durable ?? resumption?.durable;
  if (durable === undefined) return {};
  return { durable: durable.rerun === undefined ? {} : { rerun: durable.rerun } };
}

/**
 * Converts the state that a tool resumes from to JSON.
 *
 * @throws ToolError `internal` when it is longer than `maxBytes`, TypeError when it is nested too deeply, cyclic or
 * unreadable: a part of the state would be a different state.
 */
function toCompleteJson({ call }: CallState, what: string, value: unknown): JsonValue {
  const cut: Cut = { truncated: false };
  const json = toJson(value, maxBytes, cut);
  if (cut.replaced === true) throw new TypeError(`its ${what} is not JSON`);
  if (cut.truncated) {
    throw new ToolError(
      "internal",
      `${call.name} has to wait for a person, but its ${what} is more than ${maxBytes} bytes of JSON, so that it cannot be put aside.`,
    );
  }
  return json;
}

/** The callable tools, unless they are all that the policy lets run: the list can be very long. */
function narrowerTools({ engine, run, toolset }: CallState): readonly string[] | undefined {
  const all = engine.executor.advertised(run.caller);
  if (toolset === all || toolset.searchable === all) return undefined;
  const wider = Array.from(all.names()).some((name) => toolset.callable(name) === undefined);
  return wider ? Array.from(toolset.callableNames()) : undefined;
}

async function store(execution: CallState, interruption: Interruption): Promise<void> {
  try {
    await execution.engine.pendingCalls.add(interruption, toOwner(execution.run));
  } catch (cause) {
    if (ToolError.is(cause) && cause.code === "limit_exceeded") throw cause;
    throw notStoredError(execution, cause);
  }
}

/** Creates the error of a call that cannot be stored, and so cannot wait for a person. */
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

function emitInterrupted(
  execution: CallState,
  { suspension }: InterruptSignal,
  interruptionId: string,
): void {
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

const maxRequests = 100;
const maxTextLength = 20_000;

/** The texts that a request of each type must have, so that it can be displayed. */
const texts: Readonly<Record<InterruptionRequest["type"], readonly string[]>> = {
  approval: ["reason"],
  auth: ["credential", "message"],
  input: ["message"],
  result: [],
};

/**
 * Copies the requests with which a running tool suspends. Requests of nested calls that the tool passes on stay as they
 * are.
 *
 * @throws ToolError `internal` for requests that no person could answer, such as two with the same id: the answer to
 * one would answer the other.
 */
function suspensionRequests({ call }: CallState, given: unknown): readonly InterruptionRequest[] {
  try {
    const requests = cloneJson(given);
    if (!Array.isArray(requests)) throw new TypeError("it gave no list of them");
    if (requests.length === 0) throw new TypeError("it gave none of them");
    if (requests.length > maxRequests) throw new TypeError(`it gave ${requests.length} of them`);
    const ids = new Set<string>();
    return requests.map((request: unknown) => {
      const read = readRequest(request);
      if (ids.has(read.id)) throw new TypeError(`two have the id "${read.id.slice(0, 100)}"`);
      ids.add(read.id);
      return read;
    });
  } catch (error) {
    throw new ToolError(
      "internal",
      `${call.name} did run until it had to wait for a person, but not with requests that a person can answer, ${maxRequests} at most: ${toErrorMessage(error)}. The tool has to be corrected; check what it did before calling it again.`,
      { cause: error },
    );
  }
}

function readRequest(request: unknown): InterruptionRequest {
  const { id, type }: Partial<Record<string, unknown>> = request ?? {};
  if (
    typeof id !== "string" ||
    id === "" ||
    typeof type !== "string" ||
    !Object.hasOwn(texts, type)
  ) {
    throw new TypeError("one has no id, or is of no known type");
  }
  const read = request as InterruptionRequest;
  for (const [member, value] of Object.entries(read)) {
    if (typeof value === "string" && value.length > maxTextLength) {
      throw new TypeError(`one has a ${member.slice(0, 100)} of ${value.length} characters`);
    }
  }
  for (const member of texts[read.type]) {
    if (typeof (read as unknown as Record<string, unknown>)[member] !== "string") {
      throw new TypeError(`one of type ${read.type} has no text as its ${member}`);
    }
  }
  if (read.type === "approval") {
    for (const member of ["description", "remedy"] as const) {
      if (!["string", "undefined"].includes(typeof read[member])) {
        throw new TypeError(`one of type approval has a ${member} that is no text`);
      }
    }
  }
  if (read.type === "auth" && read.userCode !== undefined && !isUserCode(read.userCode)) {
    throw new TypeError("one of type auth has a userCode that no person can type");
  }
  // User interfaces make a link of it.
  if (read.type === "auth" && read.url !== undefined && !/^https?:\/\//i.test(read.url)) {
    throw new TypeError("one sends the person to an address that is not of the web");
  }
  return read.type === "approval" ? { ...read, permission: readPermission(read.permission) } : read;
}

/** A person reads it on one screen and types it on another (RFC 8628 section 6.1). */
function isUserCode(code: unknown): boolean {
  return typeof code === "string" && code.trim() !== "" && visibleText(code) === code;
}
