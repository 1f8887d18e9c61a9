import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allKinds, waitFor } from "./load-kinds.ts";
import { runLoad } from "./run-load.ts";
import type { Scenario } from "./scenario.ts";
import { withPostgres } from "./with-postgres.ts";

/** C1: the clocks of the workers are wrong. The database's is not. */
export const wrongClocks: Scenario = {
  id: "C1",
  summary: "the clock of one worker is 1 h fast, of one 1 h slow, and of one jumps between them",
  missing: () =>
    faketimeLibrary() === undefined
      ? "libfaketime is not installed: apt-get install faketime."
      : undefined,
  run: (run) =>
    withPostgres(run, {}, async ({ url }) => {
      const folder = mkdtempSync(join(tmpdir(), "toolweave-chaos-clock-"));
      const path = join(folder, "offset");
      writeFileSync(path, "+0");
      // Timers keep their pace: only the time of day is wrong.
      const common = {
        LD_PRELOAD: faketimeLibrary() ?? "",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
        FAKETIME_NO_CACHE: "1",
      };
      const clocks: readonly Readonly<Record<string, string>>[] = [
        { ...common, FAKETIME: "+3600" },
        { ...common, FAKETIME: "-3600" },
        { ...common, FAKETIME_TIMESTAMP_FILE: path },
      ];
      try {
        return await runLoad(run, {
          ...{ scenario: "C1", url, kinds: allKinds },
          program: (slot, _generation, usual) => ({ ...usual, env: clocks[slot] ?? {} }),
          async faults({ random, signal, countRestart }) {
            while (await waitFor(random.between(200, 800), signal)) {
              writeFileSync(path, random.pick(["+3600", "-3600", "+0", "+86400"]));
              countRestart();
            }
          },
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
};

function faketimeLibrary(): string | undefined {
  if (!existsSync("/usr/lib")) return undefined;
  return globSync("/usr/lib/*/faketime/libfaketime.so.1")[0];
}
