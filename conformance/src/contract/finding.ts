/** What a check came to. */
export type Finding =
  | { readonly status: "passed"; readonly message: string }
  | { readonly status: "not-applicable"; readonly message: string }
  | {
      readonly status: "failed";
      readonly message: string;
      readonly done: string;
      readonly seen: string;
    };

const maxSeen = 500;

/** @param done what was looked at or tried. */
export function passed(done: string): Finding {
  return { status: "passed", message: done };
}

/** @param reason why the rule has nothing to say here. */
export function notApplicable(reason: string): Finding {
  return { status: "not-applicable", message: reason };
}

/**
 * @param message one sentence: what is wrong.
 * @param done what was looked at or tried.
 * @param seen what was found; bounded.
 */
export function failed(message: string, done: string, seen: unknown): Finding {
  return { status: "failed", message, done, seen: show(seen) };
}

/** A value as a person reads it in a report; text as it is, the rest as JSON where it can be. */
export function show(value: unknown): string {
  const text = typeof value === "string" ? value : (jsonOf(value) ?? String(value));
  return text.length > maxSeen ? `${text.slice(0, maxSeen)}…` : text;
}

/** The message of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : show(thrown);
}

const mostCauses = 3;

/** The same with what caused it, for the author of what threw. */
export function withCauses(thrown: unknown): string {
  const told = [messageOf(thrown)];
  let current = thrown;
  while (current instanceof Error && current.cause !== undefined && told.length <= mostCauses) {
    current = current.cause;
    told.push(messageOf(current));
  }
  return told.join(" Caused by ");
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
