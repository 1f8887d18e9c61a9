import type { ToolProgress } from "../contract/tool.ts";
import { truncateUtf8 } from "../text/truncate-utf8.ts";
import type { CallInfo } from "../contract/call-info.ts";
import { redactStreamedText } from "../redaction/redact-streamed.ts";

const maxMessageBytes = 1000;

/** The valid parts of a tool's progress: each field is read once. `undefined`: none. */
export function progressOf(execution: CallInfo, given: unknown): ToolProgress | undefined {
  try {
    const { message, done, total } = given as { readonly [K in keyof ToolProgress]?: unknown };
    const progress: { -readonly [K in keyof ToolProgress]: ToolProgress[K] } = {};
    if (typeof message === "string") {
      progress.message = truncateUtf8(
        redactStreamedText(execution, "progress", message),
        maxMessageBytes,
      );
    }
    if (typeof done === "number" && Number.isFinite(done)) progress.done = done;
    if (typeof total === "number" && Number.isFinite(total)) progress.total = total;
    return Object.keys(progress).length === 0 ? undefined : Object.freeze(progress);
  } catch {
    return undefined;
  }
}
