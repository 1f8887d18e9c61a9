import type { JsonObject } from "@toolweave/core";
import type { ProtocolEra } from "../transport/messages/mcp-connection.ts";
import type { ServerRequestOptions } from "../options/server-request-options.ts";

/** Name of the tasks extension of 2026-07-28: if the client declares it, a server may run any call as a task. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Key of the task that a message belongs to (2025-11-25, basic/utilities/tasks). */
export const relatedTask = "io.modelcontextprotocol/related-task";

/** Keys of the newer protocol's `_meta` (2026-07-28, basic, "_meta"). */
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const logLevelKey = "io.modelcontextprotocol/logLevel";

/**
 * Returns the capabilities that are declared to a server. In the newer protocol a call waits for a person whenever it
 * has to; in the older one it cannot, so that without a handler no forms are declared. Pages are: a server can reject
 * a call until a person has visited one.
 */
export function toClientCapabilities(
  { onElicitation, onSampling, samplingTools, roots }: ServerRequestOptions,
  era: ProtocolEra,
): JsonObject {
  // The newer protocol has no notification for it.
  const mayChange = era === "legacy" && typeof roots === "function";
  const canWait = era === "modern" || onElicitation !== undefined;
  return {
    elicitation: canWait ? { form: { applyDefaults: true }, url: {} } : { url: {} },
    ...(onSampling === undefined ? {} : { sampling: samplingTools === true ? { tools: {} } : {} }),
    ...(roots === undefined ? {} : { roots: mayChange ? { listChanged: true } : {} }),
    extensions: { [tasksExtension]: {} },
  };
}

/**
 * Returns the `params._meta` that requests of the newer protocol carry in addition to the connection's envelope.
 *
 * @param declared Capabilities that the connection was opened with.
 */
export function toRequestMeta(
  options: ServerRequestOptions,
  declared: JsonObject,
): JsonObject | undefined {
  const { onElicitation, onLog } = options;
  // Without a handler more is declared than the connection was opened with; a client of the host's was opened with
  // other capabilities.
  const isOther = onElicitation === undefined || "client" in options;
  const meta = {
    ...(isOther
      ? { [capabilitiesKey]: { ...declared, ...toClientCapabilities(options, "modern") } }
      : {}),
    ...(onLog === undefined ? {} : { [logLevelKey]: "debug" }),
  };
  return Object.keys(meta).length === 0 ? undefined : meta;
}
