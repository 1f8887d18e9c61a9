import { DatabaseSync } from "node:sqlite";
import { FakeClock } from "@toolweave/conformance/stores";
import { expect, test } from "vitest";
import { join } from "node:path";
import { failure } from "./support/failure.ts";
import { interruption } from "./support/interruptions.ts";
import { openStore } from "./support/open-store.ts";
import { tempFolder } from "./support/temp-folder.ts";

test("a closed store names its file", async () => {
  const path = join(tempFolder(), "store.db");
  const store = openStore(path);
  store.close();
  const error = await failure(() => store.pendingCalls.finish("a"));
  expect(error).toMatchObject({ code: "store_unavailable", retryable: false });
  expect(error.message).toBe(`${path} is closed.`);
});

test("expired results are removed from the file", async () => {
  const clock = new FakeClock();
  const path = join(tempFolder(), "store.db");
  const { pendingCalls } = openStore({ path, clock });
  await pendingCalls.add(interruption("a"));
  await pendingCalls.claim(interruption("a"));
  await pendingCalls.finish("a", { sealed: "paid", maxAgeMs: 600_000 });
  clock.skip(600_000);
  await pendingCalls.add(interruption("later"));
  const db = new DatabaseSync(path);
  expect(db.prepare("SELECT count(result) AS results FROM pending_calls").get()).toEqual({
    results: 0,
  });
  db.close();
});
