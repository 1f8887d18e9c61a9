import { ToolError } from "./tool-error.ts";
import type { ContentBlock } from "./content-block.ts";
import type { Interruption } from "./interruption.ts";
import type { JsonValue, Metadata } from "../json/json.ts";

/** A stored large or binary output; the model sees a preview and the key. */
export interface ArtifactRef {
  readonly key: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  readonly name?: string;
  /** The output was longer than what is captured at all: the rest of it is lost. */
  readonly truncated?: true;
}

/**
 * A tool's output that is more than one value. Recognised by `content`, an array of content blocks, with no other
 * fields than those named here; every other object that a tool returns is a JSON value.
 */
export interface ToolOutput {
  /** The content for the model. */
  readonly content: readonly ContentBlock[];
  /** The structured result, checked against `outputSchema`. */
  readonly value?: JsonValue;
  /** The tool ran and its answer is an error, such as a 404. Default: false. */
  readonly isError?: boolean;
  /** With `isError`: what kind of error it was. Absent: `execution_failed`. */
  readonly error?: ToolError;
  readonly artifacts?: readonly ArtifactRef[];
  /** For the host, never for a model. */
  readonly details?: JsonValue;
  readonly childRunId?: string;
  readonly provider?: Metadata;
}

/**
 * The result of a call, as the host and the model see it.
 *
 * @typeParam Value the type of `value`, where it is known.
 */
export interface ToolResult<Value = JsonValue> {
  readonly callId: string;
  readonly toolName: string;
  /** The content for the model: bounded, without secrets. */
  readonly content: readonly ContentBlock[];
  /** The structured result, for the host. Integers beyond 2^53 are rounded: `content` and `details.warnings` have them. */
  readonly value?: Value;
  readonly artifacts: readonly ArtifactRef[];
  readonly isError: boolean;
  /** For the host, never for a model. */
  readonly details?: JsonValue;
  readonly childRunId?: string;
  /** The task in which the call continues; the result only refers to it. */
  readonly taskId?: string;
  readonly provider?: Metadata;
  /** Milliseconds from start to end; 0 when it never started. */
  readonly durationMs: number;
  /** When it ended: milliseconds since the epoch. */
  readonly timestamp: number;
}

/**
 * The result of a tool whose answer is no error. Of a tool with an `output` schema it has a `value`: a missing one is
 * `invalid_output`. Without such a schema (`Value` is any JSON), a tool may answer with content alone.
 */
export type SucceededResult<Value = JsonValue> = [JsonValue] extends [Value]
  ? ToolResult<Value>
  : ToolResult<Value> & { readonly value: Value };

/** The tool ran, and its answer is no error. */
export interface SucceededOutcome<Value = JsonValue> {
  readonly status: "completed";
  readonly ok: true;
  readonly result: SucceededResult<Value>;
  readonly error?: undefined;
  readonly interruption?: undefined;
}

/** The tool ran, and its answer is an error, such as a 404. */
export interface ErrorAnswerOutcome {
  readonly status: "completed";
  readonly ok: false;
  readonly result: ToolResult;
  readonly error: ToolError;
  readonly interruption?: undefined;
}

/** The tool ran and answered. */
export type CompletedOutcome<Value = JsonValue> = SucceededOutcome<Value> | ErrorAnswerOutcome;

/** Refused, threw, timed out, was cancelled, or answered with invalid output. */
export interface FailedOutcome {
  readonly status: "failed";
  readonly ok: false;
  /** The part of the failure that the model may see. */
  readonly result: ToolResult;
  readonly error: ToolError;
  readonly interruption?: undefined;
}

/** The call waits for a person; resume it with `executor.resume`. */
export interface InterruptedOutcome {
  readonly status: "interrupted";
  readonly ok: false;
  readonly interruption: Interruption;
  readonly result?: undefined;
  readonly error?: undefined;
}

/**
 * The outcome of a call. Test `ok`: the tool ran, and its answer is no error. Without it, the call waits for a person
 * (`interruption`), or has an `error`. `status` is for displays: a `completed` call can have an error. A member that
 * another outcome has can be read, so that `outcome.result?.value` needs no test.
 *
 * @typeParam Value the type of the result's `value`, where it is known.
 */
export type ToolOutcome<Value = JsonValue> =
  | CompletedOutcome<Value>
  | FailedOutcome
  | InterruptedOutcome;

/**
 * Passes an outcome whose tool ran and did not answer with an error. For programs that have nothing to do otherwise:
 *
 * ```ts
 * const outcome = await executor.execute({ id: "1", name: "add", arguments: { a: 1, b: 2 } });
 * assertCompleted(outcome);
 * console.log(outcome.result.value);
 * ```
 *
 * @throws ToolError the error of the outcome; `invalid_configuration` for another value; `permission_denied` for a call that waits for a person.
 */
export function assertCompleted<Outcome extends ToolOutcome<unknown>>(
  outcome: Outcome,
): asserts outcome is Extract<Outcome, { readonly ok: true }> {
  if (typeof (outcome as Partial<ToolOutcome> | undefined)?.ok !== "boolean") {
    throw new ToolError(
      "invalid_configuration",
      "assertCompleted takes the outcome of a call: await executor.execute(call).",
    );
  }
  if (outcome.ok) return;
  if (outcome.error !== undefined) throw outcome.error;
  const { name } = outcome.interruption.call;
  throw new ToolError(
    "permission_denied",
    `The call of ${name} waits for a person: answer its interruption with executor.resume(interruption, answers).`,
  );
}
