import { join } from "node:path";
import { ToolError } from "@toolweave/core";
import { memoryGrants, memoryPendingCalls, type PendingCallStore } from "@toolweave/core/stores";
import { sqliteStore } from "@toolweave/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProblemDocument } from "../../src/index.ts";
import { describeApprovals } from "../support/describe-approvals.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestProcess, type TestStores } from "../support/open-console.ts";
import { deferred } from "../support/deferred.ts";

function memoryStores(pendingCalls = memoryPendingCalls()): TestStores {
  return { pendingCalls, grants: memoryGrants() };
}

describeApprovals("a store in memory", async () => {
  const stores = memoryStores();
  return [stores, stores];
});

describeApprovals("SQLite", async () => {
  const path = join(tempFolder(), "calls.db");
  const stores = [sqliteStore(path), sqliteStore(path)] as const;
  onTestFinished(() => {
    for (const store of stores) store.close();
  });
  return stores;
});

const yes = [{ type: "approve" }];

test("an expired approval is refused with 409 and its time", async () => {
  const clock = new ManualClock();
  const process = new TestProcess(memoryStores(memoryPendingCalls(clock)), { clock });
  const id = await process.makeCall();
  const { digest, expiresAt } = await process.read(id);
  await clock.advance(24 * 60 * 60 * 1000);
  const { status, body } = await process.send<ProblemDocument>(`/api/approvals/${id}/answers`, {
    json: { digest, answers: yes },
  });
  expect([status, body.code, body.expiresAt]).toEqual([409, "approval_expired", expiresAt]);
  expect(process.effects).toEqual([]);
});

test("a call that is running is refused with 409 and the person who approved it", async () => {
  const stores = memoryStores();
  const started = deferred();
  const released = deferred();
  const process = new TestProcess(stores, {
    hooks: [
      async (_, next) => {
        started.resolve();
        await released.promise;
        return next();
      },
    ],
  });
  const id = await process.makeCall();
  const { digest } = await process.read(id);
  const send = (as: "ada" | "bob") =>
    process.send(`/api/approvals/${id}/answers`, { as, json: { digest, answers: yes } });
  const first = send("ada");
  await started.promise;
  const second = await send("bob");
  expect([second.status, second.body]).toMatchObject([
    409,
    { code: "approval_running", answeredBy: "ada" },
  ]);
  released.resolve();
  expect((await first).status).toBe(200);
  expect(process.effects).toEqual(["mira 49"]);
});

test("an answer that loses against the same one in another process returns its outcome as replayed", async () => {
  const shared = memoryPendingCalls();
  const reached = deferred();
  const released = deferred();
  const claimsLate: PendingCallStore = {
    add: (interruption, owner) => shared.add(interruption, owner),
    claim: async (interruption) => {
      reached.resolve();
      await released.promise;
      return shared.claim(interruption);
    },
    finish: (id, result) => shared.finish(id, result),
    finishedResult: (id) => shared.finishedResult?.(id),
    get: (id) => shared.get(id),
    list: () => shared.list(),
  };
  const first = new TestProcess(memoryStores(shared));
  const second = new TestProcess(memoryStores(claimsLate));
  const id = await first.makeCall();
  const late = second.answer(id);
  await reached.promise;
  expect((await first.answer(id)).body).not.toHaveProperty("replayed");
  released.resolve();
  expect((await late).body).toMatchObject({ status: "completed", replayed: true });
  expect([...first.effects, ...second.effects]).toEqual(["mira 49"]);
});

test("a call whose process has ended is refused with 409: its outcome is not known", async () => {
  const inner = memoryPendingCalls();
  const pendingCalls: PendingCallStore = {
    add: (interruption, owner) => inner.add(interruption, owner),
    claim: () => "unfinished",
    finish: () => {},
    get: async (id) => {
      const record = await inner.get(id);
      return record && { ...record, status: "unfinished" };
    },
    list: () => inner.list(),
  };
  const process = new TestProcess(memoryStores(pendingCalls));
  const { status, body } = await process.answer(await process.makeCall());
  expect([status, body.code]).toEqual([409, "outcome_unknown"]);
});

describe("a store that does not answer", () => {
  const failing = (method: keyof PendingCallStore): PendingCallStore => {
    const inner = memoryPendingCalls();
    let isFailing = false;
    const store: PendingCallStore = {
      add: (interruption, owner) => {
        inner.add(interruption, owner);
        isFailing = true;
      },
      claim: (interruption) => inner.claim(interruption),
      finish: (id, result) => inner.finish(id, result),
      get: (id) => inner.get(id),
      list: () => inner.list(),
    };
    const original = store[method] as (...args: never[]) => unknown;
    return {
      ...store,
      [method]: (...args: never[]) => {
        if (isFailing && method !== "add")
          throw new ToolError("store_unavailable", "Down at db-7.");
        return original(...args);
      },
    };
  };

  test.each([
    ["list", "/api/approvals"],
    ["get", "/api/approvals/x"],
  ] as const)("in %s is 503, without its message", async (method, path) => {
    const process = new TestProcess(memoryStores(failing(method)));
    await process.makeCall();
    const { status, body, headers } = await process.send(path);
    expect([status, body["code"]]).toEqual([503, "store_unavailable"]);
    expect(headers.get("retry-after")).toBe("5");
    expect(JSON.stringify(body)).not.toContain("db-7");
  });

  test("when a call is claimed is 503, and the call can be answered later", async () => {
    const process = new TestProcess(memoryStores(failing("claim")));
    const id = await process.makeCall();
    for (let attempt = 0; attempt < 2; attempt++) {
      const { status, body } = await process.answer(id);
      expect([status, body.code]).toEqual([503, "store_unavailable"]);
    }
    expect((await process.read(id)).status).toBe("pending");
    expect(process.effects).toEqual([]);
  });
});

test("a draining process answers 503, and the call stays pending", async () => {
  const process = new TestProcess(memoryStores());
  const id = await process.makeCall();
  await process.executor.drain();
  const { status, body } = await process.answer(id);
  expect([status, body.code]).toEqual([503, "shutting_down"]);
  expect((await process.read(id)).status).toBe("pending");
});

test("a long approval is a short row of the list, and is complete when it is read", async () => {
  const process = new TestProcess(memoryStores());
  const note = "n".repeat(20_000);
  const id = await process.makeCall({ to: "mira", euros: 1, note });
  const [row] = (await process.list()).approvals;
  expect(row).toMatchObject({ id, truncated: true, call: { name: "pay" } });
  expect(row).not.toHaveProperty("digest");
  expect(JSON.stringify(row).length).toBeLessThan(1000);
  expect((await process.read(id)).call?.arguments).toMatchObject({ note });
});

test("a secret in the arguments is masked in every response", async () => {
  const process = new TestProcess(memoryStores());
  process.executor.secrets.add("sk-live-0123456789abcdef");
  const id = await process.makeCall({ to: "mira", euros: 1, note: "sk-live-0123456789abcdef" });
  const texts = [await process.list(), await process.read(id), await process.answer(id)];
  expect(JSON.stringify(texts)).not.toContain("sk-live");
  expect(process.effects).toEqual(["mira 1"]);
});
