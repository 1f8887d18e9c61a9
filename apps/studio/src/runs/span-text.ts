import type { Span } from "@toolweave/console";

/** The states of spans in words. */
export const stateTexts: Readonly<Record<Span["state"], string>> = {
  running: "running",
  ok: "succeeded",
  error: "failed",
  rejected: "rejected",
  waiting: "waiting",
  cancelled: "cancelled",
  unknown: "outcome unknown",
};

/** The kinds of spans in words. */
export const kindTexts: Readonly<Record<Span["kind"], string>> = {
  call: "call",
  attempt: "attempt",
  wait: "wait for a person",
  retry: "wait before a retry",
  task: "task",
};
