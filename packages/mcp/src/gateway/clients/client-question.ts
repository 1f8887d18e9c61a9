import { ToolError, type JsonObject } from "@toolweave/core";
import { isObject } from "../../schema/schema-keywords.ts";
import type { ElicitationAnswer } from "../../options/ask-options.ts";

/** Milliseconds that a client has to answer: somebody may have to be found who can. */
export const answerTimeoutMs: number = 10 * 60_000;

/** What a client is asked while a call of its own waits. */
export interface ClientQuestion {
  readonly method: "elicitation/create" | "sampling/createMessage" | "roots/list";
  readonly params: JsonObject;
}

/** What a client would have to be able to do: as it would say so itself. `undefined`: it can. */
export function missingCapability(
  { method, params }: ClientQuestion,
  capabilities: JsonObject,
): JsonObject | undefined {
  switch (method) {
    case "elicitation/create":
      return missingElicitation(params["mode"] === "url" ? "url" : "form", capabilities);
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

/** Whether a client puts questions of a mode to its user: one that names none of the modes knows forms. */
export function canElicit(mode: "form" | "url", capabilities: JsonObject): boolean {
  return missingElicitation(mode, capabilities) === undefined;
}

function missingElicitation(
  mode: "form" | "url",
  { elicitation }: JsonObject,
): JsonObject | undefined {
  if (isObject(elicitation)) {
    if (isObject(elicitation[mode])) return undefined;
    if (mode === "form" && !isObject(elicitation["url"])) return undefined;
  }
  return { elicitation: { [mode]: {} } };
}

/** The client cannot be asked. */
export class CannotAsk extends Error {
  override readonly name: string = "CannotAsk";
  /** As the client would have to declare it. */
  readonly missing: JsonObject;

  constructor(missing: JsonObject) {
    super(`The client has not declared ${Object.keys(missing).join(", ")}`);
    this.missing = missing;
  }
}

/** What a tool is told of a client that cannot be asked. */
export function cannotAsk(what: string, cause?: unknown): ToolError {
  return new ToolError("execution_failed", `${what} could not be asked for: ${reasonOf(cause)}.`, {
    cause,
  });
}

function reasonOf(cause: unknown): string {
  if (cause instanceof CannotAsk) return "the client that made the call does not support it";
  if (cause === undefined) return "no client has made this call";
  return "the client that made the call did not answer";
}

/** Only what is plainly an answer is one: everything else is as if the question had been dismissed. */
export function elicitationAnswer({ action, content }: JsonObject): ElicitationAnswer {
  if (action === "accept") return { action, ...(isObject(content) ? { content } : {}) };
  return { action: action === "decline" ? "decline" : "cancel" };
}
