import { ToolError } from "@toolweave/core";
import { retryAfterMs, type HttpResponse } from "../message/http-response.ts";
import { visibleText, ellipsize } from "@toolweave/core/adapter";

/** The server's error response (RFC 6749 section 5.2). */
export interface Refusal {
  readonly error: string;
  /** The server's description, sanitized; may be empty. */
  readonly description: string;
  /** Absent: it was said through the person's browser. */
  readonly status?: number;
}

/** Of RFC 6749 sections 4.1.2.1 and 5.2, RFC 8628 section 3.5 and OpenID Connect Core section 3.1.2.6: what a person can mend. */
const personCodes = new Set([
  "invalid_grant",
  "access_denied",
  "expired_token",
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
]);

const passingCodes = new Set(["server_error", "temporarily_unavailable", "slow_down"]);

/** Error of an authorization server that refused a request; its code names who can act. */
export class OAuthRefusal extends ToolError {
  /** Error code of the server: `invalid_grant` (RFC 6749 section 5.2). */
  readonly error: string;

  /** @param error Error code of the server; the others are those of a `ToolError`. */
  constructor(error: string, ...rest: ConstructorParameters<typeof ToolError>) {
    super(...rest);
    this.error = error;
  }
}

/**
 * The error for a server that said no: whose turn it is, and what the server said.
 *
 * @param at the server's origin, where it is known.
 */
export function refusalError(
  at: string | undefined,
  { error, description, status }: Refusal,
): OAuthRefusal {
  const server = at === undefined ? "The authorization server" : `The authorization server ${at}`;
  const said = description === "" ? error : `${error}: "${description}"`;
  if (personCodes.has(error)) {
    return new OAuthRefusal(
      error,
      "auth_required",
      `${server} gave no token (${said}). A person has to sign in again: repeat the call.`,
    );
  }
  if (passingCodes.has(error)) {
    return new OAuthRefusal(
      error,
      "unavailable",
      `${server} cannot give a token now (${said}). Try again later.`,
    );
  }
  return new OAuthRefusal(
    error,
    "upstream",
    `${server} refused the client (${said}). Check how the client is registered there: its id, secret, scopes and redirect URI.`,
    { audience: "host", ...(status === undefined ? {} : { status }) },
  );
}

/** `upstream` for an answer that no authorization server should give. `what` continues "The authorization server". */
export function invalidResponse({ origin }: URL, status: number, what: string): ToolError {
  return new ToolError("upstream", `The authorization server ${origin} ${what}.`, {
    status,
    audience: "host",
  });
}

/** True for the status of a server that cannot answer now. */
export function isBusy(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** `unavailable` for a server that is busy or has failed. */
export function serverBusyError({ origin }: URL, { status, headers }: HttpResponse): ToolError {
  const wait = retryAfterMs(headers);
  return new ToolError(
    "unavailable",
    `The authorization server ${origin} cannot answer now (status ${status}). Try again later.`,
    wait === undefined ? {} : { retryAfterMs: wait },
  );
}

const maxInputLength = 10_000;
const maxLength = 200;

/**
 * Sanitizes a server's message for an error's text: one short visible line without the secrets that were sent to it.
 */
export function serverText(text: unknown, secrets: readonly string[]): string {
  if (typeof text !== "string") return "";
  let sanitized = visibleText(text.slice(0, maxInputLength)).replace(/\s+/g, " ").trim();
  for (const secret of secrets) {
    if (secret.length < 4) continue;
    const base64 = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
    for (const form of [secret, encodeURIComponent(secret), inForm, base64]) {
      sanitized = sanitized.replaceAll(form, "***");
    }
  }
  return ellipsize(sanitized, maxLength);
}
