import type { Socket } from "node:net";

/** Methods of which a request may be sent again: RFC 9110, section 9.2.2; QUERY: RFC 10008, section 2. */
export const idempotentMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PUT",
  "DELETE",
  "QUERY",
]);

let moments = 0;

/** The moment at which the socket of an error was opened. */
const openedAt = new WeakMap<object, number>();

/** The order in which things happen: each moment is after those before. */
export function moment(): number {
  return ++moments;
}

/** Remembers of a socket's errors when it was opened: now. */
export function watchSocket(socket: Socket): void {
  const opened = moment();
  socket.on("error", (error) => openedAt.set(error, opened));
}

/**
 * True for an error of a socket that had been open before `sent`: the server may have closed it while the request was
 * on its way (RFC 9110, section 9.2.2, lets a client repeat what is idempotent then).
 */
export function isStale(error: Error, sent: number): boolean {
  const opened = openedAt.get(error);
  return opened !== undefined && opened < sent;
}
