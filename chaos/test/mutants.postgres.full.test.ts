import { postgresStore } from "@toolweave/postgres";
import pg from "pg";
import { expect, inject, test } from "vitest";
import * as kinds from "../src/operations/kinds.ts";
import type { RunOperation } from "../src/operations/kinds.ts";
import { agentLoad, makeDbosTables } from "../src/scenarios/agents.ts";
import { killWorkers } from "../src/scenarios/load-kinds.ts";
import { runLoad, type LoadPlan } from "../src/scenarios/run-load.ts";
import type { LoadEnd } from "../src/scenarios/scenario.ts";

const url = inject("postgresUrl");

/** A defect of the store: one text of one function is replaced. */
interface Mutant {
  readonly name: string;
  readonly routine: string;
  readonly text: string;
  readonly by: string;
  readonly kinds: Readonly<Record<string, RunOperation>>;
  /** Another load than the usual one. */
  readonly load?: Omit<LoadPlan, "scenario" | "url">;
  readonly end: LoadEnd;
  /** The invariants that must be reported. */
  readonly finds: readonly string[];
}

const { approval, artifact, durableRun, limitedCall } = kinds;

const mutants: readonly Mutant[] = [
  {
    name: "an approval can be claimed again",
    routine: "claim_pending_call",
    text: "AND status = 'pending'\n      AND expires_at",
    by: "AND expires_at",
    kinds: { approval },
    end: { operations: 40, faults: 0 },
    finds: ["I1", "I2"],
  },
  {
    name: "an approval can be claimed again together with others",
    routine: "claim_pending_calls",
    text: "AND p.status = 'pending'",
    by: "",
    kinds: { approval },
    end: { operations: 200, faults: 0 },
    finds: ["I1", "I2"],
  },
  {
    name: "a call that was cut off starts again",
    routine: "begin_call",
    text: "WHEN v_row.lease_until > v_now THEN 'running'\n      ELSE 'expired' END",
    by: "ELSE NULL END",
    kinds: { durableRun },
    end: { operations: 60, faults: 8 },
    finds: ["I1"],
  },
  {
    name: "a call of an agent that was cut off starts again",
    routine: "begin_call",
    text: "WHEN v_row.lease_until > v_now THEN 'running'\n      ELSE 'expired' END",
    by: "ELSE NULL END",
    kinds: {},
    load: agentLoad(() => ({ name: "dbos" })),
    // The first kills hit workers that are still starting.
    end: { operations: 60, faults: 24 },
    finds: ["I1"],
  },
  {
    name: "the outcome of a call is forgotten",
    routine: "end_call",
    text: "SET status = p_status",
    by: "SET status = 'unknown'",
    kinds: { durableRun },
    end: { operations: 30, faults: 0 },
    finds: ["I3", "I6"],
  },
  {
    name: "a rate has three times its limit",
    routine: "reserve_rates",
    text: "p_limits[v_at] *",
    by: "p_limits[v_at] * 3 *",
    kinds: { limitedCall },
    end: { operations: 1_000, faults: 0 },
    finds: ["I7"],
  },
  {
    name: "a byte of an artifact is another one",
    routine: "append_artifact",
    text: "p_first + n - 1, p_chunks[n]",
    by: "p_first + n - 1, overlay(p_chunks[n] placing '\\x00'::bytea from 1 for 1)",
    kinds: { artifact },
    end: { operations: 20, faults: 0 },
    finds: ["I8"],
  },
];

for (const { name, routine, text, by, kinds, load, end, finds } of mutants) {
  test.skipIf(url === undefined)(`a store in which ${name} is found`, async ({ signal }) => {
    const result = await runLoad(
      { seed: 1, end, signal },
      {
        ...{ scenario: `mutant_${load === undefined ? "" : "agents_"}${routine}`, url: url ?? "" },
        kinds,
        ...load,
        prepare: async (schema) => {
          await mutate(schema, routine, text, by);
          if (load !== undefined) await makeDbosTables(url ?? "", schema);
        },
        ...("faults" in end && end.faults > 0 ? { faults: killWorkers } : {}),
      },
    );
    const found = new Set(result.violations.map(({ invariant }) => invariant));
    for (const invariant of finds) expect(found).toContain(invariant);
  });
}

async function mutate(schema: string, routine: string, text: string, by: string): Promise<void> {
  const store = postgresStore({ connectionString: url ?? "", schema });
  await store.migrate();
  store.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly definition: string }>(
      "SELECT pg_get_functiondef($1::regproc) AS definition",
      [`${schema}.${routine}`],
    );
    const definition = rows[0]?.definition ?? "";
    expect(definition).toContain(text);
    await client.query(definition.replace(text, by));
  } finally {
    await client.end();
  }
}
