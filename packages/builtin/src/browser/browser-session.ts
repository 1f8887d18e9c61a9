import { ToolError } from "@toolweave/core";
import { withSignal } from "@toolweave/core/adapter";
import type { HostTarget } from "@toolweave/http";
import type { Dialog, FileChooser, Locator, Page } from "playwright-core";
import { toTarget, type WebHosts } from "../web/web-hosts.ts";
import { Downloads } from "./downloads.ts";
import { launchBrowser, type LaunchedBrowser, type LaunchOptions } from "./launch-browser.ts";
import { readElements, type PageElement, type PageElements } from "./page-elements.ts";
import { PageLog } from "./page-log.ts";
import { PendingRequests } from "./pending-requests.ts";

/** Milliseconds in which an element can be acted on. */
export const actionTimeoutMs = 10_000;
const maxTabs = 20;
/** Calls that were proposed, and neither ran nor were forgotten. */
const maxIntents = 100;

/** A tab of a browser. */
export interface Tab {
  readonly id: number;
  readonly page: Page;
  /** The page as the model has seen it. Undefined: it has seen nothing. */
  seen?: { readonly url: string; readonly elements: PageElements };
  /** The dialog that stops the page. */
  dialog?: Dialog;
  /** The action that ends when the dialog is answered. */
  stopped?: Promise<unknown>;
  /** A page that waits for files. */
  chooser?: FileChooser;
}

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
  readonly #tabs = new Map<Page, Tab>();
  readonly #intents = new Map<string, Intent>();
  #current: Tab | undefined;
  #lastId = 0;
  #newTabs: Tab[] = [];
  #onDialog: ((tab: Tab) => void) | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

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
    this.log = new PageLog(context);
    this.#requests = new PendingRequests(context);
    this.downloads = new Downloads(context, browser.downloads, (url) => this.log.getMediaType(url));
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
    if (current === undefined || this.#isClosed) throw hasEnded();
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
   * Performs an action on a tab, until it has ended and the page has settled, or a dialog of the page waits for an
   * answer.
   */
  async perform(tab: Tab, signal: AbortSignal, action: () => Promise<unknown>): Promise<void> {
    const opened = new Promise<void>((resolve) => {
      this.#onDialog = (at) => {
        if (at === tab) resolve();
      };
    });
    const work = this.#requests.settle(tab.page, signal, action);
    work.catch(() => {});
    try {
      await withSignal(Promise.race([work, opened]), signal);
    } catch (error) {
      throw this.#isClosed ? hasEnded() : error;
    }
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
    await this.perform(tab, signal, async () => {
      await (answer.accept ? dialog?.accept(answer.text) : dialog?.dismiss());
      await stopped?.catch(() => {});
    });
  }

  /** The accessibility tree of a page, whose references are valid from now on. */
  async look(tab: Tab, signal: AbortSignal): Promise<string> {
    const options = { mode: "ai", timeout: actionTimeoutMs, signal } as const;
    const text = await tab.page.ariaSnapshot(options);
    const elements = readElements(await tab.page.ariaSnapshotJSON(options));
    tab.seen = { url: tab.page.url(), elements };
    return text;
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
    const tree = await tab.page.ariaSnapshotJSON({ mode: "ai", timeout: actionTimeoutMs, signal });
    const present = readElements(tree).get(ref);
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
    this.downloads.close();
    await this.#browser.close();
  }

  #addTab(page: Page): void {
    if (this.#tabs.size >= maxTabs) return void page.close().catch(() => {});
    const tab: Tab = { id: ++this.#lastId, page };
    this.#tabs.set(page, tab);
    this.#newTabs.push(tab);
    this.#current ??= tab;
    page.on("filechooser", (chooser) => (tab.chooser = chooser));
    page.on("dialogclosed", () => delete tab.dialog);
    page.on("close", () => {
      this.#tabs.delete(page);
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

  /** Ends requests to other hosts before they reach the proxy, which refuses them too. */
  async #guardRequests(reachable: ReachableHosts): Promise<void> {
    await this.#browser.context.route("**/*", async (route) => {
      const url = URL.parse(route.request().url());
      const isInner = url !== null && innerSchemes.has(url.protocol);
      const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
      if (isInner || (isWeb && reachable.getReach(toTarget(url)) !== undefined)) {
        return route.continue().catch(() => {});
      }
      this.log.addRefused(isWeb ? url.host : (url?.protocol ?? "an invalid URL"));
      await route.abort("blockedbyclient").catch(() => {});
    });
  }
}

/** Schemes of what is in the page already. */
const innerSchemes: ReadonlySet<string> = new Set(["about:", "blob:", "data:"]);

function hasEnded(): ToolError {
  return new ToolError(
    "unavailable",
    "The browser has ended. Call browser with action navigate to open another one.",
  );
}

/** The hosts that one browser may reach: those of the list, and those that were approved. */
export class ReachableHosts {
  readonly #hosts: WebHosts;
  readonly #approved = new Set<string>();

  constructor(hosts: WebHosts) {
    this.#hosts = hosts;
  }

  /** Adds the host of a URL, whose addresses have to be public. */
  approve(url: URL): void {
    const { hostname, port } = toTarget(url);
    this.#approved.add(`${hostname}:${port}`);
  }

  getReach(target: HostTarget): "public" | "given" | undefined {
    const isApproved = this.#approved.has(`${target.hostname}:${target.port}`);
    return this.#hosts.getTargetReach(target) ?? (isApproved ? "public" : undefined);
  }
}
