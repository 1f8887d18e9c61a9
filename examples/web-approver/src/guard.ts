import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Distinguishes the person who started the server from every web page that their browser has open:
 * any page can send requests to 127.0.0.1, and any name can resolve to it.
 */
export class Guard {
  /** The one host name that this server accepts. */
  readonly #host: string;
  readonly #cookieName: string;
  readonly #session = secret();
  /** Signs in once: the address in a browser's history is then invalid. */
  #token: string | undefined = secret();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    // Cookies apply to a host, whatever the port: other servers on it need other names.
    this.#cookieName = `approver-${port}`;
  }

  /** The start address of the person. A client that has it can approve. */
  get startUrl(): string {
    return `http://${this.#host}/?token=${this.#token ?? ""}`;
  }

  /** False for a name that only resolves to this address (DNS rebinding). */
  knowsHost({ headers }: IncomingMessage): boolean {
    return headers.host === this.#host;
  }

  /** The cookie for a client with the start URL; `undefined` for all others. */
  signIn(token: string): string | undefined {
    if (this.#token === undefined || !isSame(token, this.#token)) return undefined;
    this.#token = undefined;
    return `${this.#cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  isSignedIn({ headers }: IncomingMessage): boolean {
    const prefix = `${this.#cookieName}=`;
    const cookies = (headers.cookie ?? "").split("; ");
    return cookies.some(
      (cookie) => cookie.startsWith(prefix) && isSame(cookie.slice(prefix.length), this.#session),
    );
  }

  /** True if a page of this server has sent it; false if no header names the sender. */
  isSameOrigin({ headers }: IncomingMessage): boolean {
    return headers.origin === `http://${this.#host}`;
  }

  /** A token that is valid for one form only. */
  formToken(action: string, id: string): string {
    return createHmac("sha256", this.#session).update(`${action} ${id}`).digest("base64url");
  }

  isFormToken(token: string, action: string, id: string): boolean {
    return isSame(token, this.formToken(action, id));
  }
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

/** In constant time, wherever the difference is. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
