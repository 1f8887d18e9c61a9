import { errorCodes, ToolError } from "../tool-error.ts";
import type { Execution } from "./execution.ts";

const maxMessage = 1000;

/**
 * The error of a call for whatever was thrown on its way: the reason it was stopped for, a
 * `ToolError` as it is, anything else as `execution_failed` with its bounded message.
 */
export function failureOf(execution: Execution, thrown: unknown): ToolError {
  // A tool that notices the stop throws something of its own; the stop is why it ended.
  if (execution.stopped !== undefined) return execution.stopped;
  if (isToolError(thrown)) return thrown;
  return new ToolError("execution_failed", `${execution.call.name} failed: ${messageOf(thrown)}`, {
    cause: thrown,
  });
}

/** A `ToolError` that can be read; what only looks like one must not break the pipeline's exit. */
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

/** The message of anything that can be thrown; hostile getters and endless texts included. */
export function messageOf(thrown: unknown): string {
  try {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (typeof message !== "string" || message === "") return "no reason given.";
    return message.length > maxMessage ? `${message.slice(0, maxMessage)}…` : message;
  } catch {
    return "no reason could be read.";
  }
}
