import type { JsonValue } from "../spec/json.ts";
import { ToolError } from "../tool-error.ts";
import { latin1 } from "./secret-patterns.ts";

/** More than this is not searched in what an error carries with it. */
const mostNodes = 2000;
const mostCauses = 20;

/**
 * An error of which nothing is told that `told` takes out: its message, its body, its causes, and
 * with `thrown` its stack. The same error where there is nothing.
 */
export function redactError(
  error: ToolError,
  told: <Value>(value: Value) => Value,
  thrown: boolean,
): ToolError {
  const message = told(error.message);
  const body = error.body === undefined ? undefined : told(error.body);
  const cause = error.cause === undefined ? undefined : redactCause(error.cause, told, mostCauses);
  const stack = thrown || error.cause !== undefined ? error.stack : undefined;
  if (
    isPlain(error, told) &&
    message === error.message &&
    body === error.body &&
    cause === error.cause &&
    (stack === undefined || told(stack) === stack)
  ) {
    return error;
  }
  const { code, retryable, audience } = error;
  const [status, retryAfterMs] = [error.status, error.retryAfterMs].map((given) =>
    typeof given === "number" && told(given) === given ? given : undefined,
  );
  // The new one's stack is of here, where its message is no secret any more.
  return new ToolError(code, message, {
    retryable,
    audience,
    ...(cause === undefined ? {} : { cause }),
    ...(status === undefined ? {} : { status }),
    ...(body === undefined ? {} : { body: body as JsonValue }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** The cause itself when all of it could be read and nothing was found, else what may be told of it. */
function redactCause(cause: unknown, told: <Value>(value: Value) => Value, depth: number): unknown {
  if (typeof cause === "string") return told(cause);
  if (typeof cause !== "object" && typeof cause !== "function") return cause;
  if (cause === null) return cause;
  try {
    if (depth > 0 && isClean(cause, told)) {
      if (!(cause instanceof Error) || cause.cause === undefined) return cause;
      if (redactCause(cause.cause, told, depth - 1) === cause.cause) return cause;
    }
  } catch {
    // What cannot be read may hold anything.
  }
  return shownCause(cause, told, depth);
}

function shownCause(cause: object, told: <Value>(value: Value) => Value, depth: number): Error {
  const shown = new Error("The cause is withheld: it holds a secret, or cannot be read.");
  try {
    if (!(cause instanceof Error)) return shown;
    const { name, message, stack } = cause;
    shown.message = told(String(message));
    Object.defineProperty(shown, "name", { value: told(String(name)), configurable: true });
    Object.defineProperty(shown, "stack", { value: told(String(stack)), configurable: true });
    if (cause.cause !== undefined && depth > 0) {
      const value = redactCause(cause.cause, told, depth - 1);
      Object.defineProperty(shown, "cause", { value, configurable: true });
    }
  } catch {
    // What could be read is enough.
  }
  return shown;
}

/** What every error of this kind has; the rest somebody has put there. */
const ownKeys: ReadonlySet<PropertyKey> = new Set([
  ...["name", "message", "stack", "cause", "body", "code", "retryable", "audience"],
  ...["status", "retryAfterMs", Symbol.for("toolweave.ToolError")],
]);

/** True when nothing is secret of what it holds beside message, body, causes and stack. */
function isPlain(error: ToolError, told: <Value>(value: Value) => Value): boolean {
  const { name, status, retryAfterMs } = error;
  if (name !== "ToolError" && told(name) !== name) return false;
  if (!isNumber(status, told) || !isNumber(retryAfterMs, told)) return false;
  for (const key of Reflect.ownKeys(error)) {
    if (!ownKeys.has(key)) return isClean(error, told, ownKeys);
    // What it tells now it need not tell later.
    const own = Object.getOwnPropertyDescriptor(error, key);
    if (key !== "stack" && own?.get !== undefined) return false;
  }
  return true;
}

function isNumber(value: unknown, told: <Value>(value: Value) => Value): boolean {
  return value === undefined || (typeof value === "number" && told(value) === value);
}

const onlyCause: ReadonlySet<PropertyKey> = new Set(["cause"]);

/** Whoever prints an object with this gets what only its own code knows, as of a URL or a request. */
const inspected = Symbol.for("nodejs.util.inspect.custom");

/**
 * True when nothing of all that can be read of it without running its code is secret, and it has no
 * code that would tell more. What `skipped` names is looked at elsewhere.
 */
function isClean(
  cause: object,
  told: <Value>(value: Value) => Value,
  skipped: ReadonlySet<PropertyKey> = onlyCause,
): boolean {
  const seen = new Set<object>();
  const clean = (value: unknown): boolean => {
    if (typeof value === "string" || typeof value === "number") return told(value) === value;
    if (typeof value !== "object" && typeof value !== "function") return true;
    if (value === null || seen.has(value)) return true;
    if (seen.size === mostNodes) return false;
    seen.add(value);
    if (value instanceof Uint8Array) return told(latin1(value)) === latin1(value);
    if (inspected in value) return false;
    const isList = value instanceof Map || value instanceof Set;
    if (isList && ![...value].every(clean)) return false;
    for (const key of Reflect.ownKeys(value)) {
      const own = Object.getOwnPropertyDescriptor(value, key);
      if (value === cause && skipped.has(key) && own?.get === undefined) continue;
      if (told(String(key)) !== String(key)) return false;
      // V8's stack is an accessor in some versions, and reading it runs nothing.
      const isStack = key === "stack" && value instanceof Error;
      if (!isStack && (own?.get !== undefined || key === "toJSON")) return false;
      if (!clean(isStack ? value.stack : own?.value)) return false;
    }
    return true;
  };
  return clean(cause) && (!(cause instanceof Error) || clean(cause.message));
}
