import type { CallInfo } from "../contract/call-info.ts";

/** More than this is not searched; what may begin a secret there is left out. */
const maxSearchedLength = 2000;

/** The beginning of a text, redacted before it is cut: half of a secret is none that could be found. */
export function truncateRedacted(execution: CallInfo, text: string, length: number): string {
  if (text.length <= length) return text;
  const searched =
    execution.redactor?.streamRedactor().next(text.slice(0, maxSearchedLength)) ?? text;
  return searched.slice(0, length);
}
