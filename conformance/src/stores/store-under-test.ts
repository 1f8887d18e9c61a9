import type { Awaitable, JsonValue } from "@toolweave/core";
import type {
  ArtifactStore,
  AuditRecord,
  AuditSink,
  CallLedger,
  CredentialStore,
  GrantStore,
  MemoryStore,
  PendingCallStore,
  RateLimitStore,
  ScheduleStore,
  TaskStore,
} from "@toolweave/core/stores";
import { onTestFinished } from "vitest";

/** Lists of tools or vectors by key: the cache of a source or of a search. */
export interface ListStore {
  get(key: string): Awaitable<JsonValue | undefined>;
  set(key: string, list: JsonValue): Awaitable<void>;
}

/** A store as one process has it: the ports that it implements. */
export interface OpenedStore {
  readonly pendingCalls?: PendingCallStore;
  readonly grants?: GrantStore;
  readonly rateLimits?: RateLimitStore;
  readonly tasks?: TaskStore;
  readonly ledger?: CallLedger;
  readonly artifacts?: ArtifactStore;
  readonly credentials?: CredentialStore;
  readonly schedules?: ScheduleStore;
  readonly memory?: MemoryStore;
  readonly lists?: ListStore;
  readonly audit?: AuditSink;
  /** Ends it as the end of its process would: nothing is renewed any more, and nothing is dropped. */
  close?(): Awaitable<unknown>;
}

/** A part of a store that is tested. */
export type StorePort = Exclude<keyof OpenedStore, "close">;

/** The store's time, which only the test moves. */
export interface StoreClock {
  now(): number;
  /** Moves the time, and runs every timer of the opened stores on the way. */
  advance(ms: number): Awaitable<void>;
  /** Moves the time and runs no timer, as if every process were busy. */
  skip(ms: number): Awaitable<void>;
  /** The number of timers that wait. */
  readonly timers: number;
}

/** One new and empty store. */
export interface StoreUnderTest {
  readonly clock: StoreClock;
  /** Opens the store, each time as another process does. */
  open(): Awaitable<OpenedStore>;
  /** Required for the port `audit`: every record, in the order in which they were written. */
  readAudit?(): Awaitable<readonly AuditRecord[]>;
  /** Closes what is open and removes the store. Called when the test has ended. */
  dispose?(): Awaitable<unknown>;
}

/** The limits that a test expects of a store. A member that is absent is the store's default. */
export interface StoreLimits {
  /** Pending calls, tasks, memories and scheduled jobs of one owner. */
  readonly maxPerOwner?: number;
  /** Milliseconds. The default has to be 30,000. */
  readonly leaseMs?: number;
  /** Bytes of all artifacts. */
  readonly maxArtifactBytes?: number;
  /** Bytes of the artifacts of one owner. Default in tests: `maxArtifactBytes`. */
  readonly maxArtifactBytesPerOwner?: number;
}

/** Makes a new and empty store for one test. */
export type StoreFactory = (limits: StoreLimits) => Awaitable<StoreUnderTest>;

/** How a store differs from one that several processes share. */
export interface StoreTraits {
  /** The ports that are tested. Default: all. */
  readonly ports?: readonly StorePort[];
  /** False: it belongs to one process and ends with it. Default: true. */
  readonly isShared?: boolean;
  /** The behaviour of a full store of artifacts. Default: `refuse`. */
  readonly whenFull?: "refuse" | "drop-oldest";
}

/** The store of one test, opened once. */
export interface Subject<Port extends StorePort> {
  readonly store: Required<Pick<OpenedStore, Port>> & OpenedStore;
  readonly clock: StoreClock;
  /** Opens the store once more. */
  reopen(): Promise<Required<Pick<OpenedStore, Port>> & OpenedStore>;
  readonly under: StoreUnderTest;
}

/** Makes a store for the running test and opens it. It is closed and removed when the test ends. */
export async function openSubject<Port extends StorePort>(
  make: StoreFactory,
  port: Port,
  limits: StoreLimits = {},
): Promise<Subject<Port>> {
  const under = await make(limits);
  const opened: OpenedStore[] = [];
  onTestFinished(async () => {
    for (const store of opened) await store.close?.();
    await under.dispose?.();
  });
  const reopen = async () => {
    const store = await under.open();
    opened.push(store);
    if (store[port] === undefined) throw new Error(`The store has no ${port}.`);
    return store as Required<Pick<OpenedStore, Port>> & OpenedStore;
  };
  return { store: await reopen(), clock: under.clock, reopen, under };
}
