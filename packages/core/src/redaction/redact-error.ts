import { toJson } from "../json/to-json.ts";
import type { JsonValue } from "../json/json.ts";
import { ToolError } from "../contract/tool-error.ts";
import { ErrorSearch, type ErrorLimits, type RedactAny } from "./error-search.ts";

/** Limits for one error, its body, its causes and all objects that they refer to. */
export const defaultErrorLimits: ErrorLimits = {
  maxWork: 50_000,
  maxCauses: 20,
  maxTextLength: 100_000,
  maxMessageLength: 1_000_000,
  maxBodyBytes: 1_048_576,
};

/**
 * An error without the secrets that `redact` takes out of its message, its body, its causes, its other properties and,
 * if `thrown`, its stack. The same error if it has none.
 *
 * One descent over the error and its causes, however they are linked, with bounded work (`limits`): parts beyond the
 * limits are withheld, since they were not searched.
 */
export function redactError(
  error: ToolError,
  redact: RedactAny,
  thrown: boolean,
  limits: ErrorLimits = defaultErrorLimits,
): ToolError {
  const search = new ErrorSearch(redact, limits);
  // Each is read once.
  const { code, retryable, audience, message: givenMessage, body: givenBody } = error;
  const givenCause = error.cause;
  const message = search.redactMessage(givenMessage);
  const body = givenBody === undefined ? undefined : redact(toJson(givenBody, limits.maxBodyBytes));
  const cause = givenCause === undefined ? undefined : search.redactCause(givenCause);
  const stack = thrown || givenCause !== undefined ? error.stack : undefined;
  if (
    isPlain(error, search) &&
    message === givenMessage &&
    body === givenBody &&
    cause === givenCause &&
    (stack === undefined || search.isCleanText(stack))
  ) {
    return error;
  }
  const [status, retryAfterMs] = [error.status, error.retryAfterMs].map((given) =>
    typeof given === "number" && redact(given) === given ? given : undefined,
  );
  // The new error has a stack of its own, whose message is the redacted one.
  return new ToolError(code, message, {
    retryable,
    audience,
    ...(cause === undefined ? {} : { cause }),
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body: body as JsonValue }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The members that every `ToolError` has; any other one was added by the tool. */
const ownKeys: ReadonlySet<PropertyKey> = new Set([
  ...["name", "message", "stack", "cause", "body", "code", "retryable", "audience"],
  ...["status", "retryAfterMs", Symbol.for("toolweave.ToolError")],
]);

/** True if the error holds no secret beside message, body, causes and stack. */
function isPlain(error: ToolError, search: ErrorSearch): boolean {
  const { name, status, retryAfterMs } = error;
  if (name !== "ToolError" && !search.isCleanText(name)) return false;
  if (!search.isCleanNumber(status) || !search.isCleanNumber(retryAfterMs)) return false;
  for (const key of Reflect.ownKeys(error)) {
    if (!ownKeys.has(key)) return search.isClean(error, ownKeys);
    // A getter can return something else when it is read later.
    const own = Object.getOwnPropertyDescriptor(error, key);
    if (key !== "stack" && own?.get !== undefined) return false;
  }
  return true;
}
