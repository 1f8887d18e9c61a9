import { visibleText, type JsonObject, type JsonValue } from "@toolweave/core";
import { logLevels, type LogLevel, type LogMessage } from "../options/ask-options.ts";

/** What a `notifications/message` says; `undefined`: it is none. */
export function readLogMessage(server: string, params: JsonObject): LogMessage | undefined {
  const { level, logger, data = null } = params;
  if (!logLevels.includes(level as LogLevel)) return undefined;
  return {
    server,
    level: level as LogLevel,
    ...(typeof logger === "string" ? { logger } : {}),
    data,
  };
}

/** In one line, for whoever watches a call. */
export function logLine({ level, logger, data }: Omit<LogMessage, "server">): string {
  // Progress has 1,000 bytes of it.
  const said = (typeof data === "string" ? data : written(data)).slice(0, 1_000);
  return visibleText(`${level}${logger === undefined ? "" : ` ${logger.slice(0, 100)}`}: ${said}`);
}

function written(data: JsonValue): string {
  try {
    return JSON.stringify(data);
  } catch {
    // A server may nest it deeper than the stack.
    return "[data that nests too deep to be written down]";
  }
}
