import { createHash, timingSafeEqual } from "node:crypto";
import type { Caller } from "@toolweave/core";
import type { Authenticate, CallerRefusal, ProtectedResource } from "./http-options.ts";
import { refusal } from "./http-refusal.ts";

/** The token of `Authorization: Bearer …` (RFC 6750 section 2.1); `undefined`: there is none. */
export function getBearerToken(request: Request): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

/** Whoever has the token. */
export function tokenCallers(token: string): Authenticate {
  const expected = digest(token);
  return (request) => {
    const shown = getBearerToken(request);
    if (shown === undefined) return undefined;
    // Of equal length, whatever was shown: the time says nothing of how much of it was right.
    if (timingSafeEqual(digest(shown), expected)) return { id: "token" };
    return { refused: "invalid_token", reason: "The token is not the gateway's." };
  };
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Who a request is from, or the answer that refuses it. */
export class CallerCheck {
  readonly #authenticate: Authenticate;
  readonly #metadataUrl: string | undefined;
  readonly #scopes: readonly string[];

  /** @param metadataUrl where the metadata of the protected resource stands. */
  constructor(
    authenticate: Authenticate,
    resource: ProtectedResource | undefined,
    metadataUrl: string,
  ) {
    this.#authenticate = authenticate;
    this.#metadataUrl = resource === undefined ? undefined : metadataUrl;
    this.#scopes = resource?.scopes ?? [];
  }

  async callerOf(request: Request): Promise<Caller | Response> {
    const found = await this.#authenticate(request);
    if (found === undefined) return this.#challenge(401, "This gateway wants a bearer token.");
    if (!("refused" in found)) return found;
    const { refused, reason } = found;
    if (refused === "unavailable") return refusal(503, reason, { "retry-after": "5" });
    return this.#challenge(refused === "insufficient_scope" ? 403 : 401, reason, refused);
  }

  /** RFC 6750 section 3 and RFC 9728 section 5.1. A request without a token is told no error. */
  #challenge(status: number, reason: string, error?: CallerRefusal["refused"]): Response {
    const parts = {
      error,
      error_description: error === undefined ? undefined : reason,
      scope: this.#scopes.length === 0 ? undefined : this.#scopes.join(" "),
      resource_metadata: this.#metadataUrl,
    };
    const said = Object.entries(parts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}="${quotable(String(value))}"`);
    return refusal(status, reason, { "www-authenticate": `Bearer ${said.join(", ")}`.trimEnd() });
  }
}

/** What stands in a quoted string of a header (RFC 9110 section 5.6.4). */
function quotable(text: string): string {
  return text.replaceAll(/[^ !#-[\]-~]/g, "'");
}
