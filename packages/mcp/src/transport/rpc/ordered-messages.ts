import type { Transport } from "@modelcontextprotocol/client";

type Receive = NonNullable<Transport["onmessage"]>;

/**
 * Takes messages one after the other. The SDK handles a response at once and a notification a moment
 * later: progress that comes in one piece with the response would be progress of a call that has
 * ended, and lost.
 */
export function orderedMessages(receive: Receive): Receive {
  const waiting: Parameters<Receive>[] = [];
  let holding = false;
  const take = (...received: Parameters<Receive>): void => {
    const [message] = received;
    if (!("id" in message)) {
      holding = true;
      // After all that the notification has set going, and before anything else is read.
      queueMicrotask(() => process.nextTick(goOn));
    }
    receive(...received);
  };
  const goOn = (): void => {
    holding = false;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      take(...next);
      if (holding) return;
    }
  };
  return (...received: Parameters<Receive>) => {
    if (holding) waiting.push(received);
    else take(...received);
  };
}
