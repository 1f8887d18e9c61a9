import { visibleText, type JsonObject, type JsonValue } from "@toolweave/core";

/** How much a message matters (RFC 5424), the least first. */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** How much a message matters. */
export type LogLevel = (typeof logLevels)[number];

/**
 * What a server writes to its log.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
 */
export interface LogMessage {
  /** The server, by the name that the host gave it. */
  readonly server: string;
  readonly level: LogLevel;
  /** The part of the server that wrote it. */
  readonly logger?: string;
  /** As the server sent it, not searched for secrets. */
  readonly data: JsonValue;
}

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
