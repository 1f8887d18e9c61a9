import { fork } from "node:child_process";
import { once } from "node:events";
import { utimesSync, writeFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { fileCredentials } from "../src/index.ts";
import { openStore } from "./support/open-store.ts";

const key = { source: "api", scheme: "oauth" };

/** Starts `renewal-agent.ts`, which ends with the test. */
function startAgent(job: string, path: string, times: number) {
  const program = new URL("./support/renewal-agent.ts", import.meta.url);
  const child = fork(program, [job, path, String(times)], {
    execArgv: ["--conditions=@toolweave/source", "--disable-warning=ExperimentalWarning"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test.each(["store.db", "credentials"])(
  "two processes that renew a credential in %s lose no renewal",
  async (name) => {
    const path = join(tempFolder(), name);
    const agents = [1, 2].map(() => startAgent("renews", path, 15));
    await Promise.all(agents.map((agent) => once(agent, "message")));
    const { credentials } =
      name === "store.db" ? openStore(path) : { credentials: fileCredentials(path) };
    expect(await credentials.get(key)).toMatchObject({ accessToken: "30" });
  },
);

test("the lock of a process that was killed is taken over in SQLite", async () => {
  const path = join(tempFolder(), "store.db");
  const holder = startAgent("holds", path, 1);
  await once(holder, "message");
  holder.kill("SIGKILL");
  let done = 0;
  await openStore({ path, leaseMs: 300 }).credentials.exclusive?.(key, async () => void done++);
  expect(done).toBe(1);
});

test("the lock file of a process that has ended is taken over", async () => {
  const path = join(tempFolder(), "credentials");
  const store = fileCredentials(path);
  let lock = "";
  await store.exclusive?.(key, async () => void ([lock = ""] = readdirSync(path)));
  writeFileSync(join(path, lock), "", { mode: 0o600 });
  const before = new Date(Date.now() - 11_000);
  utimesSync(join(path, lock), before, before);
  let done = 0;
  await store.exclusive?.(key, async () => void done++);
  expect(done).toBe(1);
  expect(readdirSync(path)).toEqual([]);
});
