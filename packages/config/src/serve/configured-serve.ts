import type { JsonObject } from "@toolweave/core";
import type { ConfigReader } from "../reading/config-reader.ts";

/**
 * Options of `toolweave serve`, as a configuration has them in `serve`. Limits are whole numbers, 1 or more. What is absent has the
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
  /** Makes the gateway one of several processes behind a load balancer. Default: it is alone. */
  readonly replica?: ServeReplica;
  /** Lists `run_script`, whose scripts call the tools, beside the tools or in their place. Default: false. */
  readonly scripts?: boolean | "beside" | "only";
  /** How calls that wait reach people, besides the client and the command line. */
  readonly approvals?: ServeApprovals;
  /** URL that clients use if there is a proxy: `https://tools.example.com/mcp`. Default: that of the listener. */
  readonly publicUrl?: string;
  /** Callers over HTTP, each with rights, limits, approvals and results of their own. Default: one caller. */
  readonly callers?: ServeCallers;
}

/** The callers over HTTP. */
export interface ServeCallers {
  /** Tokens by the names of their callers, whose ids are `token:NAME`. `toolweave token add` makes them. */
  readonly tokens?: Readonly<Record<string, ServeToken>>;
  /** Identity providers whose signed tokens (JWT) name callers. */
  readonly issuers?: readonly ServeIssuer[];
}

/** The token of one caller. */
export interface ServeToken {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly sha256: string;
  readonly roles?: readonly string[];
  /** The program that acts for the caller. */
  readonly agent?: string;
  /** When it ends: `2027-01-31T00:00:00Z`. Default: never. */
  readonly expires?: string;
}

/** An identity provider. Texts may refer to environment variables, and stay as written if one is not set. */
export interface ServeIssuer {
  /** The exact value of the claim `iss`, whose metadata names the keys. */
  readonly issuer: string;
  /** Required value of the claim `aud`. Default: `publicUrl` of `serve`. */
  readonly audience?: string;
  /** The URL of the keys. Default: that of the issuer's metadata. */
  readonly jwks?: string;
  /** Scopes that every token must have. Default: none. */
  readonly scopes?: readonly string[];
  /** Claims that say who the caller is, by name or JSON pointer. */
  readonly claims?: {
    /** Default: `sub`. */
    readonly id?: string;
    /** Default: `roles`. */
    readonly roles?: string;
    /** The organization, which is put before the id: `acme/ada`. Default: none. */
    readonly tenant?: string;
    /** Default: `client_id`, else `azp`. */
    readonly agent?: string;
  };
  /** Put before the ids of this issuer, such as `corp:`. Required if there are several issuers. */
  readonly prefix?: string;
}

/** How calls that wait reach people. Tokens and secrets are in environment variables, whose names are here. */
export interface ServeApprovals {
  /** The HTTP API of approvals. */
  readonly api?: {
    /** A port, or `host:port`. Default: `127.0.0.1:8138`. */
    readonly listen?: string;
    /** The origin that clients use if there is a proxy. */
    readonly publicUrl?: string;
    /** The variable of each person's token, by the name of the person. */
    readonly approvers: Readonly<Record<string, string>>;
    /** The variable of each program's token, by the name of the program. Default: none. */
    readonly readers?: Readonly<Record<string, string>>;
  };
  /** A signed POST for each call that begins to wait or is answered. */
  readonly webhook?: {
    readonly url: string;
    /** Variables of secrets (`whsec_…`). */
    readonly secrets: readonly string[];
    /** Link to the page of an approval, with `{id}`. */
    readonly approvalUrl?: string;
    /** Origins of receivers that may be private, or that use http. Default: none. */
    readonly allowOrigins?: readonly string[];
  };
}

/** A gateway that is one of several processes. */
export interface ServeReplica {
  /**
   * Internal URL of this process, which the others forward requests to: `http://10.0.0.5:8137/mcp`. As it is written, if
   * it refers to a variable that is not set.
   */
  readonly url: string;
  /**
   * Milliseconds that it continues to serve after SIGTERM, while `/readyz` is 503, so that the load balancer notices.
   * Default: 3,000.
   */
  readonly drainDelayMs?: number;
}

/** The options in `serve` of a valid configuration, with values of the environment; `undefined`: none. */
export function configuredServe(config: JsonObject, reader: ConfigReader): ServeLimits | undefined {
  const serve = config["serve"] as ServeLimits | undefined;
  if (serve === undefined) return undefined;
  // Only the gateway needs the variables: other commands read the file without them.
  const read = <Text extends string | undefined>(text: Text, pointer: string): Text =>
    (text === undefined ? text : reader.resolvedIfSet(text, `/serve/${pointer}`)) as Text;
  const { replica, publicUrl, callers } = serve;
  const issuers = callers?.issuers?.map((issuer, index) => ({
    ...issuer,
    ...readTexts(issuer, ["issuer", "audience", "jwks"], (text, name) =>
      read(text, `callers/issuers/${index}/${name}`),
    ),
  }));
  return {
    ...serve,
    ...(replica && { replica: { ...replica, url: read(replica.url, "replica/url") } }),
    ...(publicUrl === undefined ? {} : { publicUrl: read(publicUrl, "publicUrl") }),
    ...(callers && { callers: { ...callers, ...(issuers && { issuers }) } }),
  };
}

function readTexts<Name extends string>(
  from: { readonly [name in Name]?: string },
  names: readonly Name[],
  read: (text: string, name: Name) => string,
): { readonly [name in Name]?: string } {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = from[name];
      return text === undefined ? [] : [[name, read(text, name)]];
    }),
  ) as { readonly [name in Name]?: string };
}
