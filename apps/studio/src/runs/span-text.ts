import type { Span } from "../contract/contract.ts";
import { formatDuration } from "../text/format.ts";
import { safeLine } from "../text/safe-text.ts";

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

/** A span in one sentence, for screen readers. */
export function describeSpan(span: Span): string {
  const { kind, tool, state, from, to, attempt } = span;
  const number = attempt === undefined ? "" : ` ${attempt}`;
  const duration = to === undefined ? "" : `, ${formatDuration(to - from)}`;
  return `${kindTexts[kind]}${number} of ${safeLine(tool)}, ${stateTexts[state]}${duration}`;
}
