import type { JsonObject, JsonValue } from "@toolweave/core";
import { Problem } from "../http/problem.ts";

/** A call as a client starts it. */
export interface CallBody {
  readonly name: string;
  readonly arguments: JsonValue;
  /** Absent: the call gets one. */
  readonly id?: string;
  readonly timeoutMs?: number;
  readonly asTask?: boolean;
}

/** The members of the body. */
export const callMembers = ["name", "arguments", "id", "timeoutMs", "asTask"] as const;

/** Characters of a name: a model can ask for a tool that does not exist. */
const maxNameLength = 200;
const maxTimeoutMs = 86_400_000;

/** @throws Problem for a body that is no call. */
export function readCallBody(body: JsonObject): CallBody {
  const { name, arguments: args, id, timeoutMs, asTask } = body;
  if (typeof name !== "string" || name === "" || name.length > maxNameLength) {
    throw invalid(`name must be the name of a tool, of at most ${maxNameLength} characters`);
  }
  if (args === undefined) throw invalid("arguments must be there; {} for none");
  if (id !== undefined && (typeof id !== "string" || !/^[\w.:-]{1,100}$/.test(id))) {
    throw invalid("id must have 1 to 100 letters, digits and _.:-");
  }
  const isTime =
    typeof timeoutMs === "number" &&
    Number.isInteger(timeoutMs) &&
    timeoutMs >= 1 &&
    timeoutMs <= maxTimeoutMs;
  if (timeoutMs !== undefined && !isTime) {
    throw invalid(`timeoutMs must be a whole number from 1 to ${maxTimeoutMs}`);
  }
  if (asTask !== undefined && typeof asTask !== "boolean") {
    throw invalid("asTask must be true or false");
  }
  return {
    name,
    arguments: args,
    ...(id === undefined ? {} : { id }),
    ...(timeoutMs === undefined ? {} : { timeoutMs: timeoutMs as number }),
    ...(asTask === undefined ? {} : { asTask }),
  };
}

function invalid(fault: string): Problem {
  return new Problem("invalid_body", `${fault}.`);
}
