/** The result of a check. */
export type Finding =
  | { readonly status: "passed"; readonly message: string }
  | { readonly status: "not-applicable"; readonly message: string }
  | {
      readonly status: "failed";
      readonly message: string;
      readonly done: string;
      readonly seen: string;
    };

const maxSeenLength = 500;

/** @param done what was checked or tried. */
export function passed(done: string): Finding {
  return { status: "passed", message: done };
}

/** @param reason why the rule does not apply. */
export function notApplicable(reason: string): Finding {
  return { status: "not-applicable", message: reason };
}

/**
 * @param message what is wrong, in one sentence.
 * @param done what was checked or tried.
 * @param seen what was observed; truncated to 500 characters.
 */
export function failed(message: string, done: string, seen: unknown): Finding {
  return { status: "failed", message, done, seen: formatValue(seen) };
}

/**
 * Formats a value for a report: text unchanged, other values as JSON if possible. Truncated to 500
 * characters.
 */
export function formatValue(value: unknown): string {
  const text = typeof value === "string" ? value : (toJson(value) ?? String(value));
  return text.length > maxSeenLength ? `${text.slice(0, maxSeenLength)}…` : text;
}

/** Formats a thrown value with its name and message. */
export function formatError(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : formatValue(thrown);
}

const maxCauses = 3;

/** Formats a thrown value with the errors that caused it. */
export function formatErrorWithCauses(thrown: unknown): string {
  const messages = [formatError(thrown)];
  let current = thrown;
  while (current instanceof Error && current.cause !== undefined && messages.length <= maxCauses) {
    current = current.cause;
    messages.push(formatError(current));
  }
  return messages.join(" Caused by ");
}

function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Shorter secrets occur in too many other words. */
const minSecretLength = 4;

/** Removes the secrets of the manifest from a finding, since other people read logs and reports. */
export function redactFinding(finding: Finding, secrets: readonly string[] = []): Finding {
  const clean = (text: string): string =>
    secrets
      .filter((secret) => secret.length >= minSecretLength)
      .reduce((rest, secret) => rest.replaceAll(secret, "[the secret]"), text);
  const message = clean(finding.message);
  if (finding.status !== "failed") return { ...finding, message };
  return { ...finding, message, done: clean(finding.done), seen: clean(finding.seen) };
}

/** A problem with one tool, call or block. */
export interface Fault {
  /** The end of a sentence that begins with the label: `has no description`. */
  readonly wrong: string;
  readonly seen: unknown;
}
