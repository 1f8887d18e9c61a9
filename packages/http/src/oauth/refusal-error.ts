import { ToolError } from "@toolweave/core";
import type { Refusal } from "./post-form.ts";

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

/**
 * The error for a server that said no: whose turn it is, and what the server said.
 *
 * @param at the server's origin, where it is known.
 */
export function refusalError(
  at: string | undefined,
  { error, description, status }: Refusal,
): ToolError {
  const server = at === undefined ? "The authorization server" : `The authorization server ${at}`;
  const said = description === "" ? error : `${error}: "${description}"`;
  if (personCodes.has(error)) {
    return new ToolError(
      "auth_required",
      `${server} gave no token (${said}). A person has to sign in again: repeat the call.`,
    );
  }
  if (passingCodes.has(error)) {
    return new ToolError(
      "unavailable",
      `${server} cannot give a token now (${said}). Try again later.`,
    );
  }
  return new ToolError(
    "upstream",
    `${server} refused the client (${said}). Check how the client is registered there: its id, secret, scopes and redirect URI.`,
    { audience: "host", ...(status === undefined ? {} : { status }) },
  );
}
