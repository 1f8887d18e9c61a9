import type { Socket } from "node:net";

/** Methods whose requests may be sent again: RFC 9110, section 9.2.2; QUERY: RFC 10008, section 2. */
export const idempotentMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PUT",
  "DELETE",
  "QUERY",
]);

let lastMoment = 0;

/** The moment at which the socket of an error was opened, by the error. */
const openedAt = new WeakMap<object, number>();

/** Returns the next moment: a number that is larger than those of all earlier events. */
export function moment(): number {
  return ++lastMoment;
}

/** Records, for the errors of a socket, that the socket was opened now. */
export function watchSocket(socket: Socket): void {
  const opened = moment();
  socket.on("error", (error) => openedAt.set(error, opened));
}

/**
 * Returns true for an error of a socket that was open before `sent`: the server may have closed it while the request
 * was on its way. RFC 9110, section 9.2.2, lets a client repeat idempotent requests then.
 */
export function isStale(error: Error, sent: number): boolean {
  const opened = openedAt.get(error);
  return opened !== undefined && opened < sent;
}
