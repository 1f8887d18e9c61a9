import { EventEmitter, once } from "node:events";
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { resetSocket } from "@toolweave/test-support";
import type { Random } from "../cluster/random.ts";

/**
 * The faults of a request. `busy`: answered with 503. `unsent`: the connection is reset before the request is
 * forwarded. `lost`: it is reset when the answer has come. `cutRequest`, `cutAnswer`: half of the body is forwarded, then
 * the connection is reset. `slow`: the answer is held back. `late`: the request is held back, and forwarded even if its
 * client does not wait any more. `skew`: refused because of its time. `wrongClock`: the same, by a server whose own time
 * is wrong.
 */
export const bucketFaults = [
  "busy",
  "unsent",
  "lost",
  "cutRequest",
  "cutAnswer",
  "slow",
  "late",
  "skew",
  "wrongClock",
] as const;

type BucketFault = (typeof bucketFaults)[number];

/** A request with its body, as far as it was read, and the answer to its client. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The connection of the client; a request that was cut has none. */
  readonly socket: Socket;
  readonly fault: BucketFault | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** A proxy in front of a service with the interface of S3, whose faults can be changed while it runs. */
export class FaultProxy {
  /** How often each fault has happened. */
  readonly counts: Record<BucketFault, number> = Object.fromEntries(
    bucketFaults.map((fault) => [fault, 0]),
  ) as Record<BucketFault, number>;
  readonly #target: URL;
  readonly #random: Random;
  /** Milliseconds for which requests and answers are held back. */
  readonly #heldMs: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #writes = new EventEmitter();
  readonly #open = new Set<Promise<void>>();
  readonly #server = createServer((request, response) => {
    const { socket } = request;
    const fault = this.#drawFault();
    const handled = this.#handle({ request, response, socket, fault })
      .catch(() => void resetSocket(socket))
      .finally(() => this.#open.delete(handled));
    this.#open.add(handled);
  });
  #probability = 0;
  #holding = new AbortController();

  private constructor(target: string, random: Random, heldMs: number) {
    this.#target = new URL(target);
    this.#random = random;
    this.#heldMs = heldMs;
  }

  /** Listens on a free port of 127.0.0.1. There are no faults at first. */
  static async start(target: string, random: Random, heldMs: number): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, random, heldMs);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on, so many of the requests have a fault: 0 to 1. */
  disturb(probability: number): void {
    this.#probability = probability;
    if (probability > 0 && this.#holding.signal.aborted) this.#holding = new AbortController();
  }

  /** Resolves when the next write begins to arrive, or when the signal is aborted. */
  async nextWrite(signal: AbortSignal): Promise<void> {
    await once(this.#writes, "write", { signal }).catch(() => {});
  }

  /** Ends all faults. Resolves when everything that was held back has arrived. */
  async restore(): Promise<void> {
    this.#probability = 0;
    this.#holding.abort();
    await Promise.all(this.#open);
  }

  async end(): Promise<void> {
    this.#holding.abort();
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await once(this.#server, "close");
  }

  #drawFault(): BucketFault | undefined {
    if (this.#random.next() >= this.#probability) return undefined;
    const fault = this.#random.pick(bucketFaults);
    this.counts[fault]++;
    return fault;
  }

  async #handle(exchange: Exchange): Promise<void> {
    const { request, response, socket, fault } = exchange;
    if (request.method === "PUT") this.#writes.emit("write");
    switch (fault) {
      case "unsent":
        return void resetSocket(socket);
      case "busy":
        return refuse(exchange, 503, "SlowDown", Date.now());
      case "skew":
        return refuse(exchange, 403, "RequestTimeTooSkewed", Date.now());
      case "wrongClock":
        return refuse(exchange, 403, "RequestTimeTooSkewed", Date.now() + 3_600_000);
      case "cutRequest":
        return this.#cutRequest(exchange);
      default: {
        const { status, headers, body } = await this.#forward(exchange);
        if (fault === "lost") return void resetSocket(socket);
        if (fault === "slow") await this.#hold();
        response.writeHead(status, [...headers]);
        if (fault !== "cutAnswer") return void response.end(body);
        response.flushHeaders();
        response.write(body.subarray(0, body.byteLength / 2), () => resetSocket(socket));
      }
    }
  }

  async #forward({ request, fault }: Exchange): Promise<Answer> {
    const whole = fault === "late" ? await buffer(request) : undefined;
    if (whole !== undefined) await this.#hold();
    const sent = this.#request(request);
    const answered = once(sent, "response") as Promise<[IncomingMessage]>;
    // If a process is killed while it writes, the service gets the beginning of its request.
    const [[answer]] = await Promise.all([
      answered,
      whole === undefined ? pipeline(request, sent) : sent.end(whole),
    ]);
    const { statusCode: status = 502, rawHeaders: headers } = answer;
    return { status, headers, body: await buffer(answer) };
  }

  async #cutRequest({ request, socket }: Exchange): Promise<void> {
    const body = await buffer(request);
    if (body.byteLength === 0) return void resetSocket(socket);
    const sent = this.#request(request);
    await new Promise((resolve) => sent.write(body.subarray(0, body.byteLength / 2), resolve));
    sent.destroy();
    resetSocket(socket);
  }

  /** The headers are the same, as they are signed. */
  #request({ method, url, rawHeaders: headers }: IncomingMessage) {
    const { hostname, port } = this.#target;
    const sent = httpRequest({ agent: this.#agent, hostname, port, method, path: url, headers });
    // Those that matter reject the exchange.
    return sent.on("error", () => {});
  }

  async #hold(): Promise<void> {
    await delay(this.#heldMs, undefined, { signal: this.#holding.signal }).catch(() => {});
  }
}

async function refuse(
  { request, response }: Exchange,
  status: number,
  code: string,
  time: number,
): Promise<void> {
  await buffer(request);
  response.writeHead(status, {
    "content-type": "application/xml",
    date: new Date(time).toUTCString(),
  });
  response.end(`<Error><Code>${code}</Code><Message>Refused.</Message></Error>`);
}
