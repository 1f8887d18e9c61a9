import type { JsonObject, JsonValue } from "../json/json.ts";

/** The party that can resolve an error: the model (repair), a person (act), or the host (a defect). */
export type ErrorAudience = "model" | "user" | "host";

/** The stable code of a `ToolError`. */
export type ToolErrorCode =
  | "not_found"
  | "not_advertised"
  | "invalid_arguments"
  | "invalid_output"
  | "permission_denied"
  | "approval_rejected"
  | "approval_invalid"
  | "auth_required"
  | "limit_exceeded"
  | "rate_limited"
  | "timeout"
  | "cancelled"
  | "skipped"
  | "unavailable"
  | "upstream"
  | "execution_failed"
  | "outcome_unknown"
  | "artifact_missing"
  | "store_unavailable"
  | "invalid_configuration"
  | "internal";

/** The defaults of an error code, which an error can override. */
export interface ErrorDefaults {
  readonly retryable: boolean;
  readonly audience: ErrorAudience;
}

/** Every error code with its defaults. `docs/reference/errors.md` explains each. */
export const errorCodes: Readonly<Record<ToolErrorCode, ErrorDefaults>> = {
  not_found: { retryable: false, audience: "model" },
  not_advertised: { retryable: false, audience: "model" },
  invalid_arguments: { retryable: false, audience: "model" },
  invalid_output: { retryable: false, audience: "host" },
  permission_denied: { retryable: false, audience: "user" },
  approval_rejected: { retryable: false, audience: "user" },
  approval_invalid: { retryable: false, audience: "host" },
  auth_required: { retryable: false, audience: "user" },
  limit_exceeded: { retryable: false, audience: "host" },
  rate_limited: { retryable: true, audience: "model" },
  timeout: { retryable: true, audience: "model" },
  cancelled: { retryable: false, audience: "host" },
  skipped: { retryable: false, audience: "host" },
  unavailable: { retryable: true, audience: "host" },
  upstream: { retryable: false, audience: "model" },
  execution_failed: { retryable: false, audience: "model" },
  outcome_unknown: { retryable: false, audience: "user" },
  artifact_missing: { retryable: false, audience: "model" },
  store_unavailable: { retryable: true, audience: "host" },
  invalid_configuration: { retryable: false, audience: "host" },
  internal: { retryable: false, audience: "host" },
};

/** Options of a `ToolError` beside its code and message. */
export interface ToolErrorOptions {
  /** The cause, for the host. Never given to a model. */
  readonly cause?: unknown;
  /** Default: by code. */
  readonly retryable?: boolean;
  /** Default: by code. */
  readonly audience?: ErrorAudience;
  /** The upstream's status, with `upstream`. */
  readonly status?: number;
  /** The upstream's body, with `upstream`. */
  readonly body?: JsonValue;
  /** How long the other side asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

const brand = Symbol.for("toolweave.ToolError");

/**
 * The one error class. `message` is short, may be given to a model, names the next step, and holds no secret and no
 * stack; `cause` is for the host.
 */
export class ToolError extends Error {
  override readonly name: string = "ToolError";
  readonly code: ToolErrorCode;
  /** The same call may succeed later. */
  readonly retryable: boolean;
  readonly audience: ErrorAudience;
  readonly status?: number;
  readonly body?: JsonValue;
  readonly retryAfterMs?: number;

  constructor(code: ToolErrorCode, message: string, options: ToolErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    const defaults = errorCodes[code];
    this.code = code;
    this.retryable = options.retryable ?? defaults.retryable;
    this.audience = options.audience ?? defaults.audience;
    if (options.status !== undefined) this.status = options.status;
    if (options.body !== undefined) this.body = options.body;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    Object.defineProperty(this, brand, { value: true });
  }

  /** True for a `ToolError` of any copy of this package. */
  static is(value: unknown): value is ToolError {
    return typeof value === "object" && value !== null && brand in value;
  }

  /** The error as plain data, without cause and stack. */
  toJSON(): JsonObject {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      audience: this.audience,
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.body === undefined ? {} : { body: this.body }),
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
    };
  }
}
