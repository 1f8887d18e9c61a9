import { ToolError, type Clock, type Hook, type ToolEvent } from "@toolweave/core";
import { checkOptions, formatValue, systemClock } from "@toolweave/core/adapter";
import type { PendingCallStore } from "@toolweave/core/stores";
import { httpClient } from "@toolweave/http";
import { DeliveryQueue, type WebhookFailure } from "./delivery-queue.ts";
import { readSecrets } from "./signature.ts";
import { answeredMessage, requestedMessage } from "./webhook-message.ts";

/** Options of `approvalWebhook`. */
export interface ApprovalWebhookOptions {
  /** Address of the receiver: `https:`, or `http:` with an origin of `allowOrigins`. */
  readonly url: string;
  /**
   * Secrets of the form `whsec_…`; `newWebhookSecret()` creates one. Each message is signed with all of them: to
   * replace a secret, list the new and the old one until every receiver has the new one.
   */
  readonly secrets: readonly string[];
  /** The store of the executor, from which the displayed call is read. */
  readonly pendingCalls: Pick<PendingCallStore, "get">;
  /** Link of a message to the page of its approval; `{id}` is replaced: `https://agents.example.com/approvals/{id}`. */
  readonly approvalUrl?: string;
  /** Origins of receivers that may be private or on loopback: `http://127.0.0.1:9000`. Default: none. */
  readonly allowOrigins?: readonly string[];
  /** Milliseconds in which a message is sent again until the receiver accepts it. Default: 3,600,000 (1 hour). */
  readonly deadlineMs?: number;
  /** Milliseconds for one attempt. Default: 15,000. */
  readonly timeoutMs?: number;
  /** Receives each message that was not accepted. Default: a process warning `TOOLWEAVE_WEBHOOK_FAILED`. */
  onFailure?(failure: WebhookFailure): void;
  /** Default: the platform's clock. */
  readonly clock?: Clock;
}

/** A webhook of one executor. */
export interface ApprovalWebhook {
  /** To be listed in the `hooks` of the executor. It only receives events. */
  readonly hook: Hook;
  /**
   * Sends what can be sent within `graceMs` (default 5,000); the rest is reported to `onFailure`. Drain the executor
   * first. Idempotent.
   */
  close(graceMs?: number): Promise<void>;
}

const optionNames: readonly string[] = [
  "url",
  "secrets",
  "pendingCalls",
  "approvalUrl",
  "allowOrigins",
  "deadlineMs",
  "timeoutMs",
  "onFailure",
  "clock",
] satisfies readonly (keyof ApprovalWebhookOptions)[];

const defaultDeadlineMs = 3_600_000;
const defaultTimeoutMs = 15_000;
const defaultCloseMs = 5_000;
/** Responses are not read; a receiver cannot make the sender read more than this. */
const maxResponseBytes = 65_536;

/**
 * Sends a signed POST when a call begins to wait for a person (`approval.requested`) and when it is answered
 * (`approval.answered`), as the Standard Webhooks specification describes it. A message is sent in the background: the
 * receiver neither delays a call nor makes it fail. Delivery is at least once, and messages can arrive in another
 * order: receivers ignore a `webhook-id` that they know, and sort by `timestamp`.
 *
 * Messages are in memory: a process that ends takes along what it has not sent. The approval itself is in the store.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @see https://www.standardwebhooks.com
 * @example
 * ```ts
 * const webhook = approvalWebhook({ url, secrets: [secret], pendingCalls });
 * const executor = new ToolExecutor({ registry, key, pendingCalls, hooks: [webhook.hook] });
 * ```
 */
export function approvalWebhook(options: ApprovalWebhookOptions): ApprovalWebhook {
  checkOptions("approvalWebhook", options, optionNames);
  const { pendingCalls, allowOrigins = [], approvalUrl, clock = systemClock } = options;
  const { deadlineMs = defaultDeadlineMs, timeoutMs = defaultTimeoutMs } = options;
  const { onFailure = warnOfFailure } = options;
  const url = readUrl(options.url, allowOrigins);
  const keys = readSecrets("approvalWebhook: secrets", options.secrets);
  if (!(typeof deadlineMs === "number" && deadlineMs >= 0)) {
    throw invalidOption(`deadlineMs is ${formatValue(deadlineMs)}; use 0 or more`);
  }
  if (approvalUrl !== undefined) checkTemplate(approvalUrl);
  const http = httpClient({
    timeoutMs,
    allowOrigins,
    maxBytes: maxResponseBytes,
    maxRedirects: 0,
  });
  const queue = new DeliveryQueue({ url, keys, http, deadlineMs, clock, onFailure });
  const link = (id: string): string | undefined =>
    approvalUrl?.replaceAll("{id}", encodeURIComponent(id));
  const reading = new Set<Promise<void>>();

  const announce = async (id: string, time: number): Promise<void> => {
    let record: Awaited<ReturnType<PendingCallStore["get"]>>;
    try {
      record = await pendingCalls.get(id);
    } catch {
      const reason = "The store of pending calls does not answer.";
      const type = "approval.requested";
      return onFailure({ messageId: "", type, approvalId: id, attempts: 0, reason });
    }
    // A nested call is asked for by the call above it.
    if (record === undefined || record.interruption.parentCallId !== undefined) return;
    queue.add(requestedMessage(record.interruption, time, link(id)));
  };

  const onEvent = (event: ToolEvent): void => {
    // Interrupted before the tool has started, or by the tool itself.
    if (event.type === "tool.interrupted" || event.type === "tool.suspended") {
      const read = announce(event.interruptionId, event.time).catch(() => {});
      reading.add(read);
      void read.finally(() => reading.delete(read));
    } else if (event.type === "tool.resumed" && event.parentCallId === undefined) {
      const { interruptionId: id, tool, by, time } = event;
      queue.add(answeredMessage({ id, tool, by }, time, link(id)));
    }
  };
  let closing: Promise<void> | undefined;
  return {
    hook: { onEvent },
    close: (graceMs = defaultCloseMs) =>
      (closing ??= close({ reading, queue, clock, http }, graceMs)),
  };
}

async function close(
  parts: {
    readonly reading: ReadonlySet<Promise<void>>;
    readonly queue: DeliveryQueue;
    readonly clock: Clock;
    readonly http: ReturnType<typeof httpClient>;
  },
  graceMs: number,
): Promise<void> {
  const { reading, queue, clock, http } = parts;
  let timer: ReturnType<Clock["setTimeout"]> | undefined;
  const graceOver = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, graceMs);
  });
  const sent = Promise.all(reading).then(() => queue.idle());
  if (graceMs > 0) await Promise.race([sent, graceOver]);
  if (timer !== undefined) clock.clearTimeout(timer);
  queue.stop("The sender was closed.");
  await http.close();
}

function readUrl(text: string, allowOrigins: readonly string[]): string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  const isPlain = url?.username === "" && url.password === "";
  if (url === null || !isPlain || !/^https?:$/.test(url.protocol)) {
    throw invalidOption(
      "url must be an absolute address without a user name, such as https://hooks.example.com/approvals",
    );
  }
  if (url.protocol === "http:" && !allowOrigins.includes(url.origin)) {
    throw invalidOption(
      `url uses http: use https, or list ${url.origin} in allowOrigins if no other machine can read the messages`,
    );
  }
  return url.href;
}

function checkTemplate(template: string): void {
  const url = typeof template === "string" ? URL.parse(template.replaceAll("{id}", "id")) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && template.includes("{id}")) return;
  throw invalidOption(
    `approvalUrl is ${formatValue(template)}; use an address with {id}, such as https://agents.example.com/approvals/{id}`,
  );
}

function invalidOption(fault: string): ToolError {
  return new ToolError("invalid_configuration", `approvalWebhook: ${fault}.`);
}

function warnOfFailure({ type, approvalId, attempts, reason }: WebhookFailure): void {
  process.emitWarning(
    `The webhook ${type} of the approval ${approvalId} was not delivered (attempts: ${attempts}). ${reason}`,
    {
      code: "TOOLWEAVE_WEBHOOK_FAILED",
      detail: "The approval is in the store. Set onFailure of approvalWebhook to handle failures.",
    },
  );
}
