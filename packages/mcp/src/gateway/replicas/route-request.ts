import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import type { ReplicaAddress } from "./replica-address.ts";

/** Finds the process that holds what a request is about; `undefined`: none does, so that any process can answer. */
export interface Holders {
  /** @param tool Name of the tool, which the state is bound to. */
  findCall(tool: string, requestState: string): Promise<ReplicaAddress | undefined>;
  findTask(taskId: string): Promise<ReplicaAddress | undefined>;
}

/**
 * Returns the process that has to answer a request of 2026-07-28: the one that runs the call which the request
 * continues, or the one that runs its task. Cancelling a task works in every process.
 */
export async function findHolder(
  body: unknown,
  holders: Holders,
): Promise<ReplicaAddress | undefined> {
  if (!isObject(body as JsonValue)) return undefined;
  const { method, params } = body as JsonObject;
  if (!isObject(params)) return undefined;
  const { name, requestState, taskId } = params;
  if (method === "tools/call" && typeof name === "string" && typeof requestState === "string") {
    return holders.findCall(name, requestState);
  }
  if ((method === "tasks/get" || method === "tasks/update") && typeof taskId === "string") {
    return holders.findTask(taskId);
  }
  return undefined;
}
