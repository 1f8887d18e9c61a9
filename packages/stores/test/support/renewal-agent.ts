// A child process that renews a credential as often as its last argument says: it reads a token, and
// writes the next one. `holds` as the job: it does not end its first renewal.
import { setTimeout as wait } from "node:timers/promises";
import { fileCredentials, sqliteStore } from "../../src/index.ts";

const [, , job = "", path = "", times = ""] = process.argv;
const key = { source: "api", scheme: "oauth" };
const credentials = path.endsWith(".db")
  ? sqliteStore({ path, leaseMs: 300 }).credentials
  : fileCredentials(path);

for (let time = 0; time < Number(times); time++) {
  await credentials.exclusive?.(key, async () => {
    if (job === "holds") {
      process.send?.("holds");
      await new Promise(() => {});
    }
    const found = await credentials.get(key);
    const before = found?.type === "token" ? Number(found.accessToken) : 0;
    await wait(2);
    await credentials.set(key, { type: "token", accessToken: String(before + 1) });
  });
}
process.send?.("done");
