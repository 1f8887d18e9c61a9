import type { JsonObject } from "@toolweave/core";
import type { ProtocolEra } from "../transport/messages/mcp-connection.ts";
import type { AskOptions } from "../options/ask-options.ts";

/** Name of the tasks extension of 2026-07-28: with it in our capabilities, a server may answer any call with a task. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** Keys of the newer protocol's `_meta` (2026-07-28, basic, "_meta"). */
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
const logLevelKey = "io.modelcontextprotocol/logLevel";

/**
 * What a server may ask of the host, and that it may answer calls with tasks. The newer protocol waits for a person
 * whenever it has to; the older one does not, so that without a handler it is told of no forms. Pages remain: a server
 * can refuse a call until somebody was there.
 */
export function clientCapabilities(
  { onElicitation, onSampling, samplingTools, roots }: AskOptions,
  era: ProtocolEra,
): JsonObject {
  // The newer protocol has nothing to tell it with.
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
 * What a request of the newer protocol says beside what the connection was made with: in `params._meta`.
 *
 * @param declared what the connection was made with.
 */
export function requestMeta(options: AskOptions, declared: JsonObject): JsonObject | undefined {
  const { onElicitation, onLog } = options;
  // Without a handler more is said than the connection was made with; a client of the host's own was made with something else.
  const isOther = onElicitation === undefined || "client" in options;
  const meta = {
    ...(isOther
      ? { [capabilitiesKey]: { ...declared, ...clientCapabilities(options, "modern") } }
      : {}),
    ...(onLog === undefined ? {} : { [logLevelKey]: "debug" }),
  };
  return Object.keys(meta).length === 0 ? undefined : meta;
}
