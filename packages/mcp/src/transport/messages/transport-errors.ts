/** The connection to a server is gone, or its process could not be started or has ended. */
export class ServerEnded extends Error {
  /** What its process had written to its standard error last. */
  readonly stderr: string;

  constructor(message: string, said: string, cause?: unknown) {
    super(message, { cause });
    this.stderr = said;
  }
}

/**
 * The server has accepted a request, and does not give its answer: it may have been run, so that it is not sent again.
 * Not thrown for what is refused before it begins: see `isLostSession`.
 */
export class AnswerLost extends Error {
  /** @param message what the server did instead, as the rest of a sentence that begins with its name. */
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

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

/** A server was taken for one of the older protocol, and speaks the newer one: it had only not begun yet. */
export class LateVersionAnswer extends Error {
  constructor() {
    super("the server answered late which protocol it speaks");
  }
}
