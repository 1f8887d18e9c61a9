import { createHash, randomBytes } from "node:crypto";
import { ToolError, type Caller } from "@toolweave/core";
import { checkOptions, checks, type OptionChecks } from "@toolweave/core/adapter";
import { getBearerToken } from "./http-callers.ts";
import type { Authenticate } from "./http-options.ts";

/** The token of one caller, as a configuration has it: the digest cannot be used in place of the token. */
export interface NamedToken {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly sha256: string;
  readonly roles?: readonly string[];
  /** The agent that acts for the caller. */
  readonly agent?: string;
  /** When it ends, as RFC 3339 has it: `2027-01-31T00:00:00Z`. Default: never. */
  readonly expires?: string;
}

const tokenChecks: OptionChecks<NamedToken> = {
  sha256: checks.required({
    check(place, value) {
      if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return;
      // It may be the token itself, which is not displayed.
      throw new ToolError(
        "invalid_configuration",
        `${place} is no SHA-256 of a token: use the 64 hexadecimal digits that \`toolweave token add\` writes.`,
      );
    },
  }),
  roles: checks.list(checks.filledText),
  agent: checks.filledText,
  expires: checks.valueThat(
    (value) => typeof value === "string" && isTime(value),
    "a time such as 2027-01-31T00:00:00Z",
  ),
};

/** A day that does not exist is another one when it is written again. */
function isTime(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.valueOf()) && time.toISOString() === text.replace(/Z$/, ".000Z");
}

const prefix = "tw_";

/** A new token, and its digest for `namedTokens`. */
export interface CreatedToken {
  /** `tw_` and 256 random bits. It is nowhere else: hand it to its caller. */
  readonly token: string;
  readonly sha256: string;
}

/** Creates a token for `namedTokens`. */
export function createToken(): CreatedToken {
  const token = `${prefix}${randomBytes(32).toString("base64url")}`;
  return { token, sha256: digest(token) };
}

/** True for a request with a token of the form that `createToken` gives. */
export function hasNamedToken(request: Request): boolean {
  return getBearerToken(request)?.startsWith(prefix) === true;
}

/**
 * Authenticates callers by tokens with names, made by `createToken`. The id of a caller is `token:` and the name, so that no
 * subject of an identity provider is the same caller.
 *
 * @param tokens by name.
 * @throws ToolError `invalid_configuration` for an invalid entry, and for two names with one token.
 */
export function namedTokens(tokens: Readonly<Record<string, NamedToken>>): Authenticate {
  const callers = new Map<string, { readonly caller: Caller; readonly expiresAt: number }>();
  for (const [name, entry] of Object.entries(tokens)) {
    checkOptions(`namedTokens: ${name}`, entry, tokenChecks);
    const { sha256, roles, agent, expires } = entry;
    checks
      .valueThat(() => !callers.has(sha256), "a token of its own for each caller")
      .check(`namedTokens: ${name}.sha256`, sha256);
    callers.set(sha256, {
      caller: {
        id: `token:${name}`,
        ...(roles === undefined ? {} : { roles }),
        ...(agent === undefined ? {} : { agent }),
      },
      expiresAt: expires === undefined ? Infinity : Date.parse(expires),
    });
  }
  return (request) => {
    const token = getBearerToken(request);
    if (token === undefined) return undefined;
    // What the duration of a search by digest reveals is the digest, which does not lead to the token.
    const found = callers.get(digest(token));
    if (found === undefined) {
      return { refused: "invalid_token", reason: "The token is not valid for this gateway." };
    }
    if (found.expiresAt <= Date.now()) {
      return { refused: "invalid_token", reason: "The token has expired." };
    }
    return found.caller;
  };
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
