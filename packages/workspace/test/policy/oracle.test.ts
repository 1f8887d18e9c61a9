import { inFullRun } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { readScript } from "../../src/policy/read-script.ts";
import { randomFrom, randomScript } from "./support/random-scripts.ts";
import { runInBash } from "./support/run-in-bash.ts";

const count = Number(process.env["TOOLWEAVE_SCRIPTS"] ?? inFullRun(20_000, 5_000));

test("bash runs no command of a known script that was not read", () => {
  const random = randomFrom(Number(process.env["TOOLWEAVE_SEED"] ?? 1));
  const known = Array.from({ length: count }, () => randomScript(random)).flatMap((script) => {
    const { commands, unknown } = readScript(script, "");
    return unknown.length === 0 ? [{ script, commands }] : [];
  });
  const runs = runInBash(known.map(({ script }) => script));
  let executed = 0;
  const surprises = known.flatMap(({ script, commands }, index) => {
    const read = new Set(commands.map(({ argv }) => JSON.stringify(argv)));
    const ran = (runs[index] as (typeof runs)[number]).map((argv) => JSON.stringify(argv));
    executed += ran.length;
    return ran.filter((argv) => !read.has(argv)).map((argv) => ({ script, argv }));
  });
  expect(surprises).toEqual([]);
  expect(executed).toBeGreaterThan(count / 5);
}, 900_000);
