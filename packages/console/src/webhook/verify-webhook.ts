import { ToolError, type Clock } from "@toolweave/core";
import { checkOptions, isObject, systemClock } from "@toolweave/core/adapter";
import { readBody } from "../http/read-body.ts";
import { isSigned, readSecrets } from "./signature.ts";
import type { WebhookMessage } from "./webhook-message.ts";

/** Options of `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /** Milliseconds that the time of a message may differ from the receiver's. Default: 300,000 (5 minutes). */
  readonly toleranceMs?: number;
  /** Default: the platform's clock. */
  readonly clock?: Clock;
}

/** A message whose signature is valid. */
export interface VerifiedWebhook {
  /** The `webhook-id`: the same in each attempt. Ignore a message whose id is known. */
  readonly id: string;
  readonly message: WebhookMessage;
}

const defaultToleranceMs = 300_000;
/** Maximum size of a message in bytes: those of `approvalWebhook` have at most about 50,000. */
const maxBytes = 1_048_576;

/**
 * Verifies that a request was sent by `approvalWebhook`, and reads its message: one of its signatures must be made with
 * one of the secrets, and its time must be close to the present. Signatures are compared in constant time.
 *
 * @param request with its body, which is read.
 * @param secrets of the form `whsec_…`; during the replacement of a secret, both.
 * @throws ToolError `permission_denied` for a request without a valid signature, or with another time;
 * `invalid_arguments` for a signed body that is no message; `invalid_configuration` for an invalid secret.
 * @example
 * ```ts
 * const { id, message } = await verifyWebhook(request, [secret]);
 * if (message.type === "approval.requested") console.log(id, message.data.title);
 * ```
 */
export async function verifyWebhook(
  request: Request,
  secrets: readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<VerifiedWebhook> {
  checkOptions("verifyWebhook", options, ["toleranceMs", "clock"]);
  const { toleranceMs = defaultToleranceMs, clock = systemClock } = options;
  const keys = readSecrets("verifyWebhook: secrets", secrets);
  const id = request.headers.get("webhook-id");
  const timestamp = request.headers.get("webhook-timestamp");
  const signature = request.headers.get("webhook-signature");
  if (id === null || id === "" || timestamp === null || signature === null) {
    throw refused(
      "the headers webhook-id, webhook-timestamp and webhook-signature are not all there",
    );
  }
  if (!/^\d{1,12}$/.test(timestamp)) throw refused("webhook-timestamp is no number of seconds");
  // A time in seconds: the second itself is within the tolerance.
  if (Math.abs(Math.floor(clock.now() / 1000) - Number(timestamp)) * 1000 > toleranceMs) {
    throw refused("webhook-timestamp is too far from the present");
  }
  const body = await readBody(request, maxBytes);
  if (body === undefined) throw refused(`the body has more than ${maxBytes} bytes`);
  if (!isSigned(keys, id, timestamp, body, signature)) {
    throw refused("no signature was made with one of the secrets");
  }
  return { id, message: parseMessage(body) };
}

function parseMessage(body: Uint8Array): WebhookMessage {
  try {
    const message: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (isObject(message) && isObject(message["data"])) {
      const { type, data } = message;
      const isKnown = type === "approval.requested" || type === "approval.answered";
      if (isKnown && typeof data["id"] === "string") return message as unknown as WebhookMessage;
    }
  } catch {
    // Reported below.
  }
  throw new ToolError(
    "invalid_arguments",
    "The webhook is signed, and its body is no message of approvals.",
  );
}

function refused(why: string): ToolError {
  return new ToolError("permission_denied", `The webhook is refused: ${why}.`);
}
