import { DatabaseSync } from "node:sqlite";
import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { testInterruption } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { join } from "node:path";
import { openStore } from "./support/open-store.ts";

test("a closed store names its file", async () => {
  const path = join(tempFolder(), "store.db");
  const store = openStore(path);
  store.close();
  const error = await catchToolError(() => store.pendingCalls.finish("a"));
  expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
  expect(error.message).toBe(`${path} is closed.`);
});

test("expired results are removed from the file", async () => {
  const clock = new FakeClock();
  const path = join(tempFolder(), "store.db");
  const { pendingCalls } = openStore({ path, clock });
  await pendingCalls.add(testInterruption("a"));
  await pendingCalls.claim(testInterruption("a"));
  await pendingCalls.finish("a", { sealed: "paid", maxAgeMs: 600_000 });
  clock.skip(600_000);
  await pendingCalls.add(testInterruption("later"));
  const db = new DatabaseSync(path);
  expect(db.prepare("SELECT count(result) AS results FROM pending_calls").get()).toEqual({
    results: 0,
  });
  db.close();
});
