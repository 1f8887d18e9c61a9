import type { JsonObject } from "@toolweave/core";
import { isObject } from "../schema/schema-keywords.ts";

/** The error of a server that runs a call only when a person has been at some page (2025-11-25, client/elicitation). */
const urlElicitationRequired = -32042;

/** Those pages, as `inputRequests` of the newer protocol; `undefined`: it is another error. */
export function readUrlElicitationRequired(thrown: unknown): JsonObject | undefined {
  const error = protocolErrorOf(thrown);
  const { elicitations } = isObject(error?.data) ? error.data : {};
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined;
  const requests = elicitations.map((params, index) => [
    `${index}`,
    { method: "elicitation/create", params: isObject(params) ? { ...params, mode: "url" } : {} },
  ]);
  return Object.fromEntries(requests) as JsonObject;
}

interface ProtocolFailure {
  readonly code?: unknown;
  readonly data?: unknown;
}

/** As it was thrown, or as the cause of what it was made. */
function protocolErrorOf(thrown: unknown): ProtocolFailure | undefined {
  const { code, cause } = (thrown ?? {}) as ProtocolFailure & { readonly cause?: ProtocolFailure };
  if (code === urlElicitationRequired) return thrown as ProtocolFailure;
  return cause?.code === urlElicitationRequired ? cause : undefined;
}
