import { ToolError, type ToolContext } from "@toolweave/core";
import { withSignal } from "@toolweave/core/adapter";
import { ReachableHosts, type WebHosts } from "../web/web-hosts.ts";
import { toSessionKey } from "../session/session-key.ts";
import { BrowserSession, hasEnded } from "./browser-session.ts";
import type { LaunchOptions } from "./launch-browser.ts";

type Owner = Pick<ToolContext, "sessionId" | "caller">;

/** The calls of one caller, in all of its sessions and by all of its agents. Without callers there is one. */
const toCallerKey = ({ caller }: Owner): string => JSON.stringify(caller?.id ?? null);

interface OpenSession {
  readonly session: BrowserSession;
  readonly reachable: ReachableHosts;
}

/** Browsers that run at one time: of one caller, and of all. */
const maxOfCaller = 4;
const maxSessions = 16;
/** Milliseconds after which a browser that is not used is closed. */
const idleMs = 600_000;

/** The browsers of a source, one for each session and caller. */
export class BrowserSessions {
  readonly hosts: WebHosts;
  readonly #options: Pick<LaunchOptions, "executable" | "sandbox">;
  readonly #sessions = new Map<string, Promise<OpenSession>>();
  /** Those that are open, by the same keys. */
  readonly #open = new Map<string, OpenSession>();
  /** The callers of those that are open or being launched, by the same keys. */
  readonly #callers = new Map<string, string>();
  readonly #timers = new Map<string, () => void>();
  #isClosed = false;

  constructor(hosts: WebHosts, options: Pick<LaunchOptions, "executable" | "sandbox">) {
    this.hosts = hosts;
    this.#options = options;
  }

  /**
   * The browser of a call, which is launched if there is none.
   *
   * @throws ToolError `limit_exceeded`: too many are open; otherwise as `BrowserSession.open` does.
   */
  async open(ctx: ToolContext): Promise<OpenSession> {
    ctx.signal.throwIfAborted();
    const key = toSessionKey(ctx);
    if (this.#open.get(key)?.session.isClosed === true) await this.#end(key);
    let opening = this.#sessions.get(key);
    if (opening === undefined) {
      if (this.#isClosed) throw new ToolError("unavailable", "The source is closed.");
      const caller = toCallerKey(ctx);
      this.#requireRoom(caller);
      opening = this.#launch(key);
      this.#sessions.set(key, opening);
      this.#callers.set(key, caller);
      opening.catch(() => this.#forget(key));
    }
    // The launch itself goes to its end: the next call has use for it.
    const opened = await withSignal(opening, ctx.signal);
    this.#postpone(key, ctx);
    return opened;
  }

  /**
   * The open browser of a call.
   *
   * @throws ToolError `invalid_arguments`: there is none.
   */
  get(owner: Owner): BrowserSession {
    const opened = this.#open.get(toSessionKey(owner));
    if (opened !== undefined && !opened.session.isClosed) return opened.session;
    const reason = opened?.session.closeReason;
    if (reason !== undefined) throw hasEnded(reason);
    throw new ToolError(
      "invalid_arguments",
      "No browser is open. Call browser with action navigate first.",
    );
  }

  /** The same for a call that uses it now. */
  use(ctx: ToolContext): BrowserSession {
    const session = this.get(ctx);
    this.#postpone(toSessionKey(ctx), ctx);
    return session;
  }

  /** Closes the browser of a call, if there is one. */
  async close(owner: Owner): Promise<void> {
    await this.#end(toSessionKey(owner));
  }

  /** Closes all of them, for good. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#sessions.keys(), (key) => this.#end(key)));
  }

  /** @throws ToolError `limit_exceeded` */
  #requireRoom(caller: string): void {
    const own = [...this.#callers.values()].filter((one) => one === caller).length;
    const remedy = `Close one in its session with action close; one that is not used closes after ${idleMs / 60_000} minutes.`;
    if (own >= maxOfCaller) {
      throw new ToolError(
        "limit_exceeded",
        `${own} browsers of this caller are open, which is the maximum for one caller. ${remedy}`,
      );
    }
    if (this.#sessions.size < maxSessions) return;
    throw new ToolError(
      "limit_exceeded",
      `${maxSessions} browsers of all callers are open, which is the maximum. ${remedy}`,
    );
  }

  #forget(key: string): void {
    this.#sessions.delete(key);
    this.#callers.delete(key);
  }

  async #launch(key: string): Promise<OpenSession> {
    const reachable = new ReachableHosts(this.hosts);
    const opened = { session: await BrowserSession.open(reachable, this.#options), reachable };
    this.#open.set(key, opened);
    return opened;
  }

  async #end(key: string): Promise<void> {
    const opening = this.#sessions.get(key);
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    const opened = await opening?.catch(() => undefined);
    // Another call may have ended it meanwhile, and opened a new one.
    if (this.#sessions.get(key) === opening) this.#forget(key);
    if (this.#open.get(key) === opened) this.#open.delete(key);
    await opened?.session.close();
  }

  /** Starts the time without use again. */
  #postpone(key: string, { scope }: ToolContext): void {
    this.#timers.get(key)?.();
    const timer = scope.clock.setTimeout(() => void this.#end(key), idleMs);
    timer.unref?.();
    this.#timers.set(key, () => scope.clock.clearTimeout(timer));
  }
}
