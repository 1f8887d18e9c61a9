import { join } from "node:path";
import type { Clock, ToolError } from "@toolweave/core";
import {
  memoryArtifacts,
  memoryPendingCalls,
  memoryTasks,
  type ArtifactStore,
  type PendingCallStore,
  type TaskChange,
  type TaskStore,
} from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { fileArtifacts } from "../src/index.ts";
import { artifactOf, keyOf } from "./support/artifacts.ts";
import { failure } from "./support/failure.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { interruption } from "./support/interruptions.ts";
import { openStore } from "./support/open-store.ts";
import { taskRecord } from "./support/tasks.ts";
import { tempFolder } from "./support/temp-folder.ts";

const maxPerOwner = 5;
const file = (): string => join(tempFolder(), "store.db");

/** Another session each time: all belong to the same caller. */
const flooder = (session: number): string => `["session ${session}","flooder"]`;
const others = ['["session 0","ada"]', '["session 0",null]', "[null,null]"];

const pendingCallStores: readonly [string, (clock: Clock) => PendingCallStore][] = [
  ["in memory", (clock) => memoryPendingCalls(clock, { maxPerOwner })],
  [
    "in SQLite",
    (clock) =>
      openStore({ path: file(), clock, maxPendingCallsPerOwner: maxPerOwner }).pendingCalls,
  ],
];

describe.each(pendingCallStores)("pending calls %s", (_, make) => {
  test("of one caller are limited in number, and those of others are still accepted", async () => {
    const clock = new FakeClock();
    const store = make(clock);
    const soon = clock.now() + 1_000;
    for (let n = 0; n < maxPerOwner; n++) await store.add(interruption(`${n}`, soon), flooder(n));
    const refused = await failure(async () => store.add(interruption("more"), flooder(99)));
    expect(refused.code).toBe("limit_exceeded");
    expect(refused.message).toMatch(/5 calls of this caller.*answered first.*PerOwner/);
    for (const owner of others) await store.add(interruption(owner), owner);
    expect(await store.list()).toHaveLength(maxPerOwner + others.length);
  });

  test("make room for their caller once one is answered, or has expired", async () => {
    const clock = new FakeClock();
    const store = make(clock);
    const soon = clock.now() + 1_000;
    for (let n = 0; n < maxPerOwner; n++) await store.add(interruption(`${n}`, soon), flooder(n));
    expect(await store.claim(interruption("0", soon))).toBe("claimed");
    await store.finish("0");
    await store.add(interruption("after", soon), flooder(0));
    await failure(async () => store.add(interruption("more"), flooder(0)));
    clock.skip(1_000);
    await store.add(interruption("more"), flooder(0));
  });
});

test("two processes that share a file add no more calls of one caller than the limit", async () => {
  const path = file();
  const stores = [0, 1].map(() => openStore({ path, maxPendingCallsPerOwner: maxPerOwner }));
  const added = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      stores[n % 2]?.pendingCalls.add(interruption(`${n}`), flooder(n)),
    ),
  );
  expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(maxPerOwner);
  expect(await stores[0]?.pendingCalls.list()).toHaveLength(maxPerOwner);
});

const taskStores: readonly [string, (clock: Clock) => TaskStore][] = [
  ["in memory", (clock) => memoryTasks(clock, { maxPerOwner })],
  ["in SQLite", (clock) => openStore({ path: file(), clock, maxTasksPerOwner: maxPerOwner }).tasks],
];

describe.each(taskStores)("tasks %s", (_, make) => {
  const ended: TaskChange = {
    status: "completed",
    updatedAt: 2_000,
    expiresAt: 9_000_000_000_000,
    result: {
      callId: "c",
      toolName: "t",
      content: [],
      artifacts: [],
      isError: false,
      durationMs: 0,
      timestamp: 0,
    },
  };

  test("of one caller are limited in number, and those of others are still accepted", async () => {
    const store = make(new FakeClock());
    await store.add(taskRecord("ada", { owner: others[0] as string }));
    await store.change("ada", ended);
    for (let n = 0; n < maxPerOwner; n++) {
      await store.add(taskRecord(`${n}`, { owner: flooder(n) }));
    }
    const more = taskRecord("more", { owner: flooder(99) });
    const refused = await failure(async () => store.add(more));
    expect(refused.code).toBe("limit_exceeded");
    expect(refused.message).toMatch(/5 tasks of this caller.*wait for one of them, .*cancel one/);
    for (const owner of others) await store.add(taskRecord(`of ${owner}`, { owner }));
    await store.change("3", ended);
    await store.change("4", ended);
    await store.add(more);
    expect(await store.get("3")).toBeUndefined();
    expect(await store.get("ada")).toMatchObject({ status: "completed" });
  });
});

const artifactStores: readonly [string, (clock: Clock) => ArtifactStore, boolean][] = [
  [
    "in memory",
    (clock) => memoryArtifacts({ maxBytes: 100_000, maxBytesPerOwner: 20_000, clock }),
    true,
  ],
  [
    "in files",
    (clock) =>
      fileArtifacts({
        path: join(tempFolder(), "a"),
        maxBytes: 100_000,
        maxBytesPerOwner: 20_000,
        clock,
      }),
    false,
  ],
  [
    "in SQLite",
    (clock) =>
      openStore({
        path: file(),
        clock,
        maxArtifactBytes: 100_000,
        maxArtifactBytesPerOwner: 20_000,
      }).artifacts,
    false,
  ],
];

describe.each(artifactStores)("artifacts %s", (_, make, dropsOldest) => {
  test("of one caller are limited in bytes, and those of others are accepted and stored", async () => {
    const clock = new FakeClock();
    const store = make(clock);
    const put = async (word: string, owner: string, expiresAt = Infinity): Promise<void> => {
      const { artifact, data } = artifactOf(word, 4_000, { owner, expiresAt });
      await store.put(artifact, data);
    };
    await put("ada", others[0] as string);
    for (let n = 0; n < 4; n++) await put(`${n}`, flooder(n), clock.now() + 1_000);
    const more = put("more", flooder(99), clock.now() + 1_000);
    const refusal = await more.then(
      () => "",
      (error: ToolError) => `${error.code}: ${error.message}`,
    );
    expect(refusal).toMatch(
      dropsOldest ? /^$/ : /^limit_exceeded: .*this caller.*20000 bytes: wait until.*BytesPerOwner/,
    );
    expect((await store.head(keyOf("0"))) === undefined).toBe(dropsOldest);
    for (const owner of others) await put(`of ${owner}`, owner);
    expect(await store.head(keyOf("ada"))).toBeDefined();
    clock.skip(11_000);
    await put("later", flooder(100));
  });
});

test("a folder's quota of one owner includes artifacts that another process has written", async () => {
  const path = join(tempFolder(), "a");
  const clock = new FakeClock();
  const stores = [0, 1].map(() => fileArtifacts({ path, clock, maxBytesPerOwner: 9_000 }));
  const put = (store: number, word: string, owner: string): Promise<unknown> => {
    const { artifact, data } = artifactOf(word, 4_000, { owner, expiresAt: Infinity });
    return Promise.resolve(stores[store]?.put(artifact, data));
  };
  await put(0, "a", flooder(0));
  await put(0, "b", flooder(1));
  clock.skip(10_000);
  expect((await failure(() => put(1, "c", flooder(2)))).code).toBe("limit_exceeded");
  await put(1, "d", others[0] as string);
});

test.each(["maxPendingCallsPerOwner", "maxTasksPerOwner", "maxArtifactBytesPerOwner"])(
  "an invalid %s is refused",
  async (name) => {
    for (const value of [-1, Number.NaN, "many"]) {
      const options = { path: ":memory:", [name]: value } as never;
      expect((await failure(() => openStore(options))).code).toBe("invalid_configuration");
    }
  },
);
