import { ellipsize } from "@toolweave/core/adapter";
import type { BrowserContext, Request } from "playwright-core";

/** The last messages and requests that are remembered. */
const maxEntries = 100;
const maxMessage = 500;

/** A request of a page. */
interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  /** Undefined: it has no answer yet. */
  status: string | undefined;
  mediaType?: string;
}

/** The console and the requests of a browser's pages. All texts are of the pages. */
export class PageLog {
  readonly #messages: string[] = [];
  readonly #requests = new Map<Request, LoggedRequest>();
  readonly #refused = new Set<string>();
  /** Errors on the console, and refused hosts, that were not reported yet. */
  #newErrors = 0;
  #newRefused: string[] = [];

  constructor(context: BrowserContext) {
    context.on("console", (message) => {
      if (message.type() === "error") this.#newErrors += 1;
      this.#addMessage(`${message.type()}: ${message.text()}`);
    });
    context.on("weberror", (error) => {
      this.#newErrors += 1;
      this.#addMessage(`exception: ${error.error().message}`);
    });
    context.on("request", (request) => {
      this.#requests.set(request, {
        method: request.method(),
        url: request.url(),
        status: undefined,
      });
      const [oldest] = this.#requests.keys();
      if (this.#requests.size > maxEntries && oldest !== undefined) this.#requests.delete(oldest);
    });
    context.on("response", (response) => {
      const logged = this.#requests.get(response.request());
      if (logged === undefined) return;
      logged.status = String(response.status());
      const mediaType = response.headers()["content-type"];
      if (mediaType !== undefined) logged.mediaType = mediaType;
    });
    context.on("requestfailed", (request) => {
      const logged = this.#requests.get(request);
      // A download has an answer, and is no failure.
      if (logged !== undefined) logged.status ??= request.failure()?.errorText ?? "failed";
    });
  }

  /** Records that a connection was refused. */
  addRefused(host: string): void {
    if (this.#refused.size >= maxEntries || this.#refused.has(host)) return;
    this.#refused.add(host);
    this.#newRefused.push(host);
  }

  /** Forgets that a host was refused: it may be reached from now on. */
  forgetRefused(host: string): void {
    this.#refused.delete(host);
    this.#newRefused = this.#newRefused.filter((one) => one !== host);
  }

  /** Whether a connection to `host:port` was refused. */
  isRefused(host: string): boolean {
    return this.#refused.has(host);
  }

  /** Takes the news since the last report. */
  takeNews(): { readonly errors: number; readonly refused: readonly string[] } {
    const news = { errors: this.#newErrors, refused: this.#newRefused };
    this.#newErrors = 0;
    this.#newRefused = [];
    return news;
  }

  /** The messages of the console, one in a line. */
  describeConsole(): string {
    return this.#messages.length === 0 ? "The console is empty." : this.#messages.join("\n");
  }

  /** The requests, one in a line. */
  describeRequests(): string {
    const lines = Array.from(
      this.#requests.values(),
      ({ method, url, status }) => `${status ?? "waiting"} ${method} ${ellipsize(url, maxMessage)}`,
    );
    const refused = Array.from(this.#refused, (host) => `refused ${host}`);
    return lines.length + refused.length === 0
      ? "There were no requests."
      : [...lines, ...refused].join("\n");
  }

  /** The media type of the last answer from a URL. */
  getMediaType(url: string): string | undefined {
    return [...this.#requests.values()].findLast((one) => one.url === url)?.mediaType;
  }

  #addMessage(text: string): void {
    this.#messages.push(ellipsize(text.replaceAll(/\s+/g, " "), maxMessage));
    if (this.#messages.length > maxEntries) this.#messages.shift();
  }
}
