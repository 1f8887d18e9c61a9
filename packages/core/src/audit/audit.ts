import { specHashOf, type Tool } from "../contract/tool.ts";
import type { CallInfo, LiveCall } from "../contract/call-info.ts";
import { ToolError, type ToolErrorCode } from "../contract/tool-error.ts";
import { toErrorMessage } from "../contract/error-message.ts";
import { isThenable, type JsonObject } from "../json/json.ts";
import type { Interruption } from "../contract/interruption.ts";
import type { Clock } from "../time/clock.ts";
import type { AuditDecision, AuditRecord, AuditSink, RecordedDecision } from "./audit-sink.ts";

/** A call, as the audit uses it. */
export interface AuditedCall extends CallInfo, LiveCall {
  readonly tool: Tool;
  readonly decided: RecordedDecision | undefined;
  readonly resumption:
    | { readonly interruption: Interruption; readonly argumentsHash: string }
    | undefined;
  readonly engine: {
    readonly wallClock: Clock;
    readonly argumentsHash: { of(args: JsonObject): Promise<string> };
    readonly events: { emitCall(call: CallInfo, fields: StoreFailed): void };
  };
}

type StoreFailed = {
  readonly type: "store.failed";
  readonly store: "audit";
  readonly message: string;
};

/** Decisions by error code. Any other error is not a decision. */
const decisions: Partial<Record<ToolErrorCode, AuditDecision>> = {
  not_advertised: "denied",
  permission_denied: "denied",
  limit_exceeded: "denied",
  rate_limited: "denied",
  approval_invalid: "denied",
  outcome_unknown: "denied",
  approval_rejected: "rejected",
};

const maxReasonLength = 500;

/** Maximum characters of a text that is not verified. */
const maxTextLength = 200;

/** Writes decisions to the host's sink. Created only with a sink, since hashes are expensive. */
export class Audit {
  readonly #sink: AuditSink;
  /** By tool: a changed spec means a new tool object. */
  readonly #specHashes = new WeakMap<Tool, Promise<string>>();

  /** @throws ToolError `invalid_configuration` when it is not a sink. */
  constructor(sink: AuditSink) {
    if (typeof sink?.write !== "function") {
      throw new ToolError("invalid_configuration", "audit is no sink: it needs write(record).");
    }
    this.#sink = sink;
  }

  /**
   * Writes the decision on a call that continues.
   *
   * @throws ToolError `store_unavailable` when the record is required and cannot be written.
   */
  async write(execution: AuditedCall, decided: RecordedDecision): Promise<void> {
    const required = this.#sink.required === true;
    const live = execution.guard();
    const record = await this.#record(execution, decided).catch((error: unknown) => {
      report(execution, error);
      if (required) throw notRecorded(execution, error);
    });
    // Stopped meanwhile: its end is another decision.
    live(record);
    if (record === undefined) return;
    try {
      const written = this.#sink.write(record);
      if (!isThenable(written)) return;
      if (required) await written;
      else written.then(undefined, (error: unknown) => report(execution, error));
    } catch (cause) {
      report(execution, cause);
      if (!required) return;
      throw notRecorded(execution, cause);
    }
  }

  /**
   * Writes that a call was refused before it started; it stays refused, recorded or not. Writes nothing for errors that
   * are not decisions, such as invalid arguments.
   */
  refused(execution: AuditedCall, { code, message }: ToolError): Promise<void> | undefined {
    const decision = toDecision(execution, code);
    const judged =
      execution.entry !== undefined ||
      execution.resumption !== undefined ||
      code === "not_advertised";
    if (decision === undefined || execution.attempt !== 0 || !judged) return undefined;
    const { decided } = execution;
    const known = decided?.decision === decision ? decided : undefined;
    const reason = known?.reason ?? message.slice(0, maxReasonLength);
    const refusal: RecordedDecision = { permissions: [], ...known, decision, reason, code };
    return this.write(execution, refusal).catch(() => {});
  }

  /**
   * Writes that an interrupted call cannot be resumed. The interruption may be made up, or belong to another caller:
   * only the passed values, and the caller who passed them, are recorded. Writes nothing for a value that is not an
   * interruption.
   */
  unusable(execution: AuditedCall, id: unknown, { code, message }: ToolError): void {
    if (code !== "approval_invalid" || typeof id !== "string") return;
    const { engine, run, call } = execution;
    const record: AuditRecord = {
      time: engine.wallClock.now(),
      runId: clipped(run.id),
      ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
      callId: clipped(call.id),
      tool: clipped(call.name),
      ...(run.caller === undefined ? {} : { caller: run.caller }),
      decision: "denied",
      reason: message.slice(0, maxReasonLength),
      code,
      specHash: "",
      argumentsHash: "",
      permissions: [],
      interruptionId: clipped(id),
    };
    const failed = (error: unknown): void => report(execution, error);
    try {
      const written = this.#sink.write(record);
      if (isThenable(written)) written.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }

  async #record(execution: AuditedCall, decided: RecordedDecision): Promise<AuditRecord> {
    const { run, call, resumption, engine } = execution;
    const time = engine.wallClock.now();
    const [specHash, argumentsHash] = await Promise.all([
      // A call that is refused before its tool is resolved is recorded with the spec of the interrupted tool.
      execution.entry === undefined
        ? (resumption?.interruption.specHash ?? "")
        : this.#specHash(execution.tool),
      execution.args === undefined
        ? (resumption?.argumentsHash ?? "")
        : engine.argumentsHash.of(execution.args),
    ]);
    const redactedDecision = execution.redactor?.redactReport(decided) ?? decided;
    return {
      time,
      runId: run.id,
      ...(run.sessionId === undefined ? {} : { sessionId: run.sessionId }),
      callId: call.id,
      tool: call.name,
      ...(run.caller === undefined ? {} : { caller: run.caller }),
      ...(resumption === undefined ? {} : { interruptionId: resumption.interruption.id }),
      ...redactedDecision,
      specHash,
      argumentsHash,
    };
  }

  #specHash(tool: Tool): Promise<string> {
    let hash = this.#specHashes.get(tool);
    if (hash === undefined) this.#specHashes.set(tool, (hash = specHashOf(tool)));
    return hash;
  }
}

/** An `approval_rejected` error that a tool throws is not a person's rejection. */
function toDecision({ decided }: AuditedCall, code: ToolErrorCode): AuditDecision | undefined {
  const decision = decisions[code];
  return decision === "rejected" && decided?.decision !== "rejected" ? "denied" : decision;
}

function clipped(text: string): string {
  return text.slice(0, maxTextLength);
}

function report(execution: AuditedCall, error: unknown): void {
  execution.engine.events.emitCall(execution, {
    type: "store.failed",
    store: "audit",
    message: toErrorMessage(error),
  });
}

function notRecorded({ call }: AuditedCall, cause: unknown): ToolError {
  return new ToolError(
    "store_unavailable",
    `${call.name} was not run: the audit has to record it and cannot. Try again later.`,
    { cause },
  );
}
