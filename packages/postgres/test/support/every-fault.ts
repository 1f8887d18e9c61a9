import { ToolError, type Clock } from "@toolweave/core";
import { isFullRun } from "@toolweave/test-support";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { postgresStore, type PostgresPool, type PostgresStore } from "../../src/index.ts";
import { testKey } from "./describe-postgres.ts";
import { faults, FaultyPool, type Fault, type Faults } from "./faulty-pool.ts";
import { ManualTimers } from "./manual-timers.ts";
import { testDatabase, type TestClock, type TestDatabase } from "./test-database.ts";

/** The lease of the stores. */
export const leaseMs = 30_000;

/** More statements than any life has. */
const maxStatements = 40;

interface Kind {
  readonly fault: Fault;
  readonly persists: boolean;
}

/** Each fault, over at once or until the process ends. In a quick run each fault once. */
const kinds: readonly Kind[] = faults
  .flatMap((fault) => [
    { fault, persists: false },
    { fault, persists: true },
  ])
  .filter(({ fault, persists }) => isFullRun || persists === (fault === "unsent"));

/** The second of two faults. */
const secondKinds: readonly Kind[] = [
  ...faults.map((fault) => ({ fault, persists: false })),
  { fault: "unsent", persists: true },
];

/** The name of a case, and its faults. */
interface Case {
  readonly name: string;
  readonly faults: Faults;
  readonly isPrepared: boolean;
}

/**
 * One fault at each statement, also of the preparation.
 *
 * @param hasRun whether the last case had as many statements.
 */
function* singleFaults(hasRun: (statements: number) => boolean): Generator<Case> {
  for (const { fault, persists } of kinds) {
    for (let at = 1; at <= maxStatements; at++) {
      const name = `${fault} at statement ${at}${persists ? ", and no later one is sent" : ""}`;
      yield { name, faults: { at: new Map([[at, fault]]), persists }, isPrepared: false };
      if (!hasRun(at)) break;
    }
  }
}

/** Two faults at each pair of statements, once the store is prepared. */
function* pairsOfFaults(hasRun: (statements: number) => boolean): Generator<Case> {
  for (const first of faults) {
    for (let at = 1; at <= maxStatements; at++) {
      let reaches = true;
      for (const second of secondKinds) {
        for (let next = at + 1; next <= maxStatements; next++) {
          const { persists } = second;
          const name = `${first} at statement ${at}, and ${second.fault} at ${next}${persists ? ", and no later one is sent" : ""}`;
          const byStatement = new Map([
            [at, first],
            [next, second.fault],
          ]);
          yield { name, faults: { at: byStatement, persists }, isPrepared: true };
          reaches = hasRun(at);
          if (!hasRun(next)) break;
        }
        if (!reaches) break;
      }
      if (!reaches) break;
    }
  }
}

/** The processes of a life, and their time. */
interface World {
  /** The process that has the fault. */
  readonly store: PostgresStore;
  /** Another process, which has none. */
  readonly other: PostgresStore;
  readonly clock: TestClock;
  /**
   * The outcome of an operation: its result, or `unavailable` if the fault persists. A fault that is over at once changes
   * no outcome.
   */
  outcome<T>(work: PromiseLike<T> | T): Promise<T | "unavailable">;
  /** The statements that are late are done now. */
  arrive(): Promise<void>;
  /** The timers of the process that has the fault run out. */
  expire(): void;
}

/** The acts of some processes. Returns rules, and whether each held. */
type Life = (world: World) => Promise<Readonly<Record<string, boolean>>>;

/** The rules that did not hold; none if every fault is harmless. */
export interface FaultResult {
  readonly broken: readonly string[];
  readonly hasEnoughCases: boolean;
}

/** The result without a broken rule. */
export const none: FaultResult = { broken: [], hasEnoughCases: true };

/** Makes a schema for the tests of a file, and returns what runs a life with every fault. */
export function useFaults(
  url: string,
  schema: string,
): (length: "short" | "long", life: Life) => Promise<FaultResult> {
  let database: TestDatabase;
  let connections: pg.Pool;
  beforeAll(async () => {
    database = await testDatabase(url, schema);
    connections = new pg.Pool({ connectionString: url, max: 10 });
    connections.on("error", () => {});
  });
  afterAll(async () => {
    await connections.end();
    await database.end();
  });

  /**
   * Runs a life once for each statement and fault; in a full run a short one for each pair of them, too.
   *
   * @param length a short life has few statements.
   * @param life returns its rules, and whether each held.
   * @returns the rules that did not hold, and the number of cases.
   */
  async function everyFault(length: "short" | "long", life: Life): Promise<FaultResult> {
    const broken: string[] = [];
    let cases = 0;
    let statements = 0;
    const hasRun = (at: number): boolean => statements >= at;
    for (const one of singleFaults(hasRun)) {
      statements = await liveWith(one, life, broken);
      cases++;
    }
    const hasEnoughCases = cases > 3 * kinds.length;
    if (length === "long" || !isFullRun) return { broken, hasEnoughCases };
    for (const one of pairsOfFaults(hasRun)) {
      statements = await liveWith(one, life, broken);
      cases++;
    }
    return { broken, hasEnoughCases: hasEnoughCases && cases > 100 };
  }

  /** Runs a life with some faults. Returns the number of its statements. */
  async function liveWith(
    { name, faults: injected, isPrepared }: Case,
    life: Life,
    broken: string[],
  ): Promise<number> {
    const clock = await database.reset();
    const timers = new ManualTimers();
    const pool = new FaultyPool(connections, injected, () => queueMicrotask(() => timers.expire()));
    const open = (through: PostgresPool, by: Pick<Clock, "setTimeout" | "clearTimeout">) =>
      postgresStore({
        pool: through,
        schema: database.schema,
        key: testKey,
        timers: by,
        leaseMs,
      });
    const store = open(pool, timers);
    const other = open(database.pool, clock);
    const outcome = async <T>(work: PromiseLike<T> | T): Promise<T | "unavailable"> => {
      try {
        return await work;
      } catch (error) {
        if (ToolError.is(error) && error.code === "store_unavailable") {
          if (!injected.persists) broken.push(`${name}: it is noticed`);
          return "unavailable";
        }
        throw error;
      }
    };
    try {
      if (isPrepared) await store.migrate();
      pool.start();
      const arrive = () => pool.arrive();
      const expire = () => timers.expire();
      const rules = await life({ store, other, clock, outcome, arrive, expire });
      for (const [rule, held] of Object.entries(rules)) {
        if (!held) broken.push(`${name}: ${rule}`);
      }
    } catch (error) {
      throw new Error(name, { cause: error });
    } finally {
      store.close();
      other.close();
    }
    return pool.statements;
  }
  return everyFault;
}
