import type { JsonValue, ToolOutcome, ToolResult } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";

/** The result of a call: its outcome, or the message of the timeout or error in place of one. */
export type CallResult = ToolOutcome | string;

/** Formats the result of a call for a report. */
export function formatOutcome(callResult: CallResult): string {
  if (typeof callResult === "string") return callResult;
  if (callResult.status === "interrupted") return "interrupted";
  const { result, error } = callResult;
  const code = error === undefined ? "" : ` (${error.code})`;
  return `${callResult.status}${code}: ${JSON.stringify(result.content)}`;
}

/** The result of a call that succeeded; `undefined` if it did not. */
export function successfulResult(callResult: CallResult): ToolResult | undefined {
  if (typeof callResult === "string" || callResult.status !== "completed") return undefined;
  return callResult.result.isError ? undefined : callResult.result;
}

/** True if the call was refused because there were too many calls, which is no defect. */
export function isRateLimited(callResult: CallResult): boolean {
  if (typeof callResult === "string" || callResult.status === "interrupted") return false;
  return callResult.error?.code === "rate_limited" || callResult.error?.status === 429;
}

/**
 * The result as text that can be compared with another one: without parts that are new each time,
 * such as the keys of artifacts, and with the members of objects in canonical order, also in texts
 * that are JSON.
 */
export function comparableText(callResult: CallResult): string {
  if (typeof callResult === "string" || callResult.status === "interrupted")
    return formatOutcome(callResult);
  const { status, result } = callResult;
  const { content, value = null, artifacts, isError } = result;
  const stored = artifacts.map(({ mediaType, size }) => ({ mediaType, size }));
  const comparable = content.map((block) =>
    block.type === "text" ? { ...block, text: canonicalizeJson(block.text) } : block,
  ) as unknown as JsonValue;
  const text = canonicalJson({ status, isError, content: comparable, value, stored });
  return text.replaceAll(/art_[0-9a-f]{32}/g, "art_");
}

function canonicalizeJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}

/** The number of repetitions until a call counts as deterministic. */
const maxRepetitions = 12;

/**
 * Checks whether a call that is repeated alone returns `before` each time. Use it where one result
 * differs from another, since results may change by chance or with time. A call whose result
 * changes is found soon, so that all repetitions are only made if there is a fault.
 *
 * @param again repeats the call alone.
 */
export async function isDeterministic<T>(before: T, again: () => Promise<T>): Promise<boolean> {
  for (let time = 0; time < maxRepetitions; time++) {
    if ((await again()) !== before) return false;
  }
  return true;
}
