import { ToolError, type JsonObject } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { ElicitationAnswer } from "../../options/server-request-options.ts";

/** Milliseconds that a client has for an answer: a person may have to be found. */
export const answerTimeoutMs: number = 10 * 60_000;

/** A request to a client while its call waits. */
export interface ClientQuestion {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
}

/** Returns the missing capability, in the form in which a client declares it. `undefined`: none is missing. */
export function findMissingCapability(
  { method, params }: ClientQuestion,
  capabilities: JsonObject,
): JsonObject | undefined {
  switch (method) {
    case "elicitation/create":
      return findMissingElicitation(params["mode"] === "url" ? "url" : "form", capabilities);
    case "sampling/createMessage": {
      const { sampling } = capabilities;
      if (!isObject(sampling)) return { sampling: {} };
      const needsTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
      return needsTools && !isObject(sampling["tools"]) ? { sampling: { tools: {} } } : undefined;
    }
    case "roots/list":
      return isObject(capabilities["roots"]) ? undefined : { roots: {} };
  }
}

/** True if the client supports elicitation in a mode. A client that names no mode supports forms. */
export function canElicit(mode: "form" | "url", capabilities: JsonObject): boolean {
  return findMissingElicitation(mode, capabilities) === undefined;
}

function findMissingElicitation(
  mode: "form" | "url",
  { elicitation }: JsonObject,
): JsonObject | undefined {
  if (isObject(elicitation)) {
    if (isObject(elicitation[mode])) return undefined;
    if (mode === "form" && !isObject(elicitation["url"])) return undefined;
  }
  return { elicitation: { [mode]: {} } };
}

/** The client has not declared a required capability. */
export class UnsupportedByClient extends Error {
  override readonly name: string = "UnsupportedByClient";
  /** The capability, in the form in which a client declares it. */
  readonly missing: JsonObject;

  constructor(missing: JsonObject) {
    super(`The client has not declared ${Object.keys(missing).join(", ")}`);
    this.missing = missing;
  }
}

/** Error for a tool whose request to the client failed. */
export function clientRequestError(subject: string, cause?: unknown): ToolError {
  return new ToolError(
    "execution_failed",
    `${subject} could not be requested: ${getReason(cause)}.`,
    {
      cause,
    },
  );
}

function getReason(cause: unknown): string {
  if (cause instanceof UnsupportedByClient)
    return "the client that made the call does not support it";
  if (cause === undefined) return "this call was not made by a client";
  return "the client that made the call did not respond";
}

/** Reads the result of an elicitation: anything but a valid answer counts as a cancellation. */
export function toElicitationAnswer({ action, content }: JsonObject): ElicitationAnswer {
  if (action === "accept") return { action, ...(isObject(content) ? { content } : {}) };
  return { action: action === "decline" ? "decline" : "cancel" };
}
