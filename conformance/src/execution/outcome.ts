import { canonicalJson, type JsonValue, type ToolOutcome, type ToolResult } from "@toolweave/core";

/** What came of a call: its outcome, or how long its end was waited for. */
export type CallResult = ToolOutcome | string;

/** The same in a sentence. */
export function outcomeLabel(came: CallResult): string {
  if (typeof came === "string") return came;
  if (came.status === "interrupted") return "interrupted";
  const { result, error } = came;
  const code = error === undefined ? "" : ` (${error.code})`;
  return `${came.status}${code}: ${JSON.stringify(result.content)}`;
}

/** The result of a call that succeeded; `undefined`: it did not. */
export function succeeded(came: CallResult): ToolResult | undefined {
  if (typeof came === "string" || came.status !== "completed") return undefined;
  return came.result.isError ? undefined : came.result;
}

/** Whoever allows only so many calls at a time says so, and that is no defect. */
export function isThrottled(came: CallResult): boolean {
  if (typeof came === "string" || came.status === "interrupted") return false;
  return came.error?.code === "rate_limited" || came.error?.status === 429;
}

/**
 * What was answered, to be compared with another answer: without what is new each time, such as the
 * keys of artifacts, and with the members of objects in one order, in texts that are JSON, too.
 */
export function answerText(came: CallResult): string {
  if (typeof came === "string" || came.status === "interrupted") return outcomeLabel(came);
  const { status, result } = came;
  const { content, value = null, artifacts, isError } = result;
  const stored = artifacts.map(({ mediaType, size }) => ({ mediaType, size }));
  const shown = content.map((block) =>
    block.type === "text" ? { ...block, text: ordered(block.text) } : block,
  ) as unknown as JsonValue;
  const text = canonicalJson({ status, isError, content: shown, value, stored });
  return text.replaceAll(/art_[0-9a-f]{32}/g, "art_");
}

function ordered(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}
