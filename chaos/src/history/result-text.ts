import { createHash } from "node:crypto";

/** The text with which a gateway's tool ends: it names the gateway that has run the call. */
export function toResultText(worker: string, callId: string): string {
  return `${callId}, run by ${worker}`;
}

/** The hash of a result's text. */
export function toDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
