import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * Tells the person who started the server from every web page that their browser has open: any page
 * can send requests to 127.0.0.1, and any name can be made to point there.
 */
export class Guard {
  /** The one name that this server answers to. */
  readonly #host: string;
  readonly #cookieName: string;
  readonly #session = secret();
  /** Signs in once: what is left of it in a browser's history is worth nothing. */
  #token: string | undefined = secret();

  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    // Cookies are for a host, whatever the port: other servers on it need names of their own.
    this.#cookieName = `approver-${port}`;
  }

  /** Where the person begins. Whoever has it can approve. */
  get startUrl(): string {
    return `http://${this.#host}/?token=${this.#token ?? ""}`;
  }

  /** False for a name that only points here (DNS rebinding). */
  knowsHost({ headers }: IncomingMessage): boolean {
    return headers.host === this.#host;
  }

  /** The cookie for whoever has the start URL; `undefined` for everybody else. */
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

  /** True when a page of this server has sent it; false when nothing says who has. */
  isSameOrigin({ headers }: IncomingMessage): boolean {
    return headers.origin === `http://${this.#host}`;
  }

  /** A token that is good for one form alone. */
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

/** In the same time whatever is wrong. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
