import type { ServeLimits } from "@toolweave/config";
import type { ClientLimits, HttpOptions } from "@toolweave/mcp/serve";
import type { Command } from "commander";
import { UsageError } from "../../process/exit-code.ts";

/** The limits of a gateway as options of the command line: the names of `ServeLimits`, except for these. */
export interface ServeLimitOptions extends Omit<
  ServeLimits,
  "sessionIdleMs" | "approvals" | "replica" | "publicUrl" | "callers"
> {
  /** Milliseconds. */
  readonly sessionIdle?: number;
}

/** Limits that mean nothing over stdio, where one client has one connection. */
const httpOnlyOptions = {
  maxRequests: "--max-requests",
  maxSessions: "--max-sessions",
  sessionIdle: "--session-idle",
  maxConnections: "--max-connections",
} as const satisfies Partial<Record<keyof ServeLimitOptions, string>>;

/** Adds `--max-…` of `toolweave serve`. */
export function withServeLimits(command: Command): Command {
  return command
    .option(
      "--max-calls <n>",
      "concurrent calls of one caller (default: 1000)",
      parseLimit("--max-calls"),
    )
    .option(
      "--max-calls-per-minute <n>",
      "calls of one caller in any 60 seconds (default: no limit)",
      parseLimit("--max-calls-per-minute"),
    )
    .option(
      "--max-streams <n>",
      "notification streams of one caller (default: 1000)",
      parseLimit("--max-streams"),
    )
    .option(
      "--max-subscriptions <n>",
      "subscribed resources of one caller (default: 10000)",
      parseLimit("--max-subscriptions"),
    )
    .option(
      "--max-requests <n>",
      "with --http: concurrent requests of one caller, without streams (default: 1000)",
      parseLimit("--max-requests"),
    )
    .option(
      "--max-sessions <n>",
      "with --http: sessions of one caller (default: 1000)",
      parseLimit("--max-sessions"),
    )
    .option(
      "--session-idle <ms>",
      "with --http: when an idle session without a stream may be closed (default: 300000)",
      parseLimit("--session-idle"),
    )
    .option(
      "--max-connections <n>",
      "with --http: connections of all callers (default: 4096)",
      parseLimit("--max-connections"),
    );
}

function parseLimit(name: string): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= 1 && Number.isSafeInteger(number)) return number;
    throw new UsageError(`${name} must be a whole number, 1 or more.`);
  };
}

/**
 * Resolves the limits of a gateway and of its listener: those of the command line, else of the configuration.
 *
 * @throws UsageError for an option that is for `--http`, when there is none.
 */
export function resolveServeLimits(
  options: ServeLimitOptions & { readonly http?: string | true },
  configured: ServeLimits | undefined,
): {
  readonly limits: ClientLimits;
  readonly listener: Pick<HttpOptions, "maxRequestsPerCaller" | "maxConnections">;
} {
  if (options.http === undefined) {
    for (const [name, flag] of Object.entries(httpOnlyOptions)) {
      if (options[name as keyof typeof httpOnlyOptions] === undefined) continue;
      throw new UsageError(`${flag} applies to --http only: over stdio there is one client.`);
    }
  }
  const merged = { ...configured, ...options };
  return {
    limits: omitUndefined({
      concurrentCalls: merged.maxCalls,
      callsPerMinute: merged.maxCallsPerMinute,
      sessions: merged.maxSessions,
      sessionIdleMs: options.sessionIdle ?? merged.sessionIdleMs,
      streams: merged.maxStreams,
      subscriptions: merged.maxSubscriptions,
    }),
    listener: omitUndefined({
      maxRequestsPerCaller: merged.maxRequests,
      maxConnections: merged.maxConnections,
    }),
  };
}

function omitUndefined<Name extends string>(
  values: Readonly<Record<Name, number | undefined>>,
): { readonly [name in Name]?: number } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { readonly [name in Name]?: number };
}
