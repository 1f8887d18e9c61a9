/** The connection to a server is closed, or its process could not be started or has ended. */
export class ConnectionClosedError extends Error {
  /** Last output of the server's process to its standard error. */
  readonly stderr: string;
  /** First line of the process that is no message. */
  readonly sample: string | undefined;

  constructor(message: string, stderr: string, cause?: unknown, sample?: string) {
    super(message, { cause });
    this.stderr = stderr;
    this.sample = sample;
  }
}

/** The process writes text to its standard output that is no JSON-RPC, and has sent no message: it is no MCP server. */
export class NoProtocolError extends ConnectionClosedError {
  /** @param line The first line that is no message. */
  constructor(line: string, stderr: string) {
    super(
      `it is no MCP server over stdio, or prints to its standard output: its first line that is no JSON-RPC message is "${line}"`,
      stderr,
    );
  }
}

/**
 * The server has accepted a request and does not return its response: it may have been run, so it is not sent again.
 * Not thrown for requests that are rejected before they begin: see `isLostSession`.
 */
export class ResponseLostError extends Error {
  /** @param message What the server did instead: the rest of a sentence that begins with its name. */
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** Neither transport over HTTP has worked. */
export class SseFallbackError extends Error {
  /** Error of the older transport. */
  readonly second: unknown;

  /** @param first Error of Streamable HTTP: its `data` has the status. */
  constructor(first: Error, second: unknown) {
    super(first.message, { cause: first });
    Object.assign(this, { data: (first as { readonly data?: unknown }).data });
    this.second = second;
  }
}

/** The code for a version that a server does not speak (2026-07-28, Base protocol, Errors). */
export const unsupportedVersion: number = -32022;

/** Messages and errors by which a server has rejected a request as a whole. */
const rejections = new WeakSet<object>();

/** Marks a response that came with an HTTP status from 400 on: the server has not begun to run the request. */
export function markRejection(message: object): void {
  rejections.add(message);
}

/**
 * True for a marked response and for the error made of it. An error under a 200 is not marked: the request was
 * accepted and may have failed half-way.
 */
export function isRejection(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && rejections.has(answer);
}

/** Errors and responses by which a server has refused a request because it does not know the session. */
const lostSessions = new WeakSet<object>();

/** Marks an error, or a response with one: the server does not know the session, and has not run the request. */
export function markLostSession<T extends object>(error: T): T {
  lostSessions.add(error);
  return error;
}

/** True for a marked response and for the error made of it. */
export function isMarkedLost(error: unknown): boolean {
  return typeof error === "object" && error !== null && lostSessions.has(error);
}

/** A server was treated as one of the older protocol because it responded late, and speaks the newer one. */
export class LateVersionResponseError extends Error {
  constructor() {
    super("the server responded late to the version probe");
  }
}
