import { randomBytes, timingSafeEqual } from "node:crypto";
import { ToolError, type Caller, type Clock, type ClockTimer } from "@toolweave/core";
import { checkOptions, systemClock } from "@toolweave/core/adapter";
import { getBearerToken, getTokenDigest } from "./bearer-header.ts";
import type { ConsoleCaller, ConsoleScope } from "./console-caller.ts";

/** Options of `ConsoleSessions`. */
export interface ConsoleSessionsOptions {
  /** The person whose sessions these are, without `agent`. Calls are made for this caller, and answers stored as theirs. */
  readonly caller: Caller;
  /** Default: the platform's. */
  readonly clock?: Clock;
}

/** A session as the client receives it, once. */
export interface Session {
  /** Sent as `Authorization: Bearer …`. */
  readonly token: string;
  readonly scopes: readonly ConsoleScope[];
  /** Milliseconds since the epoch. Each request moves it. */
  readonly expiresAt: number;
  readonly caller: { readonly id: string };
}

const scopes: readonly ConsoleScope[] = ["read", "call", "decide"];
/** Milliseconds for which a code can be used. */
const codeLifetimeMs = 120_000;
/** Milliseconds without a request after which a session ends: 12 hours. */
const idleMs = 43_200_000;
const maxSessions = 64;
/** Codes that can be used at the same time. A further one replaces the oldest. */
const maxCodes = 64;

interface StoredCode {
  readonly digest: Buffer;
  readonly expiresAt: number;
}

interface StoredSession {
  readonly digest: Buffer;
  readonly sender: ConsoleCaller;
  readonly end: () => void;
  lastUsedAt: number;
  timer: ClockTimer;
}

/**
 * The sessions of one person's browsers, in memory: a new process has none. A session begins with a code that the
 * process hands out, and has the scopes `read`, `call` and `decide`. It ends when it is ended, after 12 hours without a
 * request, and if 64 newer ones are in use. Only digests of codes and tokens are kept, and they are compared in constant
 * time.
 *
 * @example
 * ```ts
 * const sessions = new ConsoleSessions({ caller: { id: "ada" } });
 * const listener = await listenConsole({ executor, stores: { pendingCalls }, sessions });
 * console.log(`${listener.url}/#code=${sessions.createCode()}`);
 * ```
 */
export class ConsoleSessions {
  readonly #caller: Caller;
  readonly #clock: Clock;
  #codes: readonly StoredCode[] = [];
  /** The least recently used first. */
  readonly #sessions = new Set<StoredSession>();

  /** @throws ToolError `invalid_configuration` for a caller without an id, and for a program. */
  constructor(options: ConsoleSessionsOptions) {
    checkOptions("new ConsoleSessions", options, ["caller", "clock"]);
    const { caller, clock = systemClock } = options;
    if (typeof caller?.id !== "string" || caller.id === "") {
      throw invalid("the caller must have an id");
    }
    if (caller.agent !== undefined) {
      throw invalid("the caller is a program (it has an agent): sessions are for people");
    }
    this.#caller = caller;
    this.#clock = clock;
  }

  /** Creates a code of 256 bits for the fragment of a link. It can be exchanged once, within 2 minutes. */
  createCode(): string {
    const code = newSecret();
    const expiresAt = this.#clock.now() + codeLifetimeMs;
    this.#codes = [...this.#codes, { digest: getTokenDigest(code), expiresAt }].slice(-maxCodes);
    return code;
  }

  /**
   * Exchanges a code for a session.
   *
   * @returns `undefined` for a code that is wrong, was used or has expired.
   */
  start(code: string): Session | undefined {
    const sent = getTokenDigest(code);
    const now = this.#clock.now();
    let isValid = false;
    // All of them, so that the duration does not depend on the code.
    this.#codes = this.#codes.filter(({ digest, expiresAt }) => {
      const isSame = timingSafeEqual(digest, sent);
      if (isSame && expiresAt > now) isValid = true;
      return !isSame && expiresAt > now;
    });
    if (!isValid) return undefined;
    const token = newSecret();
    this.#add(token, now);
    const [oldest] = this.#sessions;
    if (this.#sessions.size > maxSessions) oldest?.end();
    return { token, scopes, expiresAt: now + idleMs, caller: { id: this.#caller.id } };
  }

  /** Determines the session of a request. `undefined`: its token is no session's. */
  authenticate(request: Request): ConsoleCaller | undefined {
    const token = getBearerToken(request);
    if (token === undefined) return undefined;
    const sent = getTokenDigest(token);
    let found: StoredSession | undefined;
    for (const session of this.#sessions) {
      if (timingSafeEqual(session.digest, sent)) found = session;
    }
    if (found === undefined) return undefined;
    const now = this.#clock.now();
    // The timer may be late, after the machine has slept.
    if (now - found.lastUsedAt >= idleMs) {
      found.end();
      return undefined;
    }
    found.lastUsedAt = now;
    this.#sessions.delete(found);
    this.#sessions.add(found);
    return found.sender;
  }

  /** Ends a session. Idempotent. */
  end(id: string): void {
    for (const session of this.#sessions) if (session.sender.session?.id === id) session.end();
  }

  #add(token: string, now: number): void {
    const ended = new AbortController();
    const session: StoredSession = {
      digest: getTokenDigest(token),
      sender: {
        caller: this.#caller,
        scopes,
        session: { id: crypto.randomUUID(), ended: ended.signal },
      },
      end: () => {
        this.#clock.clearTimeout(session.timer);
        this.#sessions.delete(session);
        ended.abort();
      },
      lastUsedAt: now,
      timer: this.#newTimer(() => session, idleMs),
    };
    this.#sessions.add(session);
  }

  /** Ends the session when it has been idle for long enough. */
  #newTimer(getSession: () => StoredSession, ms: number): ClockTimer {
    const timer = this.#clock.setTimeout(() => {
      const session = getSession();
      const remainingMs = session.lastUsedAt + idleMs - this.#clock.now();
      if (remainingMs > 0) session.timer = this.#newTimer(getSession, remainingMs);
      else session.end();
    }, ms);
    timer.unref?.();
    return timer;
  }
}

/** 256 random bits. */
function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function invalid(fault: string): ToolError {
  return new ToolError("invalid_configuration", `new ConsoleSessions: ${fault}.`);
}
