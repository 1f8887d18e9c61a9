import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { eras, readText, type Era } from "./open-gateway.ts";

/** The number of clients of a gateway, and their behavior. */
export interface ManyClientsOptions {
  readonly url: string;
  /** Half of them of each generation of the protocol, all connecting at once. */
  readonly clients: number;
  /** Calls of each client one after the other; `false`: no more. */
  readonly mayCall: (client: number, calls: number) => boolean | Promise<boolean>;
  /** Makes a change that every connected client is notified of. */
  readonly change: () => void;
}

/** The results of the clients. */
export interface ManyClientsReport {
  readonly connected: Readonly<Record<Era, number>>;
  readonly calls: number;
  /** Wrong answers, and clients that could not connect, each as a sentence. */
  readonly failures: readonly string[];
  /** HTTP answers by status, of those that are not successes. */
  readonly refused: Readonly<Record<number, number>>;
  /** Opened streams; more than one per client means that it was disconnected. */
  readonly streams: number;
  /** Clients that were notified of the change at the end. */
  readonly notified: Readonly<Record<Era, number>>;
}

/**
 * Clients of both generations, each with a stream that stays open: they connect at once, call
 * `say`, and wait for a change. The tool `say` answers with its argument `say`.
 */
export async function manyClients(options: ManyClientsOptions): Promise<ManyClientsReport> {
  const failures: string[] = [];
  const refused: Record<number, number> = {};
  const connected = { legacy: 0, modern: 0 };
  const notified = { legacy: new Set<number>(), modern: new Set<number>() };
  let [calls, streams] = [0, 0];
  const counted = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const isStream = init?.method === "GET" || String(init?.body).includes("subscriptions/listen");
    if (isStream && response.ok) streams += 1;
    if (!response.ok) refused[response.status] = (refused[response.status] ?? 0) + 1;
    return response;
  };
  const ends: (() => Promise<void>)[] = [];
  let allNotified: (() => void) | undefined;
  const began = await Promise.all(
    Array.from({ length: options.clients }, async (_, index) => {
      const era = eras[index % 2] as Era;
      const client = new Client(
        { name: "host", version: "1" },
        { versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" } },
      );
      client.setNotificationHandler("notifications/tools/list_changed", () => {
        notified[era].add(index);
        if (notified.legacy.size + notified.modern.size === options.clients) allNotified?.();
      });
      ends.push(() => client.close());
      try {
        const transport = new StreamableHTTPClientTransport(new URL(options.url), {
          fetch: counted,
        });
        await client.connect(transport);
        if (era === "modern") await client.listen({ toolsListChanged: true });
        connected[era] += 1;
        return { client, index };
      } catch (error) {
        failures.push(`${era} client ${index}: ${String(error)}`);
        return undefined;
      }
    }),
  );
  await Promise.all(
    began.map(async (one) => {
      if (one === undefined) return;
      for (let made = 0; await options.mayCall(one.index, made); made++) {
        const say = `${one.index}/${made}`;
        try {
          const answer = await one.client.callTool({ name: "say", arguments: { say } });
          if (answer.isError === true || readText(answer) !== say) failures.push(readText(answer));
          calls += 1;
        } catch (error) {
          failures.push(
            `call of client ${one.index}: ${String(error)} ${String((error as Error).cause)}`,
          );
        }
      }
    }),
  );
  const changed = new Promise<void>((resolve) => (allNotified = resolve));
  options.change();
  // If a client was disconnected it is not notified: its absence is in the report.
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([changed, new Promise((resolve) => (timer = setTimeout(resolve, 10_000)))]);
  clearTimeout(timer);
  await Promise.allSettled(ends.map((end) => end()));
  return {
    connected,
    calls,
    failures,
    refused,
    streams,
    notified: { legacy: notified.legacy.size, modern: notified.modern.size },
  };
}
