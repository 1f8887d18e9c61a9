import { setTimeout as wait } from "node:timers/promises";
import type { RunningConsole } from "../consoles/console.ts";

/** `tool.requested`, `tool.authorized`, `tool.started` and `tool.completed`. */
const eventsPerCall = 4;
const intervalMs = 20;
/** Requests at the same time; a server that is slower gets fewer calls. */
const maxOpen = 100;

/**
 * Starts calls through the API of Studio, so that its executor emits so many events a second.
 *
 * @returns the number of events that the API has sent.
 */
export async function callAtRate(
  running: RunningConsole,
  { eventsPerSecond, seconds }: { readonly eventsPerSecond: number; readonly seconds: number },
): Promise<number> {
  const headers = { authorization: `Bearer ${running.token}` };
  const events = await countEvents(running, headers);
  const total = (eventsPerSecond / eventsPerCall) * seconds;
  const open = new Set<Promise<void>>();
  const start = performance.now();
  let failure: unknown;
  for (let sent = 0; sent < total && performance.now() - start < seconds * 1000;) {
    const due = ((performance.now() - start) / 1000) * (eventsPerSecond / eventsPerCall);
    for (; sent < Math.min(due, total) && open.size < maxOpen; sent++) {
      const call = startCall(running, headers)
        .catch((error: unknown) => (failure ??= error))
        .then(() => void open.delete(call));
      open.add(call);
    }
    if (failure !== undefined) throw failure;
    await wait(intervalMs);
  }
  await Promise.all(open);
  // The last events follow the response.
  await wait(500);
  return events.stop();
}

async function startCall(
  { origin }: RunningConsole,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const response = await fetch(`${origin}/api/calls`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name: "bench__billing_find_0000", arguments: { id: "1" } }),
  });
  const text = await response.text();
  // 429: the calls before have not ended. The number of events shows it.
  if (response.status !== 202 && response.status !== 429)
    throw new Error(`status ${response.status}: ${text}`);
}

/** Counts the events of the API from now on. */
async function countEvents(
  { origin }: RunningConsole,
  headers: Readonly<Record<string, string>>,
): Promise<{ stop(): Promise<number> }> {
  const aborter = new AbortController();
  const response = await fetch(`${origin}/api/events`, { headers, signal: aborter.signal });
  let count = 0;
  const reading = (async () => {
    let end = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const text = end + piece;
      count += text.split("\ndata:").length - 1;
      end = text.slice(-"data:".length);
    }
  })().catch(() => {});
  return {
    async stop() {
      aborter.abort();
      await reading;
      return count;
    },
  };
}
