import { ellipsize } from "@toolweave/core/adapter";
import type { BrowserContext, ConsoleMessage, Page, Request, WebError } from "playwright-core";
import { toTarget } from "../../web/web-hosts.ts";
import { findPage, type FloodGuard } from "./flood-guard.ts";

/** The last messages, requests and refused hosts that are remembered. */
const maxEntries = 100;
/** Hosts that pages have asked for. */
const maxHosts = 1_000;
const maxMessage = 500;
const maxUnreleased = 2_000;

/** Schemes of pages. */
const browserSchemes: ReadonlySet<string> = new Set([
  "about:",
  "blob:",
  "chrome-error:",
  "data:",
  "file:",
  "http:",
  "https:",
  "javascript:",
]);

/** A request of a page. */
interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  /** Undefined: it has no answer yet. */
  status: string | undefined;
  mediaType?: string;
}

/** Events since the last report. */
export interface PageNews {
  /** The number of errors on the console. */
  readonly errors: number;
  /** Hosts that a page has asked for, and was refused. */
  readonly refused: readonly string[];
  /** Sentences about what was done to the tabs. */
  readonly notes: readonly string[];
}

/** The console and the requests of a browser's pages. All texts are of the pages. */
export class PageLog {
  readonly #guard: FloodGuard;
  readonly #messages: string[] = [];
  readonly #requests = new Map<Request, LoggedRequest>();
  /** Hosts that pages have asked for. Chromium makes requests of its own, which are in no page. */
  readonly #asked = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #reported = new Set<string>();
  /** Arguments of messages that the pages still hold. */
  #unreleased = 0;
  #newErrors = 0;
  #newNotes: string[] = [];

  /** Reads the console again. */
  readonly listen: () => void;
  /** Stops reading the console: messages arrive until their page has ended, and each occupies the host. */
  readonly close: () => void;

  constructor(context: BrowserContext, guard: FloodGuard) {
    this.#guard = guard;
    const onConsole = (message: ConsoleMessage): void => {
      if (message.type() === "error") this.#newErrors += 1;
      this.#addMessage(message.page(), `${message.type()}: ${message.text()}`);
      this.#release(message);
    };
    const onError = (error: WebError): void => {
      this.#newErrors += 1;
      this.#addMessage(error.page(), `exception: ${error.error().message}`);
    };
    this.listen = () => void context.on("console", onConsole).on("weberror", onError);
    this.close = () => void context.off("console", onConsole).off("weberror", onError);
    this.listen();
    context.on("request", (request) => {
      guard.count(findPage(request), "request");
      if (isOfChromium(request.url())) return;
      this.addAsked(request.url());
      this.#noteProgram(request);
      addBounded(this.#requests, request, {
        method: request.method(),
        url: ellipsize(request.url(), maxMessage),
        status: undefined,
      });
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

  /** Records that a page has asked for a URL. */
  addAsked(url: string): void {
    addLatest(this.#asked, toHost(url), maxHosts);
  }

  /** Records that a connection to `host:port`, or a scheme, was refused. */
  addRefused(host: string): void {
    addLatest(this.#refused, host, maxEntries);
  }

  /** Forgets that a host was refused: it may be reached from now on. */
  forgetRefused(host: string): void {
    this.#refused.delete(host);
    this.#reported.delete(host);
  }

  /** Whether a connection to `host:port` was refused. */
  isRefused(host: string): boolean {
    return this.#refused.has(host);
  }

  /** Adds a sentence to the next report. */
  addNote(text: string): void {
    if (!this.#newNotes.includes(text)) this.#newNotes.push(text);
    if (this.#newNotes.length > maxEntries) this.#newNotes.shift();
  }

  /** Takes the news since the last report. */
  takeNews(): PageNews {
    const refused = this.#refusedToPages().filter((host) => !this.#reported.has(host));
    for (const host of refused) addLatest(this.#reported, host, maxEntries);
    const news = { errors: this.#newErrors, refused, notes: this.#newNotes };
    this.#newErrors = 0;
    this.#newNotes = [];
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
      ({ method, url, status }) => `${status ?? "waiting"} ${method} ${url}`,
    );
    const refused = this.#refusedToPages().map((host) => `refused ${host}`);
    return lines.length + refused.length === 0
      ? "There were no requests."
      : [...lines, ...refused].join("\n");
  }

  /** The media type of the last answer from a URL. */
  getMediaType(url: string): string | undefined {
    const logged = ellipsize(url, maxMessage);
    return [...this.#requests.values()].findLast((one) => one.url === logged)?.mediaType;
  }

  #refusedToPages(): string[] {
    return [...this.#refused].filter((host) => this.#asked.has(host));
  }

  /** Links such as `mailto:` are for another program, and nothing happens. */
  #noteProgram(request: Request): void {
    const { protocol = "" } = URL.parse(request.url()) ?? {};
    if (!request.isNavigationRequest() || browserSchemes.has(protocol)) return;
    this.addNote(
      `The page has opened a ${protocol} link, which is for another program. None was started.`,
    );
  }

  /**
   * Releases the arguments of a message: Playwright holds up to 100,000, of any size, and the page holds its objects for
   * them. A page whose script never pauses releases none.
   */
  #release(message: ConsoleMessage): void {
    const page = message.page();
    for (const argument of message.args()) {
      this.#unreleased += 1;
      const onReleased = (): void => void (this.#unreleased -= 1);
      argument.dispose().then(onReleased, onReleased);
    }
    if (this.#unreleased > maxUnreleased) {
      this.#guard.report(page ?? undefined, "fills its console without a pause");
    }
  }

  #addMessage(page: Page | null, text: string): void {
    this.#guard.count(page ?? undefined, "message");
    this.#guard.count(page ?? undefined, "character", text.length);
    // Cut first: a message can have millions of characters.
    this.#messages.push(
      ellipsize(text.slice(0, 2 * maxMessage).replaceAll(/\s+/g, " "), maxMessage),
    );
    if (this.#messages.length > maxEntries) this.#messages.shift();
  }
}

/** True for what is in Chromium itself, such as its viewer of PDF files. */
function isOfChromium(url: string): boolean {
  return /^chrome(?:-extension|-untrusted)?:/.test(url);
}

/** `host:port` of a URL, as the proxy names it; its scheme if it has no host. */
export function toHost(text: string): string {
  const url = URL.parse(text);
  if (url === null || url.hostname === "") return url?.protocol ?? "an invalid URL";
  const { hostname, port } = toTarget(url);
  return `${hostname}:${port}`;
}

/** Adds an entry as the latest, and deletes the oldest one beyond the maximum. */
function addLatest(set: Set<string>, entry: string, max: number): void {
  set.delete(entry);
  set.add(entry);
  const [oldest] = set;
  if (set.size > max && oldest !== undefined) set.delete(oldest);
}

function addBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxEntries && oldest !== undefined) map.delete(oldest);
}
