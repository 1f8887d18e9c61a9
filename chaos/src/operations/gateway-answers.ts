import type { JsonObject } from "@toolweave/core";
import type { Answer, ClientError } from "../history/history.ts";
import { toDigest } from "../history/result-text.ts";

/** The type of an error in place of a response, from its code and text. */
export function toErrorType(text: string): ClientError["type"] {
  if (/"code":404|Session not found|HTTP 404/.test(text)) return "session-lost";
  if (/may have run/.test(text)) return "may-have-run";
  if (/The gateway is shutting down/.test(text)) return "shutting-down";
  if (
    /fetch failed|terminated|other side closed|ECONNRESET|Connection closed|disconnected/.test(text)
  ) {
    return "connection-lost";
  }
  return "other";
}

/** The text of a result. */
export function toText({ content }: { readonly content?: unknown }): string {
  return ((content ?? []) as readonly { readonly text?: string }[])
    .map(({ text = "" }) => text)
    .join("\n");
}

/** Codes of errors, by texts of a result. `unavailable`: the gateway was ending. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/may have run|was cut off|outcome is not known/, "outcome_unknown"],
  [/the call was not run/, "unavailable"],
  [/is resuming this call/, "approval_invalid"],
  [/did not approve/, "approval_rejected"],
  [/cancelled|disconnected|shutting down/i, "cancelled"],
];

/** The status of a call, from its result or that of its task. */
export interface CallStatus extends Pick<Answer, "status" | "code" | "digest" | "hasNotRun"> {
  readonly text: string;
}

/** Reads a result of `tools/call`, or of a task. */
export function toStatus(result: JsonObject): CallStatus {
  const text = toText(result);
  if (result["isError"] !== true) return { status: "completed", digest: toDigest(text), text };
  const code = codes.find(([pattern]) => pattern.test(text))?.[1] ?? "unexpected";
  return {
    ...{ status: "failed", code, text },
    ...(code === "unavailable" ? { hasNotRun: true } : {}),
  };
}
