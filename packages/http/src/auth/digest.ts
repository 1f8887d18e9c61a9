import { parseChallenges, type Challenge } from "../message/header-fields.ts";

/** The request that a digest authorizes. */
export interface DigestRequest {
  readonly method: string;
  /** The request target as it is sent: path and query. */
  readonly path: string;
  readonly username: string;
  readonly password: string;
  /** The body, for servers that protect it too (`auth-int`). */
  readonly body?: string | Uint8Array | undefined;
  /** Number of responses to this nonce, this one included. Default: 1. */
  readonly nonceCount?: number | undefined;
}

/** A challenge that can be answered. */
interface DigestChallenge {
  readonly parameters: ReadonlyMap<string, string>;
  readonly realm: string;
  readonly nonce: string;
  readonly hash: string;
  readonly session: boolean;
  /** `undefined`: as in RFC 2069, which some devices still use. */
  readonly protection: "auth" | "auth-int" | undefined;
}

/** Hash algorithms: the name of RFC 7616 section 6.1 and Node's name, the best first. */
const hashes: readonly (readonly [string, string])[] = [
  ["sha-512-256", "sha512-256"],
  ["sha-256", "sha256"],
  ["md5", "md5"],
];

/**
 * Creates the `authorization` header that answers a `WWW-Authenticate: Digest` challenge (RFC 7616). Of several
 * challenges, the one with the best algorithm is answered. The same nonce can be answered several times, with a higher
 * `nonceCount` each time.
 *
 * @param challenges the values of the header, as received.
 * @returns `undefined` when no digest challenge among them can be answered.
 */
export function digestAuthorization(
  challenges: string | readonly string[],
  request: DigestRequest,
): string | undefined {
  const challenge = bestChallenge(parseChallenges(challenges));
  return challenge && digestAnswer(challenge, request, clientNonce(challenge, request));
}

let clientNonceKey: Uint8Array | undefined;

/** Loads the module on demand: loading takes milliseconds, and few servers use digest authentication. */
function nodeCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}

/** Returns the same client nonce for the same nonce: a session (`-sess`) uses the client nonce with which it began. */
function clientNonce({ nonce, realm }: DigestChallenge, { username }: DigestRequest): string {
  const { createHmac, randomBytes } = nodeCrypto();
  clientNonceKey ??= randomBytes(32);
  return createHmac("sha256", clientNonceKey)
    .update(JSON.stringify([nonce, realm, username]))
    .digest("base64url");
}

/** @internal The best of the digest challenges that can be answered. */
export function bestChallenge(challenges: readonly Challenge[]): DigestChallenge | undefined {
  let best: DigestChallenge | undefined;
  let bestRank = hashes.length;
  for (const { scheme, parameters } of challenges) {
    const realm = parameters.get("realm");
    const nonce = parameters.get("nonce");
    if (scheme !== "digest" || realm === undefined || nonce === undefined) continue;
    const algorithm = (parameters.get("algorithm") ?? "MD5").toLowerCase();
    const session = algorithm.endsWith("-sess");
    const name = session ? algorithm.slice(0, -"-sess".length) : algorithm;
    const rank = hashes.findIndex(([known]) => known === name);
    const [, hash] = hashes[rank] ?? [];
    if (hash === undefined || rank >= bestRank) continue;
    // Some servers send an empty value for none.
    const offered = (parameters.get("qop") || undefined)?.toLowerCase().split(/[ \t]*,[ \t]*/);
    const protection = (["auth", "auth-int"] as const).find((known) => offered?.includes(known));
    // No known protection, or a session without the client nonce that it needs.
    if (protection === undefined && (offered !== undefined || session)) continue;
    best = { parameters, realm, nonce, hash, session, protection };
    bestRank = rank;
  }
  return best;
}

/** @internal The response with an explicit client nonce (RFC 7616 section 3.4). */
export function digestAnswer(
  { parameters, realm, nonce, hash, session, protection }: DigestChallenge,
  { method, path, username, password, body = "", nonceCount = 1 }: DigestRequest,
  cnonce: string,
): string {
  const { createHash } = nodeCrypto();
  const digest = (...parts: readonly (string | Uint8Array)[]): string => {
    const made = createHash(hash);
    for (const [index, part] of parts.entries()) made.update(index === 0 ? "" : ":").update(part);
    return made.digest("hex");
  };
  const user = username.normalize("NFC");
  // Each character of a header value is one byte.
  const realmBytes = Buffer.from(realm, "latin1");
  const nonceBytes = Buffer.from(nonce, "latin1");
  const identity = digest(user, realmBytes, password.normalize("NFC"));
  const key = session ? digest(identity, nonceBytes, cnonce) : identity;
  const verb = method.toUpperCase();
  const action = protection === "auth-int" ? digest(verb, path, digest(body)) : digest(verb, path);
  const count = nonceCount.toString(16).padStart(8, "0");
  const response =
    protection === undefined
      ? digest(key, nonceBytes, action)
      : digest(key, nonceBytes, count, cnonce, protection, action);
  const hidden = parameters.get("userhash")?.toLowerCase() === "true";
  const algorithm = parameters.get("algorithm");
  const opaque = parameters.get("opaque");
  const fields = [
    hidden ? `username=${quote(digest(user, realmBytes))}` : userField(user),
    `realm=${quote(realm)}`,
    `uri=${quote(path)}`,
    ...(algorithm === undefined ? [] : [`algorithm=${algorithm}`]),
    `nonce=${quote(nonce)}`,
    ...(protection === undefined
      ? []
      : [`nc=${count}`, `cnonce=${quote(cnonce)}`, `qop=${protection}`]),
    `response=${quote(response)}`,
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
    ...(hidden ? ["userhash=true"] : []),
  ];
  return `Digest ${fields.join(", ")}`;
}

/** RFC 7616 section 3.4: a user name with non-ASCII characters is sent as an extended value (RFC 8187). */
function userField(user: string): string {
  if (/^[ -~]*$/.test(user)) return `username=${quote(user)}`;
  const encoded = encodeURIComponent(user).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `username*=UTF-8''${encoded}`;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}
