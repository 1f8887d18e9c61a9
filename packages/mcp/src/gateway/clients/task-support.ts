import type { Tool, ToolSpec } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { tasksExtension } from "../../server-requests/client-capabilities.ts";
import { errorCode, McpError, type RequestPort } from "./request-port.ts";

/** Whether clients may, or must, run a tool as a task (2025-11-25, tools, `execution`). `undefined`: neither. */
export type TaskSupport = "required" | "optional";

/** Returns the task support that the tool's own server declares; a tool that the executor runs as a task is optional. */
export function getTaskSupport({
  provenance,
  metadata,
  execution,
}: ToolSpec): TaskSupport | undefined {
  if (provenance.adapter !== "mcp") return execution === "task" ? "optional" : undefined;
  const declared = metadata?.["execution"];
  const support = isObject(declared) ? declared["taskSupport"] : undefined;
  return support === "required" || support === "optional" ? support : undefined;
}

/**
 * Result of a call. `task`: a task. `maybe`: a task as soon as the tool's own server has created one, else the
 * result. `call`: the result.
 */
export type CallKind = "task" | "maybe" | "call";

/**
 * Returns the kind of a call. Up to 2025-11-25 the client requests a task; from 2026-07-28 on the server decides, for
 * clients that support the extension.
 *
 * @param requested Member `task` of the request.
 * @throws McpError `-32601` when a task is requested, and the tool does not support tasks.
 */
export function getCallKind(
  tool: Tool | undefined,
  requested: unknown,
  port: RequestPort,
): CallKind {
  const isRequested = port.era === "legacy" ? requested !== undefined : supportsTasks(port);
  if (tool === undefined || !isRequested) return "call";
  const { spec } = tool;
  const support = getTaskSupport(spec);
  if (port.era === "legacy") {
    if (support !== undefined) return "task";
    throw new McpError(errorCode.methodNotFound, `${spec.name} cannot be run as a task`);
  }
  if (spec.provenance.adapter !== "mcp") return support === undefined ? "call" : "task";
  const mayBecomeTask = support !== undefined || spec.metadata?.["mayBecomeTask"] === true;
  return mayBecomeTask ? "maybe" : "call";
}

/** True if a client of 2026-07-28 declares the tasks extension. */
export function supportsTasks(port: RequestPort): boolean {
  return supportsExtension(port, tasksExtension);
}

/** True if a client declares an extension of the protocol. */
export function supportsExtension(
  { capabilities }: Pick<RequestPort, "capabilities">,
  extension: string,
): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && isObject(extensions[extension]);
}
