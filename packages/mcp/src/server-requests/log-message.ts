import type { JsonObject, JsonValue } from "@toolweave/core";
import { visibleText } from "@toolweave/core/adapter";
import { logLevels, type LogLevel, type LogMessage } from "../options/server-request-options.ts";

/** Reads a `notifications/message`; `undefined`: it is invalid. */
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

/** Formats a log message in one line, as progress of a call. */
export function formatLogMessage({ level, logger, data }: Omit<LogMessage, "server">): string {
  // Progress contains 1,000 bytes of it.
  const text = (typeof data === "string" ? data : toJson(data)).slice(0, 1_000);
  return visibleText(`${level}${logger === undefined ? "" : ` ${logger.slice(0, 100)}`}: ${text}`);
}

function toJson(data: JsonValue): string {
  try {
    return JSON.stringify(data);
  } catch {
    // It may be nested deeper than the stack.
    return "[data that is too deeply nested]";
  }
}
