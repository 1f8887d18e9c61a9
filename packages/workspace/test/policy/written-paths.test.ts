import { join, normalize } from "node:path";
import { inFullRun } from "@toolweave/test-support";
import { expect, test } from "vitest";
import { analyzeArgv } from "../../src/policy/analyze-command.ts";
import { resolvePath } from "../../src/policy/script-permissions.ts";
import { ownOptions, randomCommand, usualPrograms } from "./support/random-commands.ts";
import { randomFrom } from "./support/random-scripts.ts";
import { hasTracer, traceWrites } from "./support/trace-writes.ts";

const count = Number(process.env["TOOLWEAVE_COMMANDS"] ?? inFullRun(10_000, 600));

test.runIf(hasTracer)(
  "every file that a usual program writes is named, or the command is not known",
  () => {
    const random = randomFrom(Number(process.env["TOOLWEAVE_SEED"] ?? 1));
    const installed = usualPrograms.flatMap((program) => {
      const options = ownOptions(program);
      return options === undefined ? [] : [{ program, options }];
    });
    expect(installed.length).toBeGreaterThanOrEqual(40);
    const commands = Array.from({ length: count }, () => {
      const { program, options } = installed[
        Math.floor(random() * installed.length)
      ] as (typeof installed)[number];
      return randomCommand(program, options, random);
    });
    const uses = commands.map((argv) => analyzeArgv(argv, false));
    const known = commands.filter((_, index) => uses[index]?.risk !== "high");
    const missed: unknown[] = [];
    let written = 0;
    traceWrites(known, findNamed, (run) => {
      const named = run.prepared;
      for (const path of run.written) {
        written += 1;
        const isNamed = named.some(
          (one) =>
            one.path === path ||
            one.literal === path ||
            one.path.startsWith(`${path}/`) ||
            (one.extent === "tree" && path.startsWith(`${one.path}/`)) ||
            (one.extent === "names" && path.startsWith(one.path)),
        );
        if (!isNamed) missed.push({ argv: run.argv, path: path.replace(run.folder, "") });
      }
    });
    expect(missed).toEqual([]);
    expect(known.length).toBeGreaterThan(count / 4);
    expect(written).toBeGreaterThan(count / 20);
  },
  3_600_000,
);

/** The places that a command is known to write. */
function findNamed(argv: readonly string[], folder: string) {
  const { commands } = analyzeArgv(argv, false);
  return commands.flatMap(({ paths }) =>
    paths.flatMap((use) => {
      if (use.access !== "write" || use.isPossible === true) return [];
      const path = normalize(resolvePath(use, folder) ?? "/nowhere");
      return [{ path, literal: normalize(join(folder, use.path)), extent: use.extent }];
    }),
  );
}
