import { setOwn } from "../document/record.ts";
import type { CertificateCredential } from "@toolweave/core/stores";
import type { PlannedRequest } from "../request/request-plan.ts";
import type { CredentialMaterial, DigestMaterial } from "./credential-form.ts";
import { toHeaderSecrets } from "./source-secrets.ts";
import { digestAuthorization } from "@toolweave/http";

/** A request with everything that is sent with it. */
export interface PreparedRequest {
  /** The URL without credentials, for texts that people and models read. */
  readonly url: string;
  /** The URL to which the request is sent. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly certificate?: CertificateCredential;
  /** Names of the headers and query parameters that carry credentials. */
  readonly names: readonly string[];
  /** Redacted in everything that comes back. */
  readonly secrets: readonly string[];
}

/**
 * Adds credentials, and after them the host's own headers, to a request.
 *
 * @param headers those of the request; modified in place.
 */
export function prepareRequest(
  request: PlannedRequest,
  headers: Record<string, string>,
  materials: readonly CredentialMaterial[],
  hostHeaders: Readonly<Record<string, string>>,
  challenges: DigestChallenges,
): PreparedRequest {
  const address = request.origin + request.path;
  const url = request.query === "" ? address : `${address}?${request.query}`;
  let target = url;
  let { cookie } = request;
  let certificate: CertificateCredential | undefined;
  const secrets: string[] = [];
  const names: string[] = [];

  for (const material of materials) {
    secrets.push(...material.secrets);
    if (material.type === "certificate") certificate = material.certificate;
    if (material.type !== "text") continue;
    const { in: place, name, value } = material;
    names.push(name);
    if (place === "header") setOwn(headers, name, value);
    else if (place === "query") {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      target += `${target.includes("?") ? "&" : "?"}${pair}`;
    } else {
      cookie = cookie === "" ? `${name}=${value}` : `${cookie}; ${name}=${value}`;
    }
  }
  for (const material of materials) {
    // The answer covers the full URL, including other credentials.
    if (material.type !== "digest") continue;
    const answer = challenges.answer(material, request, target);
    if (answer === undefined) continue;
    headers["authorization"] = answer.header;
    names.push("authorization");
    secrets.push(answer.secret);
  }
  for (const name in hostHeaders) {
    const value = hostHeaders[name] as string;
    headers[name] = value;
    names.push(name);
    secrets.push(...toHeaderSecrets(name, value));
  }
  if (cookie !== "") {
    const given = headers["cookie"];
    headers["cookie"] = given === undefined ? cookie : `${given}; ${cookie}`;
  }
  const prepared = { url, target, headers, names, secrets };
  return certificate === undefined ? prepared : { ...prepared, certificate };
}

const maxChallenges = 100;
const maxNonceUses = 50;

interface StoredChallenge {
  readonly challenges: string | readonly string[];
  /** Number of times that its nonce was used. */
  uses: number;
}

/** The answer to a challenge. */
interface DigestAnswer {
  /** The `authorization` header. */
  readonly header: string;
  /** The part of the header that must be redacted. */
  readonly secret: string;
}

/** The latest challenge of each origin (RFC 7616 section 3.3): its nonce serves several requests. */
export class DigestChallenges {
  readonly #stored = new Map<string, StoredChallenge>();
  readonly #answers: string[] = [];

  /**
   * The secrets of the latest answers: an API may repeat them in the result of another call. Each request has a new
   * one, too many to be registered.
   */
  get answers(): readonly string[] {
    return this.#answers;
  }

  /**
   * Answers the latest challenge. Returns nothing if there is none: the first request is sent without an answer.
   *
   * @param target the URL of the request, with its full query.
   */
  answer(
    { scheme, password: { username, password } }: DigestMaterial,
    { origin, method, body }: Pick<PlannedRequest, "origin" | "method" | "body">,
    target: string,
  ): DigestAnswer | undefined {
    const kept = this.#stored.get(challengeKey(origin, scheme, username));
    if (kept === undefined) return undefined;
    kept.uses += 1;
    const { pathname, search } = new URL(target);
    const header = digestAuthorization(kept.challenges, {
      method,
      path: pathname + search,
      username,
      password,
      body,
      nonceCount: kept.uses,
    });
    if (header === undefined) return undefined;
    const secret = /response="([^"]+)"/.exec(header)?.[1] ?? header;
    this.#answers.push(secret);
    if (this.#answers.length > maxNonceUses) this.#answers.shift();
    return { header, secret };
  }

  /** Stores a received challenge in place of the previous one. */
  store(
    { scheme, password: { username } }: DigestMaterial,
    { origin }: Pick<PlannedRequest, "origin">,
    challenges: string | readonly string[],
  ): void {
    const name = challengeKey(origin, scheme, username);
    this.#stored.delete(name);
    this.#stored.set(name, { challenges, uses: 0 });
    const [oldest] = this.#stored.keys();
    if (this.#stored.size > maxChallenges && oldest !== undefined) this.#stored.delete(oldest);
  }
}

function challengeKey(origin: string, scheme: string, username: string): string {
  return JSON.stringify([origin, scheme, username]);
}
