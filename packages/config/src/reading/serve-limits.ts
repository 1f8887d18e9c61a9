import type { JsonObject } from "@toolweave/core";

/**
 * Limits of `toolweave serve`, as a configuration has them in `serve`: whole numbers, 1 or more. What is absent has the
 * default of the gateway (`limits` of `serveMcp`, options of `listenHttp`).
 */
export interface ServeLimits {
  /** Requests that one caller may have under way at once over HTTP. Default: 1,000. */
  readonly maxRequests?: number;
  /** Streams of one caller that wait for changes. Default: 1,000. */
  readonly maxStreams?: number;
  /** Sessions of one caller over HTTP, in protocols up to 2025-11-25. Default: 1,000. */
  readonly maxSessions?: number;
  /** Milliseconds after which a session without a stream may make room for another. Default: 300,000. */
  readonly sessionIdleMs?: number;
  /** Calls of one caller under way at once. Default: 1,000. */
  readonly maxCalls?: number;
  /** Calls of one caller within any 60 seconds. Default: no limit. */
  readonly maxCallsPerMinute?: number;
  /** Resources that one caller is subscribed to. Default: 10,000. */
  readonly maxSubscriptions?: number;
  /** Connections of all callers over HTTP. Default: 4,096. */
  readonly maxConnections?: number;
}

/** The limits in `serve` of a valid configuration; `undefined`: none. */
export function serveLimitsIn(config: JsonObject): ServeLimits | undefined {
  return config["serve"] as ServeLimits | undefined;
}
