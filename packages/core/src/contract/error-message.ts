import { toJson } from "../json/to-json.ts";
import { previewJson } from "../json/preview-json.ts";
import { wellFormed } from "../text/utf8.ts";
import type { Redactor } from "./redactor.ts";
import { errorCodes, ToolError } from "./tool-error.ts";

const maxMessage = 1000;

/** True for a `ToolError` that can be read; an object that only looks like one must not break the pipeline. */
export function isToolError(thrown: unknown): thrown is ToolError {
  try {
    return (
      ToolError.is(thrown) &&
      Object.hasOwn(errorCodes, thrown.code) &&
      typeof thrown.message === "string"
    );
  } catch {
    return false;
  }
}

/** The message of anything that can be thrown, of 1,000 characters at most; hostile getters included. */
export function toErrorMessage(thrown: unknown, redactor?: Redactor): string {
  try {
    const given = thrown instanceof Error ? thrown.message : toErrorText(thrown, redactor);
    if (typeof given !== "string" || given === "") return "no reason given.";
    // Redacted before it is truncated: half of a secret cannot be found.
    const message = redactor?.redactReport(given.slice(0, 100 * maxMessage)) ?? given;
    return wellFormed(message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message);
  } catch {
    return "no reason could be read.";
  }
}

/** The text of what was thrown and is no error; its JSON when it has no text of its own. */
function toErrorText(thrown: unknown, redactor: Redactor | undefined): string {
  const text = String(thrown);
  if (text !== "[object Object]") return text;
  const { message } = thrown as { message?: unknown };
  if (typeof message === "string") return message;
  const json = toJson(thrown, 100 * maxMessage);
  return previewJson(redactor?.redactReport(json) ?? json, maxMessage);
}

/** The error of a call or a task that ended because the executor itself failed. */
export function defectError(tool: string, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${tool} ended through a defect of its executor. It may have done its work: check that before calling it again.`,
    { cause },
  );
}
