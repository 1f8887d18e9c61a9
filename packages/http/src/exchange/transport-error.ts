import { ToolError } from "@toolweave/core";
import { AddressRefused } from "../connection/guarded-connector.ts";
import { allowOriginHint, type Hop } from "./hop.ts";

/** Progress of a hop when it failed. */
interface HopProgress {
  /** The request had a connection, so that the server may have processed it. */
  readonly sent: boolean;
  /** The answer's head had arrived. */
  readonly answered: boolean;
}

/**
 * Converts an error of undici or of the connector to a `ToolError`. Messages contain the origin, never an address, a
 * path or a query.
 */
export function transportError(error: unknown, hop: Hop, progress: HopProgress): ToolError {
  if (error instanceof AddressRefused) return refusedAddressError(error, hop);
  const code = errorCode(error);
  const { origin } = hop;
  if (isMalformed(error, code)) {
    const what = `${origin} sent an answer that is not valid HTTP/1.1.${sideEffectWarning(hop)}`;
    return new ToolError("upstream", what, { cause: error });
  }
  if (progress.answered || code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
    const what = `The answer of ${origin} was cut off before its end.${sideEffectWarning(hop)}`;
    return new ToolError("upstream", what, {
      cause: error,
      retryable: hop.originalMethod === "GET" || hop.originalMethod === "HEAD",
    });
  }
  if (code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH") {
    return new ToolError(
      "internal",
      `The body of the request to ${origin} does not have the number of bytes that bodyLength states.${sideEffectWarning(hop)}`,
      { cause: error },
    );
  }
  if (code === "UND_ERR_INVALID_ARG") {
    return new ToolError("internal", `The request to ${origin} could not be sent (${code}).`, {
      cause: error,
    });
  }
  if (isTlsError(code)) {
    return new ToolError(
      "unavailable",
      `No secure connection to ${origin} (${code}). Check its certificate.`,
      { cause: error, retryable: false },
    );
  }
  if (progress.sent) {
    return new ToolError(
      "unavailable",
      `${origin} closed the connection without an answer.${sideEffectWarning(hop)}`,
      { cause: error },
    );
  }
  // "http://http://api.test" is a URL whose host is "http".
  const why = /^https?$/.test(hop.url.hostname)
    ? 'its host is the word "http", because the URL or server begins with a scheme twice. Write the scheme once'
    : (connectFailures[code] ?? "the connection failed");
  const warning = isRedirected(hop) ? sideEffectWarning(hop) : "";
  return new ToolError("unavailable", `${origin} could not be reached: ${why}.${warning}`, {
    cause: error,
  });
}

/**
 * Returns true for a request that follows a redirect of a request with another method: the server answered that one and
 * may have carried it out.
 */
export function isRedirected({ originalMethod, method }: Hop): boolean {
  return originalMethod !== method;
}

/** Returns a warning for requests that must not be repeated blindly. */
export function sideEffectWarning(hop: Hop): string {
  const { originalMethod } = hop;
  const safe =
    originalMethod === "GET" || originalMethod === "HEAD" || originalMethod === "OPTIONS";
  return safe ? "" : ` The ${originalMethod} may have been carried out all the same.`;
}

const connectFailures: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name does not resolve",
  EAI_AGAIN: "its name cannot be resolved right now",
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "it reset the connection",
  EHOSTUNREACH: "there is no route to it",
  ENETUNREACH: "there is no route to it",
  ETIMEDOUT: "it did not accept the connection in time",
  UND_ERR_CONNECT_TIMEOUT: "it did not accept the connection in time",
};

/** undici gives its parser's errors no code: an early end and an unexpected 1xx differ only in their messages. */
function isMalformed(error: unknown, code: string): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "HTTPParserError") return !error.message.includes("EOF");
  return (
    code === "UND_ERR_HEADERS_OVERFLOW" ||
    (code === "UND_ERR_SOCKET" && error.message.startsWith("bad "))
  );
}

function isTlsError(code: string): boolean {
  return (
    /^(?:CERT_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) ||
    code === "EPROTO" ||
    code === "HOSTNAME_MISMATCH"
  );
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : "";
}

function refusedAddressError({ kind, literal }: AddressRefused, hop: Hop): ToolError {
  const { chooser, origin } = hop;
  if (kind === "cloud metadata") {
    return new ToolError(
      "permission_denied",
      literal
        ? `${origin} is a cloud metadata address, which hands out credentials. ${allowOriginHint(origin)}`
        : `${origin} leads to a cloud metadata address, which hands out credentials. Only an allowOrigins entry that names that address itself allows it.`,
    );
  }
  // The addresses inside the host's network are not disclosed.
  const what = literal
    ? `is ${kind === "unspecified" ? "an" : "a"} ${kind} address that ${chooser} chose`
    : `leads to an address that is not public, and ${chooser} chose it`;
  return new ToolError(
    "permission_denied",
    `${origin} ${what}, not you. ${allowOriginHint(origin)}`,
  );
}
