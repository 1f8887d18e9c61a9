import type { InterruptionRequest } from "../../contract/interruption.ts";
import { visibleText } from "../../contract/visible-text.ts";
import { ToolError } from "../../contract/tool-error.ts";
import { messageOf } from "../../contract/error-message.ts";
import type { CallState } from "../call/call-state.ts";
import { readPermission } from "./permissions.ts";
import { cloneJson } from "../../json/clone-json.ts";

const maxRequests = 100;
const maxTextLength = 20_000;

/** The texts that a request of each type must have, so that it can be displayed. */
const texts: Readonly<Record<InterruptionRequest["type"], readonly string[]>> = {
  approval: ["reason"],
  auth: ["credential", "message"],
  input: ["message"],
  result: [],
};

/**
 * Copies the requests with which a running tool suspends. Requests of nested calls that the tool passes on stay as they
 * are.
 *
 * @throws ToolError `internal` for requests that no person could answer, such as two with the same id: the answer to
 * one would answer the other.
 */
export function suspensionRequests(
  { call }: CallState,
  given: unknown,
): readonly InterruptionRequest[] {
  try {
    const requests = cloneJson(given);
    if (!Array.isArray(requests)) throw new TypeError("it gave no list of them");
    if (requests.length === 0) throw new TypeError("it gave none of them");
    if (requests.length > maxRequests) throw new TypeError(`it gave ${requests.length} of them`);
    const ids = new Set<string>();
    return requests.map((request: unknown) => {
      const read = readRequest(request);
      if (ids.has(read.id)) throw new TypeError(`two have the id "${read.id.slice(0, 100)}"`);
      ids.add(read.id);
      return read;
    });
  } catch (error) {
    throw new ToolError(
      "internal",
      `${call.name} did run until it had to wait for a person, but not with requests that a person can answer, ${maxRequests} at most: ${messageOf(error)}. The tool has to be corrected; check what it did before calling it again.`,
      { cause: error },
    );
  }
}

function readRequest(request: unknown): InterruptionRequest {
  const { id, type }: Partial<Record<string, unknown>> = request ?? {};
  if (
    typeof id !== "string" ||
    id === "" ||
    typeof type !== "string" ||
    !Object.hasOwn(texts, type)
  ) {
    throw new TypeError("one has no id, or is of no known type");
  }
  const read = request as InterruptionRequest;
  for (const [member, value] of Object.entries(read)) {
    if (typeof value === "string" && value.length > maxTextLength) {
      throw new TypeError(`one has a ${member.slice(0, 100)} of ${value.length} characters`);
    }
  }
  for (const member of texts[read.type]) {
    if (typeof (read as unknown as Record<string, unknown>)[member] !== "string") {
      throw new TypeError(`one of type ${read.type} has no text as its ${member}`);
    }
  }
  if (read.type === "approval" && !["string", "undefined"].includes(typeof read.description)) {
    throw new TypeError("one of type approval has a description that is no text");
  }
  if (read.type === "auth" && read.userCode !== undefined && !isUserCode(read.userCode)) {
    throw new TypeError("one of type auth has a userCode that no person can type");
  }
  // User interfaces make a link of it.
  if (read.type === "auth" && read.url !== undefined && !/^https?:\/\//i.test(read.url)) {
    throw new TypeError("one sends the person to an address that is not of the web");
  }
  return read.type === "approval" ? { ...read, permission: readPermission(read.permission) } : read;
}

/** A person reads it on one screen and types it on another (RFC 8628 section 6.1). */
function isUserCode(code: unknown): boolean {
  return typeof code === "string" && code.trim() !== "" && visibleText(code) === code;
}
