import { join } from "node:path";
import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { testArtifact } from "@toolweave/conformance/test-records";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { fileArtifacts } from "../src/index.ts";
import { openStore } from "./support/open-store.ts";

/** Another session each time: all belong to the same caller. */
const flooder = (session: number): string => `["session ${session}","flooder"]`;
const others = ['["session 0","ada"]', '["session 0",null]', "[null,null]"];

test("a folder's quota of one owner includes artifacts that another process has written", async () => {
  const path = join(tempFolder(), "a");
  const clock = new FakeClock();
  const stores = [0, 1].map(() => fileArtifacts({ path, clock, maxBytesPerOwner: 9_000 }));
  const put = (store: number, word: string, owner: string): Promise<unknown> => {
    const { artifact, data } = testArtifact(word, 4_000, { owner, expiresAt: Infinity });
    return Promise.resolve(stores[store]?.put(artifact, data));
  };
  await put(0, "a", flooder(0));
  await put(0, "b", flooder(1));
  clock.skip(10_000);
  expect((await catchToolError(() => put(1, "c", flooder(2)))).code).toBe("limit_exceeded");
  await put(1, "d", others[0] as string);
});

test.each(["maxPendingCallsPerOwner", "maxTasksPerOwner", "maxArtifactBytesPerOwner"])(
  "an invalid %s is refused",
  async (name) => {
    for (const value of [-1, Number.NaN, "many"]) {
      const options = { path: ":memory:", [name]: value } as never;
      expect((await catchToolError(() => openStore(options))).code).toBe("invalid_configuration");
    }
  },
);
