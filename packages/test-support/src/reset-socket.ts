import type { Socket } from "node:net";

/**
 * Ends a connection with RST. A peer that is slow to read gets the bytes before that, and a connection that is being
 * ended already is not reset: Node.js would never close it, and would not exit.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableLength > 0 || socket.writableEnded) socket.destroySoon();
  else socket.resetAndDestroy();
}
