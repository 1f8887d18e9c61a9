import { timingSafeEqual } from "node:crypto";
import { ToolError, type Caller } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";
import { getBearerToken, getTokenDigest, maxTokenLength } from "./bearer-header.ts";
import type { ConsoleAuthenticate, ConsoleCaller, ConsoleScope } from "./console-caller.ts";

/** A token and its owner. */
export interface BearerToken {
  /** At least 32 characters: `openssl rand -hex 32`. */
  readonly token: string;
  /** The owner. A token of a program has an `agent`, and no scope `decide`. */
  readonly caller: Caller;
  readonly scopes: readonly ConsoleScope[];
}

const minLength = 32;
const knownScopes: readonly string[] = ["read", "call", "decide"] satisfies ConsoleScope[];

/**
 * Authenticates requests by the header `Authorization: Bearer …` (RFC 6750). Only digests of the tokens are kept, and
 * they are compared in constant time.
 *
 * @throws ToolError `invalid_configuration` for no token, a token that can be guessed, one that is listed twice, an
 * unknown scope, and a program's token with the scope `decide`. No part of a token is in the error.
 * @example
 * ```ts
 * const authenticate = bearerTokens([
 *   { token: tokens.ada, caller: { id: "ada" }, scopes: ["read", "decide"] },
 *   { token: tokens.board, caller: { id: "board", agent: "board" }, scopes: ["read"] },
 * ]);
 * ```
 */
export function bearerTokens(tokens: readonly BearerToken[]): ConsoleAuthenticate {
  if (!Array.isArray(tokens) || tokens.length === 0) {
    throw invalid("takes a list of one token or more");
  }
  const entries = tokens.map((entry: BearerToken, index) => {
    checkToken(entry, index);
    const { token, caller, scopes } = entry;
    return { digest: getTokenDigest(token), caller: { caller, scopes: [...scopes] } };
  });
  for (const [index, { digest: one }] of entries.entries()) {
    const first = entries.findIndex((entry) => entry.digest.equals(one));
    if (first !== index) throw invalid(`tokens ${first} and ${index} are the same`);
  }
  return (request) => {
    const sent = getBearerToken(request);
    if (sent === undefined) return undefined;
    const sentDigest = getTokenDigest(sent);
    let found: ConsoleCaller | undefined;
    // All of them, so that the duration does not depend on the token.
    for (const entry of entries) {
      if (timingSafeEqual(entry.digest, sentDigest)) found = entry.caller;
    }
    return found;
  };
}

function checkToken(entry: BearerToken, index: number): void {
  checkOptions(`bearerTokens: token ${index}`, entry, ["token", "caller", "scopes"]);
  const { token, caller, scopes } = entry;
  if (typeof token !== "string" || token.length < minLength || token.length > maxTokenLength) {
    throw invalid(`token ${index} must have ${minLength} characters or more: openssl rand -hex 32`);
  }
  if (!/^[\w.~+/-]+=*$/.test(token)) {
    throw invalid(`token ${index} has a character that the header cannot carry`);
  }
  if (typeof caller?.id !== "string" || caller.id === "") {
    throw invalid(`the caller of token ${index} must have an id`);
  }
  const unknown = Array.isArray(scopes)
    ? scopes.find((scope) => !knownScopes.includes(scope))
    : "none";
  if (unknown !== undefined) {
    throw invalid(`the scopes of token ${index} must be a list of ${knownScopes.join(", ")}`);
  }
  if (caller.agent !== undefined && scopes.includes("decide")) {
    throw invalid(
      `token ${index} belongs to a program (its caller has an agent), which cannot have the scope decide`,
    );
  }
}

function invalid(fault: string): ToolError {
  return new ToolError("invalid_configuration", `bearerTokens: ${fault}.`);
}
