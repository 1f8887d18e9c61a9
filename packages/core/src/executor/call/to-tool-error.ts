import { ToolError, type ToolErrorCode } from "../../contract/tool-error.ts";
import { isToolError, toErrorMessage } from "../../contract/error-message.ts";
import type { Redactor } from "../../contract/redactor.ts";
import type { CallState } from "./call-state.ts";

/**
 * Converts a thrown value to the error of its call: the reason for which the call was stopped, a `ToolError` as it is,
 * any other value as `execution_failed` with its bounded message.
 */
export function toToolError(execution: CallState, thrown: unknown): ToolError {
  const redactor = ownRedactor(execution);
  // A tool that is stopped throws an error of its own; the stop is the reason.
  const reason = execution.reasonFor(thrown);
  const error = isToolError(reason) ? reason : undefined;
  if (error === undefined) {
    const message = messageForModel(thrown, redactor);
    const failed = new ToolError("execution_failed", `${execution.call.name} failed: ${message}`, {
      cause: thrown,
    });
    return redactor === undefined ? failed : withoutSecrets(execution, redactor, failed);
  }
  return redactor === undefined ? error : withoutSecrets(execution, redactor, error);
}

/**
 * If the rules of the tool cannot be read, its output fails with that error when it is redacted. The error itself is
 * redacted without them.
 */
function ownRedactor(execution: CallState): Redactor | undefined {
  try {
    return execution.redactor;
  } catch {
    return execution.run.redactor ?? execution.engine.redactor;
  }
}

function withoutSecrets(execution: CallState, redactor: Redactor, error: ToolError): ToolError {
  try {
    return redactor.error(error, execution.attempt > 0);
  } catch {
    return new ToolError(
      readCode(error),
      `${execution.call.name} failed: what it said is withheld, since it could not be searched for secrets.`,
    );
  }
}

/** Reading it again may throw. */
function readCode(error: ToolError): ToolErrorCode {
  try {
    return error.code;
  } catch {
    return "execution_failed";
  }
}

/** The message of a thrown value for a model: without stack traces and without file paths of the host. */
function messageForModel(thrown: unknown, redactor?: Redactor): string {
  const message = toErrorMessage(thrown, redactor).replaceAll(/\n(\s+at [^\n]*|\s*a?t?…$)/g, "");
  try {
    return stripNamedPaths(thrown, message);
  } catch {
    return stripPaths(message);
  }
}

/**
 * An absolute path of a file of the host's: below one of the directories that systems have, of a
 * drive, or a `file:` URL. Other texts with slashes, such as the path of a URL, are none.
 */
const path =
  /(?<![\w./:\\-])(?:file:\/\/|[a-z]:[\\/]|\/(?:home|users|root|srv|var|opt|usr|tmp|etc|private|mnt|media|run|lib|workspaces?|volumes)\/)[^\s'"`<>|:,;)]*/gi;

/** The text before the path of a request's URL; in capitals it stands before no file's path. */
const method = /\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) $/;
const maxMethodLength = "OPTIONS ".length + 1;

/** A message with the last part of each such path in the path's place. */
export function stripPaths(message: string): string {
  return message.replaceAll(path, (found, at: number) =>
    method.test(message.slice(Math.max(0, at - maxMethodLength), at)) ? found : lastPart(found),
  );
}

/** The same, and without the paths that a system's error names beside its message. May throw. */
function stripNamedPaths(thrown: unknown, message: string): string {
  let stripped = message;
  if (typeof thrown === "object" && thrown !== null) {
    const { path, dest } = thrown as { path?: unknown; dest?: unknown };
    for (const named of [path, dest]) {
      if (typeof named === "string" && /^(?:\/|\\|[a-z]:)./i.test(named)) {
        stripped = stripped.replaceAll(named, () => lastPart(named));
      }
    }
  }
  return stripPaths(stripped);
}

function lastPart(path: string): string {
  return path.split(/[\\/]/).findLast(Boolean) ?? "";
}

/** Creates the error of an answer that cannot be used. */
export function approvalInvalid(message: string): ToolError {
  return new ToolError("approval_invalid", message);
}

/** Creates the error of a call that has to wait for a person, but whose state is not JSON. */
export function notSerializableError({ call }: CallState, cause: unknown): ToolError {
  return new ToolError(
    "internal",
    `${call.name} has to wait for a person, but its schemas, arguments or requests are not plain JSON, so that it cannot be put aside.`,
    { cause },
  );
}
