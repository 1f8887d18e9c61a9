import { inFullRun } from "@toolweave/test-support";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { describe, expect, test } from "vitest";
import { Race, type RaceCounts } from "../support/race.ts";
import { canary, ToolRace } from "../support/tool-race.ts";

const reads = inFullRun(200_000, 3_000);
const writes = inFullRun(20_000, 300);
const toolCalls = inFullRun(20_000, 150);

/** A race in which each operation is tried so many times, and longer while neither side has come inside and out. */
async function runRace(
  createOperation: (race: Race) => () => string | Promise<string>,
  tries: number,
): Promise<{ counts: RaceCounts; created: readonly string[] }> {
  const race = new Race(tempFolder());
  await race.start();
  try {
    const counts = await race.repeat(createOperation(race), (done) => done >= tries);
    return { counts, created: race.created };
  } finally {
    await race.stop();
  }
}

describe.runIf(process.platform === "linux")(
  "PT07: while a folder is swapped with a link to a folder outside",
  () => {
    // The second one leaks once in ten thousand times, which takes too long for a quick run.
    test.each([
      ["the text of the path", (race: Race) => race.lexicalRead],
      ...inFullRun([["the real path", (race: Race) => race.realpathRead] as const], []),
    ] as const)(
      "a guard that checks %s leaks, so that the attack works",
      { timeout: 120_000 },
      async (_, createOperation) => {
        const race = new Race(tempFolder());
        await race.start();
        let leaks = 0;
        await race.repeat(
          () => {
            const text = createOperation(race)();
            if (text.includes("secret")) leaks += 1;
            return text;
          },
          (tries) => leaks > 0 || tries > 2_000_000,
        );
        await race.stop();
        expect(leaks).toBeGreaterThan(0);
      },
    );

    test.each([
      ["reads", (race: Race) => race.jailRead],
      ["lists", (race: Race) => race.jailList],
    ])("the jail %s nothing outside", { timeout: 120_000 }, async (_, createOperation) => {
      const { counts } = await runRace(createOperation, reads);
      expect(counts.leaks).toBe(0);
      expect(counts.tries).toBe(reads);
    });

    const others = [
      ...(["list", "search", "edit", "write", "move"] as const),
      ...(["fsList", "fsWrite", "fsRemove", "fsCopy", "fsMove"] as const),
    ];

    test.each([...(["read", "delete", "fsRead"] as const), ...inFullRun(others, [])])(
      "the tools %s nothing outside",
      { timeout: 600_000 },
      async (operation) => {
        const race = new ToolRace(tempFolder());
        const { leaks, succeeded, outside } = await race.run((one) => one[operation](), toolCalls);
        expect(leaks).toBe(0);
        expect(succeeded).toBeGreaterThan(0);
        expect(outside).toEqual(["f", "m", "x"].map((name) => [name, canary]));
      },
    );

    test.each([
      ["writes a file", (race: Race) => race.jailWrite],
      ["creates a folder", (race: Race) => race.jailCreateFolder],
    ])("the jail %s nowhere outside", { timeout: 120_000 }, async (_, createOperation) => {
      const { created } = await runRace(createOperation, writes);
      expect(created).toEqual([]);
    });
  },
);
