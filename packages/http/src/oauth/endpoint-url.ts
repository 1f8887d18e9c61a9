import { ToolError, type ToolErrorCode } from "@toolweave/core";
import { addressKind } from "../address/address-kind.ts";
import { parseUrl } from "../address/origin.ts";

/**
 * A URL to which codes, secrets or people may be sent: https, or http on this machine (RFC 8252 section 8.3), without
 * user name and fragment.
 *
 * @param what names it in the error: "The token endpoint".
 * @throws ToolError of the given code.
 */
export function endpointUrl(text: unknown, what: string, code: ToolErrorCode): URL {
  const url = typeof text === "string" ? parseUrl(text) : undefined;
  if (url === undefined) throw new ToolError(code, `${what} is not an absolute URL.`);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url))) {
    throw new ToolError(
      code,
      `${what} is at ${describeOrigin(url)}, which is not encrypted: tokens are only asked for over https, or on this machine.`,
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw new ToolError(code, `${what} at ${url.origin} holds a user name or password.`);
  }
  url.hash = "";
  return url;
}

/** True for a URL on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return /(?:^|\.)localhost$/.test(host) || addressKind(host) === "loopback";
}

function describeOrigin({ origin, protocol }: URL): string {
  return origin === "null" ? `a ${protocol} address` : origin;
}
