import { digestAuthorization } from "@toolweave/http";
import type { PlannedRequest } from "../request/request-plan.ts";
import type { DigestMaterial } from "./credential-form.ts";

const maxChallenges = 100;
const maxNonceUses = 50;

interface StoredChallenge {
  readonly challenges: string | readonly string[];
  /** Number of times that its nonce was used. */
  uses: number;
}

/** The answer to a challenge. */
export interface DigestAnswer {
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
