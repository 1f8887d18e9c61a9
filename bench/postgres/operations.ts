import { randomUUID } from "node:crypto";
import type { Interruption } from "@toolweave/core";
import type {
  CallLedger,
  CredentialStore,
  GrantStore,
  PendingCallStore,
  RateLimitStore,
  TaskRecord,
  TaskStore,
} from "@toolweave/core/stores";

/** The stores that both `postgresStore` and `sqliteStore` have. */
export interface Stores {
  readonly pendingCalls: PendingCallStore;
  readonly grants: GrantStore;
  readonly rateLimits: RateLimitStore;
  readonly tasks: TaskStore;
  readonly ledger: CallLedger;
  readonly credentials: CredentialStore;
}

/** Something that is done over and over. */
export interface Operation {
  readonly name: string;
  /** The goals of the ratio to a raw insert, at 1 and at 32 connections. */
  readonly goals: readonly [one: number | undefined, many: number | undefined];
  readonly run: (stores: Stores, n: number) => Promise<unknown>;
}

/** About 700 bytes of JSON, which a raw insert writes, too. */
export const body: string = JSON.stringify({
  text: "An invoice of a customer was paid. ".repeat(18),
  id: randomUUID(),
});
const hour = 3_600_000;
const credentialKey = { source: "shop", scheme: "oauth" };
export const readTaskId = "task_of_the_reads";

/** Writes the rows that the reads find. */
export async function fill(stores: Stores): Promise<void> {
  await stores.credentials.set(credentialKey, { type: "secret", secret: "a secret of the bench" });
  await stores.tasks.add(task(readTaskId));
  for (let n = 0; n < 3; n++) {
    await stores.grants.add({
      id: `grant ${n}`,
      scope: "always",
      tool: "pay",
      specHash: "",
      permission: { kind: "network", target: "shop.example" },
      argumentsHash: "",
      grantedAt: 0,
    });
  }
}

export const operations: readonly Operation[] = [
  {
    name: "pendingCalls.add",
    goals: [0.85, 0.8],
    run: ({ pendingCalls }, n) => add(pendingCalls, interruption(), n),
  },
  {
    name: "pendingCalls: add, claim, finish",
    goals: [0.28, 0.25],
    async run({ pendingCalls }, n) {
      const call = interruption();
      await add(pendingCalls, call, n);
      if ((await pendingCalls.claim(call)) !== "claimed") throw new Error("not claimed");
      await pendingCalls.finish(call.id);
    },
  },
  {
    name: "tasks: add, end",
    goals: [0.4, 0.35],
    async run({ tasks }, n) {
      const { id } = task(`task_${randomUUID()}`);
      await tasks.add(task(id, n));
      const times = { updatedAt: 1, expiresAt: Date.now() + hour };
      const error = { code: "upstream", message: body } as const;
      if (!(await tasks.change(id, { status: "failed", ...times, error }))) throw new Error("lost");
    },
  },
  {
    name: "rates: reserve, commit, 1,000 keys",
    goals: [0.4, 0.35],
    run: ({ rateLimits }, n) => useRate(rateLimits, `key ${n % 1000}`),
  },
  {
    name: "rates: reserve, commit, one key",
    goals: [undefined, 0.5],
    run: ({ rateLimits }) => useRate(rateLimits, "the key"),
  },
  {
    name: "ledger: begin, end",
    goals: [0.45, 0.35],
    async run({ ledger }, n) {
      const claim = { runId: `run ${n % 1000}`, callId: randomUUID(), token: randomUUID() };
      const call = { ...claim, tool: "pay", specHash: "", argumentsHash: "a".repeat(43) };
      if ((await ledger.begin(call)).status !== "begun") throw new Error("not begun");
      if (!(await ledger.end(claim, { status: "ended", outcome: body }))) throw new Error("lost");
    },
  },
  {
    name: "grants.list",
    goals: [2, 1.5],
    run: async ({ grants }) => grants.list("pay"),
  },
  {
    name: "credentials.get",
    goals: [2, 1.5],
    run: async ({ credentials }) => credentials.get(credentialKey),
  },
  {
    name: "tasks.get",
    goals: [2, 1.5],
    run: async ({ tasks }) => tasks.get(readTaskId),
  },
];

async function add(store: PendingCallStore, call: Interruption, n: number): Promise<void> {
  await store.add(call, JSON.stringify(["session", `caller ${n % 1000}`]));
}

async function useRate(store: RateLimitStore, key: string): Promise<void> {
  const reservation = await store.reserve([{ key, amount: 1, limit: 1e9, windowMs: 10_000 }]);
  if (!reservation.granted) throw new Error("refused");
  await store.commit(reservation.id);
}

/** A new call that waits. */
export function interruption(state = body): Interruption {
  const id = randomUUID();
  return {
    id,
    runId: "run",
    call: { id: "call", name: "pay", arguments: {} },
    specHash: "",
    requests: [],
    expiresAt: Date.now() + hour,
    state,
  };
}

/** A new task of one of 1,000 callers. */
export function task(id: string, n = 0): TaskRecord {
  return {
    id,
    owner: JSON.stringify(["session", `caller ${n % 1000}`]),
    runId: "run",
    callId: "call",
    tool: "build",
    status: "working",
    createdAt: 1,
    updatedAt: 1,
    expiresAt: Date.now() + hour,
  };
}
