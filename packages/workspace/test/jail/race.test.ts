import { describe, expect, test } from "vitest";
import { Race, type RaceCounts } from "../support/race.ts";
import { tempFolder } from "../support/temp-folder.ts";

/** A race in which each operation is tried so many times, and longer while neither side has come inside and out. */
async function raceOf(
  operationOf: (race: Race) => () => string | Promise<string>,
  tries: number,
): Promise<{ counts: RaceCounts; created: readonly string[] }> {
  const race = new Race(tempFolder());
  await race.start();
  try {
    const counts = await race.repeat(operationOf(race), (done) => done >= tries);
    return { counts, created: race.created };
  } finally {
    await race.stop();
  }
}

describe.runIf(process.platform === "linux")(
  "PT07: while a folder is swapped with a link to a folder outside",
  () => {
    test("a guard that checks the text of the path leaks, so that the attack works", async () => {
      const race = new Race(tempFolder());
      await race.start();
      let leaks = 0;
      await race.repeat(
        () => {
          const text = race.lexicalRead();
          if (text.includes("secret")) leaks += 1;
          return text;
        },
        (tries) => leaks > 0 || tries > 1_000_000,
      );
      await race.stop();
      expect(leaks).toBeGreaterThan(0);
    });

    test.each([
      ["reads", (race: Race) => race.jailRead],
      ["lists", (race: Race) => race.jailList],
    ])("the jail %s nothing outside", async (_, operationOf) => {
      const { counts } = await raceOf(operationOf, 3_000);
      expect(counts.leaks).toBe(0);
      expect(counts.tries).toBe(3_000);
    });

    test.each([
      ["writes a file", (race: Race) => race.jailWrite],
      ["creates a folder", (race: Race) => race.jailCreateFolder],
    ])("the jail %s nowhere outside", async (_, operationOf) => {
      const { created } = await raceOf(operationOf, 300);
      expect(created).toEqual([]);
    });
  },
);
