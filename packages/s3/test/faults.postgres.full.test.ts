import { postgresStore } from "@toolweave/postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { faults as statementFaults, FaultyPool } from "../../postgres/test/support/faulty-pool.ts";
import { testDatabase, type TestDatabase } from "../../postgres/test/support/test-database.ts";
import { everyFault, ManualTimers } from "./support/every-fault.ts";
import { S3Server, s3Faults } from "./support/s3-server.ts";

const url = inject("postgresUrl");
/** More statements than a life has. */
const maxStatements = 40;

describe.skipIf(url === undefined)("with an index in PostgreSQL", () => {
  let database: TestDatabase;
  let connections: pg.Pool;
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
    database = await testDatabase(url ?? "", `s3_faults_${process.pid}`);
    connections = new pg.Pool({ connectionString: url ?? "", max: 10 });
    connections.on("error", () => {});
  });
  afterAll(async () => {
    await connections.end();
    await database.end();
    await server.stop();
  });

  let lastPool: FaultyPool | undefined;

  /** Rows whose statements have a fault, for the process that writes; another process has none. */
  function newRows(fault?: ConstructorParameters<typeof FaultyPool>[1]) {
    return async () => {
      const clock = await database.reset();
      const { pool, schema } = database;
      const deadlines = new ManualTimers(1_000);
      const faulty =
        fault && new FaultyPool(connections, fault, () => queueMicrotask(() => deadlines.expire()));
      faulty?.start();
      lastPool = faulty;
      const store = postgresStore({ pool: faulty ?? pool, schema, timers: deadlines });
      const other = postgresStore({ pool, schema, timers: clock });
      return {
        index: other.artifactIndex,
        writer: store.artifactIndex,
        advance: (ms: number) => clock.skip(ms),
        arrive: async () => faulty?.arrive(),
        close: () => {
          store.close();
          other.close();
        },
      };
    };
  }

  test("a fault of any request changes no artifact, and leaves no object without a row", async () => {
    const faults = s3Faults.flatMap((kind) => [
      { kind, persists: false },
      { kind, persists: true },
    ]);
    // With an index in SQLite, all cases are tried.
    const matrix = { faults, indexFaults: [], sample: 4 };
    const result = await everyFault(server, newRows(), matrix);
    expect(result).toEqual({ broken: [], hasEnoughCases: true });
  });

  test("a fault of any statement changes no artifact, and leaves no object without a row", async () => {
    const broken: string[] = [];
    let cases = 0;
    for (const fault of statementFaults) {
      for (const persists of [false, true]) {
        for (let at = 1; at <= maxStatements; at++) {
          const rows = newRows({ at: new Map([[at, fault]]), persists });
          const result = await everyFault(server, rows, { faults: [], indexFaults: [] });
          for (const rule of result.broken) broken.push(`${fault} at statement ${at}: ${rule}`);
          cases++;
          if ((lastPool?.statements ?? 0) < at) break;
        }
      }
    }
    expect(broken).toEqual([]);
    expect(cases).toBeGreaterThan(10 * 2 * statementFaults.length);
  });
});
