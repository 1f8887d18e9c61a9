import { RowWatch, type Timers } from "@toolweave/stores/shared";
import type { Database } from "../database/database.ts";
import { ChangeListener, type ListenerState } from "./listener.ts";
import { ChangeNotifier, toTopic } from "./notifier.ts";

/** Milliseconds between two reads of all watched rows while no notification arrives. */
const pollMs = 250;
/** While notifications arrive: for changes whose notification was lost, and leases that expire. */
const slowPollMs = 1_000;

/** Waits for changes of rows, over all processes: by notifications, and by polling behind them. */
export class ChangeWatch {
  readonly #kind: string;
  readonly #rows: RowWatch;
  readonly #notifier: ChangeNotifier;
  readonly #listener: ChangeListener | undefined;
  /** The names of the watched rows, by topic. */
  readonly #names = new Map<string, string>();

  /** @param options `listen`: the address for notifications; absent: it only polls. */
  constructor(
    db: Database,
    options: {
      /** Tells rows of one table from those of others. */
      readonly kind: string;
      readonly timers: Timers;
      readonly listen: string | undefined;
      /** Reads rows by name, all in one statement; the state differs when a row has changed. */
      readonly readStates: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
    },
  ) {
    const { timers, listen, kind, readStates } = options;
    this.#kind = kind;
    this.#notifier = new ChangeNotifier(db);
    this.#rows = new RowWatch(
      async (topics) => {
        const states = await readStates(
          [...topics].flatMap((topic) => this.#names.get(topic) ?? []),
        );
        return new Map([...states].map(([name, state]) => [toTopic(kind, name), state]));
      },
      // Processes that have started together do not read together.
      { clock: timers, pollMs: () => this.#pollMs * (0.75 + Math.random() / 2) },
    );
    if (listen === undefined) return;
    this.#listener = new ChangeListener({
      db,
      connectionString: listen,
      timers,
      onTopics: (topics) => topics.forEach((topic) => this.#rows.changed(topic)),
      // For changes of the time in between; and the pauses are others from now on.
      onSwitch: () => this.#rows.poll(),
    });
  }

  /** Resolves when the row has changed since the call, may have changed, or the signal is aborted. */
  async watch(name: string, signal: AbortSignal): Promise<void> {
    const topic = toTopic(this.#kind, name);
    this.#names.set(topic, name);
    void this.#listener?.start();
    await this.#rows.watch(topic, signal);
    if (!this.#rows.has(topic)) this.#names.delete(topic);
  }

  /** Takes in the state of a row that was read for a caller, who may wait for its change. */
  observe(name: string, state: string): void {
    if (this.#names.size > 0) this.#rows.observe(toTopic(this.#kind, name), state);
  }

  /** Notifies the waiting processes that this one has changed the row. Returns at once. */
  notify(name: string): void {
    this.#notifier.notify(toTopic(this.#kind, name));
  }

  /** Connects, and finds out whether notifications arrive. `undefined`: it only polls. */
  async state(): Promise<ListenerState | undefined> {
    await this.#listener?.start();
    return this.#listener?.state;
  }

  /** Ends all waits. */
  stop(): void {
    this.#rows.stop();
    this.#listener?.stop();
  }

  get #pollMs(): number {
    return this.#listener?.state === "listening" ? slowPollMs : pollMs;
  }
}
