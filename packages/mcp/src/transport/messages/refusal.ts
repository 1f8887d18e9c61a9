/** The code for a version that a server does not speak (2026-07-28, Base protocol, Errors). */
export const unsupportedVersion: number = -32022;

/** Messages and errors by which a server has refused a request as a whole. */
const refusals = new WeakSet<object>();

/** Remembers that this answer came with an HTTP status from 400 on: the server has not begun to run the request. */
export function markRefusal(message: object): void {
  refusals.add(message);
}

/**
 * True for an answer that is marked, and for the error made of it. An error under a 200 says nothing of that: the request
 * was accepted, and may have failed half-way.
 */
export function isRefusal(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && refusals.has(answer);
}
