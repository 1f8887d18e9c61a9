import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { FakeClock } from "@toolweave/conformance/stores";
import { testInterruption } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test, vi } from "vitest";
import { openStore } from "./support/open-store.ts";
import { startWorker } from "./support/start-worker.ts";

const minutes = 60_000;

// Processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

test("of two processes that claim the same 100 calls at once, each call goes to exactly one", async () => {
  const path = join(tempFolder(), "store.db");
  const { pendingCalls } = openStore(path);
  const ids = Array.from({ length: 100 }, (_, id) => `call-${id}`);
  for (const id of ids) await pendingCalls.add(testInterruption(id));
  const workers = [startWorker("claimAll", path), startWorker("claimAll", path)];
  for (const worker of workers) expect(await worker.next()).toBe("ready");
  for (const worker of workers) worker.tell(ids.join(","));
  const claimed: string[] = [];
  const running: string[] = [];
  for (const worker of workers) {
    claimed.push(...((await worker.next()) as string[]));
    running.push(...((await worker.next()) as string[]));
  }
  expect(claimed.sort()).toEqual([...ids].sort());
  expect(running.sort()).toEqual([...ids].sort());
  expect((await pendingCalls.list()).every(({ status }) => status === "claimed")).toBe(true);
});

test("processes that create the same store at the same moment all open it", async () => {
  const path = join(tempFolder(), "folder", "store.db");
  const workers = Array.from({ length: 4 }, () => startWorker("open", path));
  for (const worker of workers) expect(await worker.next()).toBe("ready");
  for (const worker of workers) worker.tell("go");
  for (const worker of workers) expect(await worker.next()).toBe("opened");
});

test("calls that a killed process had added exist", async () => {
  const path = join(tempFolder(), "store.db");
  const workers = [startWorker("addForever", path), startWorker("addForever", path)];
  const added: string[] = [];
  for (let count = 0; count < 30; count++) {
    for (const worker of workers) added.push(String(await worker.next()));
  }
  for (const worker of workers) {
    await worker.kill();
    added.push(...worker.rest().map(String));
  }
  const kept = new Set(
    (await openStore(path).pendingCalls.list()).map(({ interruption }) => interruption.id),
  );
  expect(added.filter((id) => !kept.has(id))).toEqual([]);
});

test("EX13: calls that a killed process had claimed are running during the lease, then unfinished permanently", async () => {
  const path = join(tempFolder(), "store.db");
  const store = openStore(path);
  await store.pendingCalls.add(testInterruption("a"));
  await store.pendingCalls.add(testInterruption("b"));
  const worker = startWorker("hold", path, "a");
  expect(await worker.next()).toBe("claimed");
  await worker.kill();
  expect(await store.pendingCalls.claim(testInterruption("a"))).toBe("running");
  // Half a minute later.
  const later = openStore({ path, clock: new FakeClock(Date.now() + 30_000) });
  expect(await later.pendingCalls.claim(testInterruption("a"))).toBe("unfinished");
  expect((await later.pendingCalls.list()).map(({ status }) => status)).toEqual([
    "unfinished",
    "pending",
  ]);
  expect(await later.pendingCalls.claim(testInterruption("b"))).toBe("claimed");
});

test("leases do not keep a process alive that has nothing more to do", async () => {
  const path = join(tempFolder(), "store.db");
  await openStore(path).pendingCalls.add(testInterruption("a"));
  const worker = startWorker("end", path);
  const exit = once(worker.process, "exit");
  expect(await worker.next()).toBe("claimed");
  expect(await exit).toEqual([0, null]);
});

describe("EX14: a process whose clock is wrong by 5 minutes", () => {
  test.each([
    ["ahead", 5 * minutes],
    ["behind", -5 * minutes],
  ])("%s uses the database's: expiry, leases and now", async (_, skew) => {
    const path = join(tempFolder(), "store.db");
    const { pendingCalls } = openStore(path);
    const here = await pendingCalls.now!();
    await pendingCalls.add(testInterruption("soon", here + minutes));
    const worker = startWorker("hold", path, "soon", String(skew));
    // By its own clock, 5 minutes ahead, the call would have expired.
    expect(await worker.next()).toBe("claimed");
    const itsOwn = Number(await worker.next());
    const itsStores = Number(await worker.next());
    const after = await pendingCalls.now!();
    expect(Math.abs(itsOwn - after)).toBeGreaterThan(4 * minutes);
    expect(itsStores).toBeGreaterThanOrEqual(here);
    expect(itsStores).toBeLessThanOrEqual(after);
    // By its own clock, 5 minutes behind, the lease would have lapsed.
    expect(await pendingCalls.claim(testInterruption("soon"))).toBe("running");
  });

  test("does not find expired calls for longer", async () => {
    const path = join(tempFolder(), "store.db");
    const { pendingCalls } = openStore(path);
    const expiresAt = (await pendingCalls.now!()) - 1;
    await pendingCalls.add(testInterruption("late", expiresAt));
    const worker = startWorker("hold", path, "late", String(-5 * minutes));
    expect(await worker.next()).toBe("expired");
  });
});

test.skipIf(process.platform === "win32")(
  "files and folders that it creates are only accessible for this user",
  async () => {
    const folder = join(tempFolder(), "deep", "er");
    const path = join(folder, "store.db");
    const { pendingCalls } = openStore(path);
    await pendingCalls.add(testInterruption("a"));
    const modes = [path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  },
);
