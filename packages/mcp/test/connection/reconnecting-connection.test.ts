import { ToolError } from "@toolweave/core";
import { FakeClock } from "@toolweave/test-support/fake-clock";
import { describe, expect, it, vi } from "vitest";
import type { McpConnection } from "../../src/transport/messages/mcp-connection.ts";
import {
  backoffMs,
  ReconnectingConnection,
  type ReconnectingOptions,
} from "../../src/connection/reconnecting-connection.ts";
import {
  type ConnectionLease,
  ConnectionLease as Live,
} from "../../src/connection/connection-lease.ts";

/** A connection that ends on request: the test cannot wait for real time. */
class Connection {
  readonly live: ConnectionLease;
  isClosed = false;
  pings = 0;
  answers = true;
  end: (why?: unknown) => void = () => {};

  constructor(era: "legacy" | "modern" = "legacy") {
    const closed = new Promise<unknown>((resolve) => (this.end = resolve));
    const connection = {
      era,
      closed,
      request: (_method: string, _params: object, { signal }: { signal: AbortSignal }) => {
        this.pings += 1;
        return this.answers
          ? Promise.resolve({})
          : new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error));
            });
      },
      close: async () => {
        this.isClosed = true;
        this.end();
      },
    };
    this.live = new Live(connection as unknown as McpConnection, {} as never);
  }
}

function linked(more: Partial<ReconnectingOptions> = {}): {
  link: ReconnectingConnection;
  clock: FakeClock;
  open: ReturnType<typeof vi.fn<() => Promise<ConnectionLease>>>;
  made: Connection[];
  troubles: (string | undefined)[];
} {
  const clock = new FakeClock();
  const made: Connection[] = [];
  const troubles: (string | undefined)[] = [];
  const open = vi.fn<() => Promise<ConnectionLease>>(async () => {
    const connection = new Connection();
    made.push(connection);
    return connection.live;
  });
  const link: ReconnectingConnection = new ReconnectingConnection({
    server: "s",
    clock,
    timeoutMs: 1_000,
    reconnect: true,
    maxFailures: 5,
    random: () => 0.5,
    open,
    toError: (thrown) => new ToolError("unavailable", String(thrown)),
    onTrouble: () => troubles.push(link.trouble?.code),
    ...more,
  });
  return { link, clock, open, made, troubles };
}

describe("a link", () => {
  it("connects once for concurrent requests", async () => {
    const { link, open } = linked();
    const [a, b] = await Promise.all([link.connection(), link.connection()]);
    expect(a).toBe(b);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it("without reconnect ends its attempt when the last waiting call is cancelled, which is not a failure", async () => {
    const signals: AbortSignal[] = [];
    const open = vi.fn<ReconnectingOptions["open"]>(
      (signal: AbortSignal) =>
        new Promise<ConnectionLease>((_, reject) => {
          signals.push(signal);
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    );
    const { link, troubles } = linked({ reconnect: false, open });
    const [one, other] = [new AbortController(), new AbortController()];
    const waiting = [link.connection(one.signal), link.connection(other.signal)];
    const settled = Promise.allSettled(waiting);
    one.abort();
    await Promise.allSettled([waiting[0]]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    other.abort();
    await settled;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect([link.status, link.trouble, troubles]).toEqual(["idle", undefined, []]);
    // The next call does not wait for the abandoned attempt.
    void link.connection().catch(() => {});
    expect(open).toHaveBeenCalledTimes(2);
  });

  it("reopens a lost connection within half a second for waiting calls, without trouble", async () => {
    const { link, clock, made, open, troubles } = linked();
    await link.connection();
    await clock.advance(20_000);
    made[0]?.end("gone");
    await clock.advance(0);
    expect(link.status).toBe("waiting");
    const next = link.connection();
    await clock.advance(500);
    expect(await next).toBe(made[1]?.live);
    expect(open).toHaveBeenCalledTimes(2);
    expect(troubles).toEqual([]);
  });

  it("that is lost soon after each start, but has answered a call each time, is reopened at once, any number of times", async () => {
    const { link, clock, made, open, troubles } = linked();
    await link.connection();
    for (let time = 1; time <= 20; time++) {
      const { live, end } = made.at(-1) as Connection;
      live.hasAnswered = true;
      end("gone");
      await clock.advance(0);
      expect(link.status).toBe("waiting");
      await clock.advance(500);
    }
    expect([link.status, open.mock.calls.length, troubles]).toEqual(["ready", 21, []]);
  });

  it("MF05: that is lost soon after each start is retried with growing delays, and then only on request", async () => {
    const { link, clock, open, made, troubles } = linked();
    const at: number[] = [];
    open.mockImplementation(async () => {
      at.push(clock.now());
      const connection = new Connection();
      made.push(connection);
      clock.setTimeout(() => connection.end("exit"), 200);
      return connection.live;
    });
    await link.connection();
    await clock.advance(10 * 60_000);
    expect(link.status).toBe("failed");
    expect(open).toHaveBeenCalledTimes(5);
    const waits = at.slice(1).map((time, index) => time - (at[index] as number) - 200);
    expect(waits).toEqual([750, 1_500, 3_000, 6_000]);
    expect(troubles.at(-1)).toBe("unavailable");
    expect(clock.timers).toBe(0);
    await link.connectNow();
    expect(open).toHaveBeenCalledTimes(6);
  });

  it("resets its failures after it was healthy for a while", async () => {
    const { link, clock, open, made } = linked();
    await link.connection();
    for (const _ of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await clock.advance(20_000);
      made.at(-1)?.end("gone");
      await clock.advance(500);
    }
    expect(open).toHaveBeenCalledTimes(9);
    expect(link.status).toBe("ready");
  });

  it("fails at once while attempts fail, with the time of the next one", async () => {
    const { link, clock, open } = linked();
    open.mockRejectedValue(new Error("refused"));
    await expect(link.connection()).rejects.toMatchObject({ code: "unavailable" });
    await expect(link.connection()).rejects.toMatchObject({
      code: "unavailable",
      retryAfterMs: 750,
    });
    expect(open).toHaveBeenCalledTimes(1);
    await clock.advance(750);
    expect(open).toHaveBeenCalledTimes(2);
  });

  it("does not retry errors that only a person can resolve, except on request", async () => {
    const error = new ToolError("auth_required", "Sign in.");
    const { link, clock, open } = linked({ toError: () => error });
    open.mockRejectedValue(error);
    await expect(link.connection()).rejects.toBe(error);
    await clock.advance(60 * 60_000);
    expect(open).toHaveBeenCalledTimes(1);
    open.mockResolvedValue(new Connection().live);
    await link.connection();
    expect(link.trouble).toBeUndefined();
  });

  it("MF02: aborts an attempt after the timeout, and closes a connection that is opened late", async () => {
    const { link, clock, open } = linked();
    const signals: AbortSignal[] = [];
    open.mockImplementation(((signal: AbortSignal) => {
      signals.push(signal);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    }) as never);
    const connecting = link.connection();
    connecting.catch(() => {});
    await clock.advance(1_000);
    await expect(connecting).rejects.toMatchObject({
      code: "timeout",
      message: "Connecting to the MCP server s took more than 1000 ms.",
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("MF19: reconnects when three pings in a row get no response", async () => {
    const { link, clock, made } = linked();
    await link.connection();
    const [first] = made as [Connection];
    await clock.advance(2 * 60_000);
    expect(first.pings).toBe(4);
    first.answers = false;
    await clock.advance(3 * 40_000 + 500);
    expect(first.isClosed).toBe(true);
    expect(made).toHaveLength(2);
    expect(link.status).toBe("ready");
  });

  it("sends no ping while a call is in progress, and none in the newer protocol", async () => {
    const { link, clock, made, open } = linked();
    const live = await link.connection();
    live.begin();
    await clock.advance(10 * 60_000);
    expect(made[0]?.pings).toBe(0);
    const modern = new Connection("modern");
    open.mockResolvedValue(modern.live);
    await link.replace(live);
    await clock.advance(10 * 60_000);
    expect(modern.pings).toBe(0);
  });

  it("that is replaced lets requests in progress end over the old one", async () => {
    const { link, made } = linked();
    const old = await link.connection();
    old.begin();
    const next = await link.replace(old);
    expect(next).not.toBe(old);
    expect(await link.replace(old)).toBe(next);
    expect(made[0]?.isClosed).toBe(false);
    old.done();
    expect(made[0]?.isClosed).toBe(true);
  });

  it("without reconnect closes five minutes after the last call, and connects for the next one", async () => {
    const onIdle = vi.fn<() => void>();
    const { link, clock, made } = linked({ reconnect: false, onIdle });
    const live = await link.connection();
    live.begin();
    await clock.advance(20 * 60_000);
    expect(made[0]?.isClosed).toBe(false);
    live.done();
    link.done();
    await clock.advance(5 * 60_000);
    expect(made[0]?.isClosed).toBe(true);
    expect(onIdle).toHaveBeenCalledTimes(1);
    await link.connection();
    expect(made).toHaveLength(2);
    // No call needs it: it is not opened again.
    made[1]?.end();
    await clock.advance(60_000);
    expect(made).toHaveLength(2);
  });

  it("MF28: that is closed leaves no timer, no attempt and no connection", async () => {
    const { link, clock, made, open } = linked();
    await link.connection();
    made[0]?.end("gone");
    await clock.advance(0);
    const waiting = link.connection();
    waiting.catch(() => {});
    await link.close();
    await expect(waiting).rejects.toMatchObject({ code: "unavailable", retryable: false });
    await clock.advance(60 * 60_000);
    expect(clock.timers).toBe(0);
    expect(open).toHaveBeenCalledTimes(1);
    await expect(link.connection()).rejects.toMatchObject({ retryable: false });
  });
});

describe("MF31: the delay before the next attempt", () => {
  it("is random, for hosts that have lost the same server at the same moment", () => {
    const hosts = Array.from({ length: 200 }, (_, index) => index / 200);
    expect(new Set(hosts.map((random) => backoffMs(0, random))).size).toBeGreaterThan(150);
    for (const failures of [1, 3, 30]) {
      const times = hosts.map((random) => backoffMs(failures, random));
      expect(Math.max(...times) / Math.min(...times)).toBeCloseTo(2, 1);
    }
  });

  it("is a minute at most", () => {
    expect(backoffMs(1_000, 1)).toBe(60_000);
  });
});
