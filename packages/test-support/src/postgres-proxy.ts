import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { resetSocket } from "./reset-socket.ts";
import {
  isEncryptionRequest,
  MessageReader,
  StatementTracker,
  type PostgresMessage,
} from "./postgres-messages.ts";

/** A direction of the bytes of a connection. */
export type ProxyDirection = "toServer" | "toClient";

/** Numbers of what a proxy has done so far. */
export interface ProxyCounts {
  /** Connections of clients. */
  connections: number;
  /** Answers to statements whose effect was committed: a `COMMIT`, or a statement outside of a transaction. */
  committed: number;
  /** Those of them that were lost. */
  lostAnswers: number;
  /** Connections that were reset by `resetAll`. */
  resets: number;
  /** Connections that were cut by `cutAfter`. */
  cuts: number;
}

/** A proxy in front of a PostgreSQL or a pgbouncer, whose faults can be changed while it runs. */
export interface PostgresProxy {
  /** The URL of the target, with the address of the proxy. */
  readonly url: string;
  readonly counts: Readonly<ProxyCounts>;
  /** Resets all connections (RST), to the clients and to the server. Returns their number. */
  resetAll(): number;
  /**
   * Holds back the bytes of all connections, and of new ones, in one direction or both: no error, no end. They are
   * forwarded after `restore`.
   */
  silence(direction: ProxyDirection | "both"): void;
  /** Delays all bytes by so many milliseconds, in both directions. */
  delay(ms: number): void;
  /** Forwards so many more bytes of all connections in this direction; then cuts the connection that has the next one. */
  cutAfter(bytes: number, direction: ProxyDirection): void;
  /**
   * Loses the answers to statements whose effect is committed: instead of `CommandComplete` and `ReadyForQuery`, the
   * client gets the end of its connection.
   *
   * @param probability 0 to 1, drawn by the seed of the proxy.
   * @param statements those whose text matches. Default: all.
   */
  loseAnswers(probability: number, statements?: RegExp): void;
  /** Ends all faults: new ones, and the silence and delay of bytes that wait. */
  restore(): void;
  end(): Promise<void>;
}

/**
 * Starts a proxy on a free port of 127.0.0.1.
 *
 * @param target the URL of a PostgreSQL without TLS. Requests for TLS are refused by the proxy.
 * @param seed of the answers that are lost. Default: 1.
 */
export async function startPostgresProxy(target: string, seed = 1): Promise<PostgresProxy> {
  const url = new URL(target);
  const address = {
    host: url.hostname,
    port: Number(url.port || 5432),
    allowHalfOpen: true,
    noDelay: true,
  };
  const faults = new Faults(seed);
  const open = new Set<Connection>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const connection = new Connection(client, connect(address), faults);
    faults.counts.connections++;
    open.add(connection);
    client.once("close", () => open.delete(connection));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("The proxy has no port.");
  url.host = `127.0.0.1:${bound.port}`;
  const closeAll = (): number => {
    const closed = open.size;
    for (const connection of open) connection.reset();
    open.clear();
    return closed;
  };
  return {
    url: url.href,
    counts: faults.counts,
    resetAll() {
      const resets = closeAll();
      faults.counts.resets += resets;
      return resets;
    },
    silence: (direction) => (faults.silent = direction),
    delay: (ms) => (faults.delayMs = ms),
    cutAfter: (bytes, direction) => (faults.cut = { bytes, direction }),
    loseAnswers: (probability, statements = /^/) => (faults.loss = { probability, statements }),
    restore() {
      faults.end();
      for (const connection of open) connection.forward();
    },
    async end() {
      server.close();
      closeAll();
      await once(server, "close");
    },
  };
}

/** The present faults of a proxy. */
class Faults {
  silent: ProxyDirection | "both" | undefined;
  delayMs = 0;
  cut: { bytes: number; readonly direction: ProxyDirection } | undefined;
  loss = { probability: 0, statements: /^/ };
  readonly counts: ProxyCounts = {
    connections: 0,
    committed: 0,
    lostAnswers: 0,
    resets: 0,
    cuts: 0,
  };
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  end(): void {
    this.silent = undefined;
    this.delayMs = 0;
    this.cut = undefined;
    this.loss = { probability: 0, statements: /^/ };
  }

  isSilent(direction: ProxyDirection): boolean {
    return this.silent === "both" || this.silent === direction;
  }

  /** Whether the answer to this statement, whose effect is committed, is lost. */
  losesAnswer(statement: string): boolean {
    this.counts.committed++;
    const { probability, statements } = this.loss;
    const isLost = probability > 0 && statements.test(statement) && this.#random() < probability;
    if (isLost) this.counts.lostAnswers++;
    return isLost;
  }

  /** Mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** A connection of a client, and the one to the server that belongs to it. */
class Connection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #faults: Faults;
  readonly #toServer: Lane;
  readonly #toClient: Lane;
  readonly #statements = new StatementTracker();
  /** The end of an answer, from its first `CommandComplete`, until it is complete. */
  #held: PostgresMessage[] = [];

  constructor(client: Socket, server: Socket, faults: Faults) {
    this.#client = client;
    this.#server = server;
    this.#faults = faults;
    const cut = (): void => {
      faults.counts.cuts++;
      this.reset();
    };
    this.#toServer = new Lane("toServer", server, faults, cut);
    this.#toClient = new Lane("toClient", client, faults, cut);
    const requests = new MessageReader(false);
    client.on("data", (chunk: Buffer) => {
      for (const message of requests.read(chunk)) this.#onRequest(message);
    });
    const answers = new MessageReader(true);
    server.on("data", (chunk: Buffer) => {
      for (const message of answers.read(chunk)) this.#onAnswer(message);
    });
    client.on("end", () => this.#toServer.push("end"));
    server.on("end", () => this.#toClient.push("end"));
    client.on("error", () => this.#toServer.push("reset"));
    server.on("error", () => this.#toClient.push("reset"));
  }

  reset(): void {
    this.#toServer.clear();
    this.#toClient.clear();
    for (const socket of [this.#client, this.#server]) resetSocket(socket);
  }

  /** Forwards what no fault holds back. */
  forward(): void {
    this.#toServer.forward(true);
    this.#toClient.forward(true);
  }

  #onRequest(message: PostgresMessage): void {
    if (message.type === "" && isEncryptionRequest(message.body)) {
      this.#client.write("N");
      return;
    }
    this.#statements.onRequest(message);
    this.#toServer.push(message.bytes);
  }

  #onAnswer(message: PostgresMessage): void {
    if (message.type !== "C" && message.type !== "Z" && this.#held.length === 0) {
      this.#toClient.push(message.bytes);
      return;
    }
    this.#held.push(message);
    if (message.type !== "Z") return;
    const held = this.#held;
    this.#held = [];
    const statement = this.#statements.onReady();
    if (statement !== undefined && isCommitted(held) && this.#faults.losesAnswer(statement)) {
      this.reset();
      return;
    }
    this.#toClient.push(Buffer.concat(held.map(({ bytes }) => bytes)));
  }
}

/** Whether the end of an answer reports an effect that is committed. */
function isCommitted(end: readonly PostgresMessage[]): boolean {
  const isIdle = end.at(-1)?.body.toString("latin1") === "I";
  const last = end.findLast(({ type }) => type === "C");
  const isRolledBack = last?.body.toString("latin1") === "ROLLBACK\0";
  return isIdle && last !== undefined && !isRolledBack && !end.some(({ type }) => type === "E");
}

type LaneItem = Buffer | "end" | "reset";

/** One direction of a connection: what is forwarded to its socket, in order. */
class Lane {
  readonly #direction: ProxyDirection;
  readonly #target: Socket;
  readonly #faults: Faults;
  readonly #onCut: () => void;
  #items: { readonly item: LaneItem; readonly at: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(direction: ProxyDirection, target: Socket, faults: Faults, onCut: () => void) {
    this.#direction = direction;
    this.#target = target;
    this.#faults = faults;
    this.#onCut = onCut;
  }

  push(item: LaneItem): void {
    this.#items.push({ item, at: performance.now() + this.#faults.delayMs });
    this.forward();
  }

  clear(): void {
    this.#items = [];
    clearTimeout(this.#timer);
  }

  /** @param now true: items are not delayed any longer. */
  forward(now = false): void {
    clearTimeout(this.#timer);
    for (;;) {
      const [next] = this.#items;
      if (next === undefined || this.#faults.isSilent(this.#direction)) return;
      const wait = next.at - performance.now();
      if (wait > 0 && !now) {
        this.#timer = setTimeout(() => this.forward(), wait);
        return;
      }
      this.#items.shift();
      if (next.item === "end") this.#target.end();
      else if (next.item === "reset") resetSocket(this.#target);
      else this.#write(next.item);
    }
  }

  #write(bytes: Buffer): void {
    const { cut } = this.#faults;
    if (cut?.direction !== this.#direction || cut.bytes >= bytes.length) {
      if (cut?.direction === this.#direction) cut.bytes -= bytes.length;
      this.#target.write(bytes);
      return;
    }
    this.#target.end(bytes.subarray(0, cut.bytes));
    this.#faults.cut = undefined;
    this.#onCut();
  }
}
