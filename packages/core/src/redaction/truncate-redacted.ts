import type { CallInfo } from "../contract/call-info.ts";

/** Text beyond this is not searched; the possible beginning of a secret there is omitted. */
const maxSearchedLength = 2000;

/** The beginning of a text, redacted before it is cut: half of a secret is none that could be found. */
export function truncateRedacted(execution: CallInfo, text: string, length: number): string {
  if (text.length <= length) return text;
  const searched =
    execution.redactor?.streamRedactor().next(text.slice(0, maxSearchedLength)) ?? text;
  return searched.slice(0, length);
}
