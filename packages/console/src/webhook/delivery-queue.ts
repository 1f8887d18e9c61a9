import { ToolError, type Clock, type ClockTimer } from "@toolweave/core";
import { retryAfterMs, type HttpClient } from "@toolweave/http";
import { signatureHeader, type WebhookKeys } from "./signature.ts";
import type { WebhookMessage } from "./webhook-message.ts";

/** A message that the receiver has not accepted and will not get. */
export interface WebhookFailure {
  /** The `webhook-id` of the message. */
  readonly messageId: string;
  readonly type: WebhookMessage["type"];
  /** The approval that the message is about. */
  readonly approvalId: string;
  /** Number of requests that were sent. */
  readonly attempts: number;
  /** The reason, in one sentence: no secret, no argument of a call, and no part of the response's body. */
  readonly reason: string;
}

/** The settings of a queue. */
export interface DeliverySettings {
  readonly url: string;
  readonly keys: WebhookKeys;
  readonly http: HttpClient;
  /** Milliseconds from the creation of a message to its last attempt. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  onFailure(failure: WebhookFailure): void;
}

/** Messages that may be under way at once. */
const maxConcurrent = 4;
/** Messages that may wait; further ones fail at once. */
const maxQueued = 1_000;

const firstDelayMs = 1_000;
const maxDelayMs = 300_000;

interface Delivery {
  readonly id: string;
  readonly type: WebhookMessage["type"];
  readonly approvalId: string;
  readonly body: string;
  /** When the last attempt may start: milliseconds since the epoch. */
  readonly until: number;
  attempts: number;
  reason: string;
  timer?: ClockTimer;
}

/**
 * Sends messages until the receiver has accepted them, with a signature of the moment and the same id in each attempt.
 * Delays grow from 1 second to 5 minutes. A failure never leaves the queue as an error.
 */
export class DeliveryQueue {
  readonly #settings: DeliverySettings;
  readonly #queue: Delivery[] = [];
  /** Messages that wait for their next attempt. */
  readonly #waiting = new Set<Delivery>();
  #active = 0;
  /** Why no message is sent any more. */
  #stopped: string | undefined;
  #onIdle: (() => void)[] = [];

  constructor(settings: DeliverySettings) {
    this.#settings = settings;
  }

  /** Adds a message. Returns at once. */
  add(message: WebhookMessage): void {
    const { clock, deadlineMs } = this.#settings;
    const delivery: Delivery = {
      id: `msg_${crypto.randomUUID().replaceAll("-", "")}`,
      type: message.type,
      approvalId: message.data.id,
      body: JSON.stringify(message),
      until: clock.now() + deadlineMs,
      attempts: 0,
      reason: "",
    };
    if (this.#stopped !== undefined) return this.#fail(delivery, this.#stopped);
    if (this.#queue.length + this.#waiting.size >= maxQueued) {
      return this.#fail(delivery, `${maxQueued} messages wait already.`);
    }
    this.#queue.push(delivery);
    this.#start();
  }

  /** Resolves when no message waits and none is under way. */
  idle(): Promise<void> {
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /** Ends every message that was not accepted yet, and refuses new ones. */
  stop(reason: string): void {
    this.#stopped ??= reason;
    const unsent = [...this.#queue.splice(0), ...this.#waiting];
    this.#waiting.clear();
    for (const delivery of unsent) {
      if (delivery.timer !== undefined) this.#settings.clock.clearTimeout(delivery.timer);
      this.#fail(delivery, this.#stopped);
    }
    this.#notifyIdle();
  }

  get #isIdle(): boolean {
    return this.#active === 0 && this.#queue.length === 0 && this.#waiting.size === 0;
  }

  #notifyIdle(): void {
    if (!this.#isIdle) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #start(): void {
    while (this.#active < maxConcurrent) {
      const delivery = this.#queue.shift();
      if (delivery === undefined) return;
      this.#active += 1;
      void this.#attempt(delivery).finally(() => {
        this.#active -= 1;
        this.#start();
        this.#notifyIdle();
      });
    }
  }

  /** Never rejects. */
  async #attempt(delivery: Delivery): Promise<void> {
    const { clock } = this.#settings;
    delivery.attempts += 1;
    const result = await this.#send(delivery);
    if (result.accepted) return;
    delivery.reason = result.reason;
    if (result.isFinal) return this.#fail(delivery, result.reason);
    if (this.#stopped !== undefined) return this.#fail(delivery, this.#stopped);
    const backoffMs = Math.min(firstDelayMs * 2 ** (delivery.attempts - 1), maxDelayMs);
    // Less by up to a fifth, so that the messages of many processes do not come at once.
    const delayMs = Math.max(result.retryAfterMs ?? 0, backoffMs * (1 - Math.random() / 5));
    if (clock.now() + delayMs > delivery.until) return this.#fail(delivery, result.reason);
    this.#waiting.add(delivery);
    delivery.timer = clock.setTimeout(() => {
      this.#waiting.delete(delivery);
      this.#queue.push(delivery);
      this.#start();
    }, delayMs);
    delivery.timer.unref?.();
  }

  async #send({ id, body }: Delivery): Promise<SendResult> {
    const { http, url, keys, clock } = this.#settings;
    const timestamp = Math.floor(clock.now() / 1000);
    try {
      const response = await http.request({
        method: "POST",
        url,
        headers: {
          "content-type": "application/json",
          "user-agent": "toolweave-webhook",
          "webhook-id": id,
          "webhook-timestamp": String(timestamp),
          "webhook-signature": signatureHeader(keys, id, timestamp, body),
        },
        body,
        whenTooLarge: "cut",
      });
      const { status } = response;
      if (status >= 200 && status < 300) return { accepted: true };
      const reason = `The receiver answered with the status ${status}.`;
      if (status !== 410) {
        const after = retryAfterMs(response.headers, clock.now());
        return { ...later(reason), ...(after === undefined ? {} : { retryAfterMs: after }) };
      }
      // "The sender should disable the endpoint."
      this.stop("The receiver answered with the status 410: no message is sent to it any more.");
      return { accepted: false, reason, isFinal: true };
    } catch (error) {
      const reason = ToolError.is(error) ? error.message : "The request failed.";
      const isFinal = ToolError.is(error) && finalCodes.has(error.code);
      return { accepted: false, reason, isFinal };
    }
  }

  #fail({ id, type, approvalId, attempts }: Delivery, reason: string): void {
    try {
      this.#settings.onFailure({ messageId: id, type, approvalId, attempts, reason });
    } catch {
      // A report that fails changes nothing.
    }
  }
}

type SendResult =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      readonly reason: string;
      readonly isFinal: boolean;
      readonly retryAfterMs?: number;
    };

function later(reason: string): Extract<SendResult, { accepted: false }> {
  return { accepted: false, reason, isFinal: false };
}

/** Errors that another attempt cannot change: an address that is not allowed, or a client that is closed. */
const finalCodes: ReadonlySet<string> = new Set([
  "permission_denied",
  "invalid_arguments",
  "invalid_configuration",
]);
