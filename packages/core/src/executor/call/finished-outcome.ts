import { unavailable, type FinishedResult } from "../../approvals/pending-call-store.ts";
import type { Answer, Interruption } from "../../contract/interruption.ts";
import type { JsonValue } from "../../json/json.ts";
import type { ToolOutcome, ToolResult } from "../../contract/tool-result.ts";
import { ToolError, type ToolErrorCode, type ToolErrorOptions } from "../../contract/tool-error.ts";
import type { CallServices, CallState } from "./call-state.ts";
import { utf8Length } from "../../text/utf8.ts";
import { toJson, type Cut } from "../../json/to-json.ts";

/** Age up to which a retry of the same answers returns the stored outcome: 10 minutes. */
const maxAgeMs = 600_000;
/** A larger outcome is not stored: a truncated result would be a different result. */
const maxBytes = 262_144;

/** An error as it is stored: without its cause, which only the host may see. */
interface StoredError extends Omit<ToolErrorOptions, "cause"> {
  readonly code: ToolErrorCode;
  readonly message: string;
}

type StoredOutcome =
  | Extract<ToolOutcome, { readonly status: "interrupted" }>
  | {
      readonly status: "completed" | "failed";
      readonly result: ToolResult;
      readonly error?: StoredError;
    };

/**
 * Thrown when a call has ended before: its stored outcome is returned, and nothing runs.
 * Never leaves the executor.
 */
export class FinishedBefore {
  readonly #outcome: ToolOutcome;
  /** The outcome comes from the ledger: its end is emitted as `tool.replayed`. */
  readonly isReplayed: boolean;

  constructor(outcome: ToolOutcome, isReplayed = false) {
    this.#outcome = outcome;
    this.isReplayed = isReplayed;
  }

  get outcome(): ToolOutcome {
    return this.#outcome;
  }

  /** True for an instance. Reads no member of `thrown`, which may be a proxy that throws. */
  static is(thrown: unknown): thrown is FinishedBefore {
    return typeof thrown === "object" && thrown !== null && #outcome in thrown;
  }
}

/** Emits the end of a call that the ledger has the outcome of. That of a call that was resumed was emitted before. */
export function emitReplayed(execution: CallState, { outcome, isReplayed }: FinishedBefore): void {
  if (!isReplayed) return;
  const { status, error } = outcome;
  const event = { type: "tool.replayed", status } as const;
  execution.engine.events.emitCall(
    execution,
    error === undefined ? event : { ...event, code: error.code },
  );
}

/**
 * Encodes an outcome for a retry of the same answers: redacted, since it has left the pipeline, and encrypted for these
 * answers.
 *
 * @returns `undefined` when nothing is stored: the store keeps no results, the outcome is more than 262,144 bytes of
 * JSON or nested too deeply, or the call was cancelled, after which its tool may still have done its work.
 */
export async function finishedResult(
  { pendingCalls, seal }: CallServices,
  interruption: Interruption,
  answers: readonly Answer[],
  outcome: ToolOutcome,
): Promise<FinishedResult | undefined> {
  if (typeof pendingCalls.finishedResult !== "function") return undefined;
  if (outcome.status === "failed" && outcome.error.code === "cancelled") return undefined;
  const json = outcomeJson(outcome, maxBytes);
  if (json === undefined) return undefined;
  const bytes = new TextEncoder().encode(json);
  return { sealed: await seal.sealOutcome(interruption, answers, bytes), maxAgeMs };
}

/**
 * Reads the outcome that the same answers to the same interruption have led to, as long as the store keeps it.
 *
 * @throws ToolError `store_unavailable`
 */
export async function finishedOutcome(
  { pendingCalls, seal }: CallServices,
  interruption: Interruption,
  answers: readonly Answer[],
): Promise<ToolOutcome | undefined> {
  if (typeof pendingCalls.finishedResult !== "function") return undefined;
  let sealed: unknown;
  try {
    sealed = await pendingCalls.finishedResult(interruption.id);
  } catch (cause) {
    throw unavailable(
      `This interruption of ${interruption.call.name} was answered before, and the store of pending calls does not answer. Nothing was run: resume it again later, with the same answers.`,
      cause,
    );
  }
  if (typeof sealed !== "string") return undefined;
  const json = await seal.openOutcome(interruption, answers, sealed);
  return json === undefined ? undefined : outcomeFromJson(json);
}

/**
 * Encodes an outcome as JSON text, for a host that stores it.
 *
 * @param maxLength bytes of UTF-8.
 * @returns `undefined` when it is longer, or not JSON.
 */
export function outcomeJson(outcome: ToolOutcome, maxLength: number): string | undefined {
  const cut: Cut = { truncated: false };
  const stored = toJson(storedOutcome(outcome), maxLength, cut);
  if (cut.truncated || cut.replaced === true) return undefined;
  const json = JSON.stringify(stored);
  const isShort = json.length * 3 <= maxLength || utf8Length(json) <= maxLength;
  return isShort ? json : undefined;
}

/**
 * Reads an outcome that `outcomeJson` has encoded. Its error has no cause.
 *
 * @throws SyntaxError or TypeError for a text that is no stored outcome.
 */
export function outcomeFromJson(json: string): ToolOutcome {
  return restoredOutcome(JSON.parse(json) as StoredOutcome);
}

function storedOutcome(outcome: ToolOutcome): StoredOutcome {
  if (outcome.status === "interrupted") return outcome;
  const { status, result, error } = outcome;
  return { status, result, ...(error === undefined ? {} : { error: storedError(error) }) };
}

function storedError(error: ToolError): StoredError {
  const { code, message, retryable, audience, status, body, retryAfterMs } = error;
  return {
    code,
    message,
    retryable,
    audience,
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body: body as JsonValue }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function restoredOutcome(stored: StoredOutcome): ToolOutcome {
  if (stored.status === "interrupted") return stored;
  const { status, result, error } = stored;
  if (error === undefined) return { status, ok: !result.isError, result } as ToolOutcome;
  const { code, message, ...options } = error;
  return { status, ok: false, result, error: new ToolError(code, message, options) };
}
