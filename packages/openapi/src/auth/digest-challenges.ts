import { digestAuthorization } from "@toolweave/http";
import type { PlannedRequest } from "../request/request-plan.ts";
import type { DigestMaterial } from "./credential-form.ts";

const maxChallenges = 100;
const maxNonceUses = 50;

interface StoredChallenge {
  readonly challenges: string | readonly string[];
  /** How often its nonce was used. */
  uses: number;
}

/** What a challenge is answered with. */
export interface DigestAnswer {
  /** The `authorization` header. */
  readonly header: string;
  /** What in it must not come out. */
  readonly secret: string;
}

/** The latest challenge of each origin (RFC 7616 section 3.3): its nonce serves several requests. */
export class DigestChallenges {
  readonly #kept = new Map<string, StoredChallenge>();
  readonly #answers: string[] = [];

  /**
   * What was answered last, as far as it must not come out: an API may repeat it to another call. There is another one
   * with each request, too many to be registered.
   */
  get answers(): readonly string[] {
    return this.#answers;
  }

  /**
   * Answers the latest challenge; nothing when there is none: the first request goes without.
   *
   * @param target where the request goes, with its whole query.
   */
  answer(
    { scheme, password: { username, password } }: DigestMaterial,
    { origin, method, body }: Pick<PlannedRequest, "origin" | "method" | "body">,
    target: string,
  ): DigestAnswer | undefined {
    const kept = this.#kept.get(challengeKey(origin, scheme, username));
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

  /** Keeps a challenge that has just come, in place of the one before. */
  learn(
    { scheme, password: { username } }: DigestMaterial,
    { origin }: Pick<PlannedRequest, "origin">,
    challenges: string | readonly string[],
  ): void {
    const name = challengeKey(origin, scheme, username);
    this.#kept.delete(name);
    this.#kept.set(name, { challenges, uses: 0 });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxChallenges && oldest !== undefined) this.#kept.delete(oldest);
  }
}

function challengeKey(origin: string, scheme: string, username: string): string {
  return JSON.stringify([origin, scheme, username]);
}
