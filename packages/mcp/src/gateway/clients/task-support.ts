import type { Tool, ToolSpec } from "@toolweave/core";
import { tasksExtension } from "../../server-requests/client-capabilities.ts";
import { isObject } from "../../schema/schema-keywords.ts";
import { errorCode, McpError, type RequestPort } from "./request-port.ts";

/** Whether clients may, or have to, run a tool as a task (2025-11-25, tools, `execution`). `undefined`: neither. */
export type TaskSupport = "required" | "optional";

/** As the tool's own server says; a tool that is a task here may be one for a client, too. */
export function taskSupport({
  provenance,
  metadata,
  execution,
}: ToolSpec): TaskSupport | undefined {
  if (provenance.adapter !== "mcp") return execution === "task" ? "optional" : undefined;
  const own = metadata?.["execution"];
  const support = isObject(own) ? own["taskSupport"] : undefined;
  return support === "required" || support === "optional" ? support : undefined;
}

/**
 * What a call is answered with. `task`: with one. `maybe`: with one as soon as the tool's own server has made a task of it,
 * else with its result. `call`: with its result.
 */
export type CallKind = "task" | "maybe" | "call";

/**
 * Up to 2025-11-25 the client asks for a task. From 2026-07-28 on whoever serves decides, for clients that know the
 * extension.
 *
 * @param asked the request's `task`.
 * @throws McpError `-32601` when a task is asked for, and the tool is none.
 */
export function getCallKind(tool: Tool | undefined, asked: unknown, port: RequestPort): CallKind {
  const isAsked = port.era === "legacy" ? asked !== undefined : knowsTasks(port);
  if (tool === undefined || !isAsked) return "call";
  const { spec } = tool;
  const support = taskSupport(spec);
  if (port.era === "legacy") {
    if (support !== undefined) return "task";
    throw new McpError(errorCode.methodNotFound, `${spec.name} cannot be run as a task`);
  }
  if (spec.provenance.adapter !== "mcp") return support === undefined ? "call" : "task";
  const mayBecomeTask = support !== undefined || spec.metadata?.["mayBecomeTask"] === true;
  return mayBecomeTask ? "maybe" : "call";
}

/** Whether a client of 2026-07-28 says that it knows tasks. */
export function knowsTasks({ capabilities }: RequestPort): boolean {
  const { extensions } = capabilities;
  return isObject(extensions) && isObject(extensions[tasksExtension]);
}
