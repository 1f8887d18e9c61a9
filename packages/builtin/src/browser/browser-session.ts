import { displayLine, ToolError } from "@toolweave/core";
import { pause, withSignal } from "@toolweave/core/adapter";
import type { Dialog, Locator, Page } from "playwright-core";
import { toTarget, type ReachableHosts } from "../web/web-hosts.ts";
import { Downloads } from "./downloads.ts";
import { FloodGuard } from "./page/flood-guard.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import type { PageElement } from "./page/page-elements.ts";
import { isInPage, readNodes, readPage, type PageText } from "./page/read-page.ts";
import { PageLog, toHost } from "./page/page-log.ts";
import { PendingRequests } from "./page/pending-requests.ts";
import {
  describeBlocking,
  expectAnswer,
  findBlocking,
  toUnresponsiveError,
  type Tab,
} from "./tab.ts";

/** Milliseconds in which an element can be acted on. */
export const actionTimeoutMs = 10_000;
const maxTabs = 20;
/** Calls that were proposed, and neither ran nor were forgotten. */
const maxIntents = 100;

/** Milliseconds in which a page is closed, unless a script of it runs without end. */
const closeMs = 8_000;

/** The page, and the element or dialog on it, that a call is to act on. */
export interface Intent {
  readonly tab: Tab;
  readonly url: string;
  readonly element?: PageElement;
  readonly dialog?: Dialog;
}

/** The browser of one session: its tabs, and what a model has seen of them. */
export class BrowserSession {
  readonly log: PageLog;
  readonly downloads: Downloads;
  readonly #browser: LaunchedBrowser;
  readonly #requests: PendingRequests;
  readonly #guard: FloodGuard;
  readonly #tabs = new Map<Page, Tab>();
  readonly #intents = new Map<string, Intent>();
  #current: Tab | undefined;
  #lastId = 0;
  #newTabs: Tab[] = [];
  #onDialog: ((tab: Tab) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #closeReason: string | undefined;

  /**
   * Launches a browser.
   *
   * @param reachable the hosts that it may reach.
   * @throws ToolError as `launchBrowser` does.
   */
  static async open(
    reachable: ReachableHosts,
    options: Pick<LaunchOptions, "executable" | "sandbox">,
  ): Promise<BrowserSession> {
    const refuse: { log?: PageLog } = {};
    const browser = await launchBrowser({
      ...options,
      getReach: (target) => reachable.getReach(target),
      onRefused: ({ hostname, port }) => refuse.log?.addRefused(`${hostname}:${port}`),
    });
    const session = new BrowserSession(browser);
    refuse.log = session.log;
    await session.#guardRequests(reachable);
    return session;
  }

  private constructor(browser: LaunchedBrowser) {
    const { context } = browser;
    this.#browser = browser;
    const guard = new FloodGuard((page, reason) => void this.#endFlood(page, reason));
    this.#guard = guard;
    this.log = new PageLog(context, guard);
    this.#requests = new PendingRequests(context, guard);
    this.downloads = new Downloads(context, browser.downloads, (url) => this.log.getMediaType(url));
    context.on("download", (download) => guard.count(download.page(), "download"));
    context.on("frameattached", (frame) => guard.count(frame.page(), "frame"));
    context.on("framenavigated", (frame) => guard.count(frame.page(), "frame"));
    context.setDefaultTimeout(actionTimeoutMs);
    for (const page of context.pages()) this.#addTab(page);
    this.#newTabs = [];
    context.on("page", (page) => this.#addTab(page));
    context.on("dialog", (dialog) => this.#addDialog(dialog));
    context.on("close", () => (this.#isClosed = true));
  }

  /** True: it was closed, or has crashed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why it was closed, in a sentence; undefined: on request, or by a crash. */
  get closeReason(): string | undefined {
    return this.#closeReason;
  }

  /** The tabs, in the order in which they were opened. */
  get tabs(): readonly Tab[] {
    return [...this.#tabs.values()];
  }

  /**
   * The tab that actions are for.
   *
   * @throws ToolError `unavailable`: the browser has ended.
   */
  get current(): Tab {
    const current = this.#current ?? this.tabs.at(-1);
    if (current === undefined || this.#isClosed) throw hasEnded(this.#closeReason);
    return current;
  }

  /** The same, or a new tab if all of them were closed. */
  async openTab(): Promise<Tab> {
    if (this.#tabs.size === 0 && !this.#isClosed) {
      await this.#browser.context.newPage();
      this.#newTabs = [];
    }
    return this.current;
  }

  /** Makes a tab the one that actions are for. */
  select(tab: Tab): void {
    this.#current = tab;
  }

  /** The tabs that were opened since the last time. */
  takeNewTabs(): readonly Tab[] {
    const opened = this.#newTabs.filter(({ page }) => !page.isClosed());
    this.#newTabs = [];
    return opened;
  }

  /** Does one piece of work at a time, in order. */
  async exclusive<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /**
   * Performs an action on a tab, until it has ended and the page has settled, or a dialog waits for an answer: one of the
   * page, or one of another tab that stops this one too.
   */
  async perform(tab: Tab, signal: AbortSignal, action: () => Promise<unknown>): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#onDialog = (at) => {
        if (at === tab) resolve();
      };
    });
    const work = this.#requests.settle(tab.page, signal, action);
    work.catch(() => {});
    await this.#untilBlocked(tab, signal, Promise.race([work, opened]));
    if (tab.dialog !== undefined) tab.stopped = work;
  }

  /** Answers the dialog of a tab, and lets the action that it stopped end. */
  async answerDialog(
    tab: Tab,
    signal: AbortSignal,
    answer: { readonly accept: boolean; readonly text?: string },
  ): Promise<void> {
    const { dialog, stopped } = tab;
    delete tab.dialog;
    delete tab.stopped;
    // Without a text a person accepts what the prompt displays.
    const text = answer.text ?? dialog?.defaultValue();
    await this.perform(tab, signal, async () => {
      await (answer.accept ? dialog?.accept(text) : dialog?.dismiss());
      await stopped?.catch(() => {});
    });
  }

  /**
   * The accessibility tree of a page, whose references are valid from now on, and its title; or the tab whose dialog stops
   * this one too.
   *
   * @throws ToolError `timeout` if the page does not respond, `unavailable` if it has crashed.
   */
  async look(tab: Tab, signal: AbortSignal): Promise<PageText | { readonly blocking: Tab }> {
    const options = { mode: "ai", timeout: actionTimeoutMs, signal } as const;
    const { page } = tab;
    const read = async (): Promise<PageText> => {
      const seen = await readPage(page, options);
      tab.seen = { url: page.url(), elements: seen.elements };
      if (tab.chooser !== undefined && !(await isInPage(tab.chooser))) delete tab.chooser;
      return seen;
    };
    return this.#untilBlocked(tab, signal, expectAnswer(tab, read()));
  }

  /**
   * Waits for an answer of a page.
   *
   * @throws ToolError `invalid_arguments` while a dialog of another tab stops it, `timeout` if it does not respond,
   * `unavailable` if it has crashed.
   */
  async respond<Result extends object>(
    tab: Tab,
    signal: AbortSignal,
    work: Promise<Result>,
  ): Promise<Result> {
    const result = await this.#untilBlocked(tab, signal, expectAnswer(tab, work));
    if (!("blocking" in result)) return result;
    throw new ToolError("invalid_arguments", describeBlocking(tab, result.blocking));
  }

  /**
   * The page and the element that a call is to act on, as the model has seen them. The call acts on nothing else,
   * however long it waits for a person.
   *
   * @throws ToolError `invalid_arguments` for a reference that the model has not seen.
   */
  propose(callId: string, ref: string | undefined): Intent {
    const tab = this.current;
    const url = tab.page.url();
    const element = ref === undefined ? undefined : tab.seen?.elements.get(ref);
    if (ref !== undefined && element === undefined) {
      throw new ToolError(
        "invalid_arguments",
        `There is no element ${ref} in the last snapshot of the page. Call browser with action snapshot.`,
      );
    }
    const { dialog } = tab;
    const intent: Intent = {
      tab,
      url,
      ...(element === undefined ? {} : { element }),
      ...(dialog === undefined ? {} : { dialog }),
    };
    this.#intents.set(callId, intent);
    const [oldest] = this.#intents.keys();
    if (this.#intents.size > maxIntents && oldest !== undefined) this.#intents.delete(oldest);
    return intent;
  }

  /** Takes what was proposed for a call; the current page if nothing was. */
  take(callId: string, ref: string | undefined): Intent {
    const intent = this.#intents.get(callId) ?? this.propose(callId, ref);
    this.#intents.delete(callId);
    return intent;
  }

  /**
   * Finds an element, which has to be the one that was proposed: a page can change what a reference leads to.
   *
   * @throws ToolError `invalid_arguments` if the page has changed.
   */
  async locate({ tab, url, element }: Intent, ref: string, signal: AbortSignal): Promise<Locator> {
    const options = { mode: "ai", timeout: actionTimeoutMs, signal } as const;
    const tree = await this.respond(tab, signal, readNodes(tab.page, options));
    const present = tree.get(ref);
    const isSame = present?.role === element?.role && present?.name === element?.name;
    if (present === undefined || !isSame || tab.page.url() !== url) {
      throw new ToolError(
        "invalid_arguments",
        `The element ${ref} is gone, or has changed since the last snapshot. Nothing was done. Call browser with action snapshot.`,
      );
    }
    return tab.page.getByRef(ref);
  }

  /** Ends the browser, and deletes its profile. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.log.close();
    this.downloads.close();
    await this.#browser.close();
  }

  #addTab(page: Page): void {
    this.#guard.count(undefined, "tab");
    if (this.#tabs.size >= maxTabs) return void page.close().catch(() => {});
    const tab: Tab = { id: ++this.#lastId, page };
    this.#tabs.set(page, tab);
    this.#newTabs.push(tab);
    this.#current ??= tab;
    page.on("filechooser", (chooser) => (tab.chooser = chooser));
    // The document that waited for files is another one then.
    page.on("domcontentloaded", () => delete tab.chooser);
    page.on("dialogclosed", () => delete tab.dialog);
    page.on("crash", () => (tab.hasCrashed = true));
    page.on("framenavigated", () => delete tab.hasCrashed);
    page.on("websocket", (socket) => {
      this.log.addAsked(socket.url());
      this.#guard.count(page, "socket");
    });
    page.on("worker", () => this.#guard.count(page, "worker"));
    page.on("close", () => {
      this.#tabs.delete(page);
      this.#newTabs = this.#newTabs.filter((one) => one !== tab);
      if (this.#current === tab) this.#current = undefined;
    });
  }

  #addDialog(dialog: Dialog): void {
    const page = dialog.page();
    const tab = page === null ? undefined : this.#tabs.get(page);
    if (tab === undefined) return void dialog.dismiss().catch(() => {});
    tab.dialog = dialog;
    this.#onDialog?.(tab);
  }

  /**
   * Waits for work on a page, or until a dialog of another tab stops the page: pages of one process have one thread.
   *
   * @throws ToolError as `look` does.
   */
  async #untilBlocked<Result>(
    tab: Tab,
    signal: AbortSignal,
    work: Promise<Result>,
  ): Promise<Result | { readonly blocking: Tab }> {
    const ended = new AbortController();
    work.catch(() => {});
    const blocked = findBlocking(tab, () => this.tabs, AbortSignal.any([signal, ended.signal]));
    try {
      return await withSignal(Promise.race([work, blocked]), signal);
    } catch (error) {
      if (this.#isClosed) throw hasEnded(this.#closeReason);
      throw tab.hasCrashed ? toUnresponsiveError(tab, error as Error) : error;
    } finally {
      ended.abort();
    }
  }

  /** Closes the page that occupies the host, and the browser if there is no such page, or it does not close. */
  async #endFlood(page: Page | undefined, reason: string): Promise<void> {
    const tab = page === undefined ? undefined : this.#tabs.get(page);
    this.log.close();
    if (tab !== undefined) {
      const note = `Tab ${tab.id} was closed, because its page ${reason}: ${displayLine(tab.page.url())}`;
      this.log.addNote(note);
      if (this.#tabs.size === 1) this.#closeReason = note;
      const closed = tab.page.close().catch(() => {});
      await pause(closeMs, { wake: closed });
      if (tab.page.isClosed()) return this.log.listen();
    }
    this.#closeReason = `The browser was closed, because ${tab === undefined ? "its pages" : `the page of tab ${tab.id}`} ${reason}.`;
    await this.close();
  }

  /** Ends requests to other hosts before they reach the proxy, which refuses them too. */
  async #guardRequests(reachable: ReachableHosts): Promise<void> {
    await this.#browser.context.route("**/*", async (route) => {
      const text = route.request().url();
      const url = URL.parse(text);
      const isInner = url !== null && innerSchemes.has(url.protocol);
      const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
      if (isInner || (isWeb && reachable.getReach(toTarget(url)) !== undefined)) {
        return route.continue().catch(() => {});
      }
      this.log.addAsked(text);
      this.log.addRefused(toHost(text));
      await route.abort("blockedbyclient").catch(() => {});
    });
  }
}

/** Schemes of what is in the page or in Chromium already, such as its viewer of PDF files: they reach no host. */
const innerSchemes: ReadonlySet<string> = new Set([
  "about:",
  "blob:",
  "chrome-extension:",
  "chrome-untrusted:",
  "chrome:",
  "data:",
]);

/** The error of a browser that is not there any more. */
export function hasEnded(reason = "The browser has ended."): ToolError {
  return new ToolError(
    "unavailable",
    `${reason} Call browser with action navigate to open another one.`,
  );
}
