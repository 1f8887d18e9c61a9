import { expect, test } from "vitest";
import { inFullRun } from "@toolweave/test-support";
import { compile, json, load, StarlarkError } from "../src/index.ts";
import type { LoadOptions } from "../src/index.ts";
import { ProgramGenerator } from "./support/generate-program.ts";
import { Random } from "./support/random.ts";

async function outcome(source: string, options: LoadOptions): Promise<string> {
  const lines: string[] = [];
  try {
    const program = compile(source, { file: "p.star", predeclared: ["json"] });
    await load(program, {
      ...options,
      predeclared: { json },
      print: (line) => void lines.push(line),
    });
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    lines.push(error.traceback);
  }
  return lines.join("\n");
}

test("a program does the same at once, suspended after every operation, and watched", async () => {
  const faults: string[] = [];
  for (let seed = 50_001; seed <= 50_000 + inFullRun(5000, 300); seed++) {
    const source = new ProgramGenerator(new Random(seed)).generate();
    const expected = await outcome(source, {});
    const others = [
      await outcome(source, { stepwise: true }),
      await outcome(source, { onOperation: () => undefined }),
      await outcome(source, { sliceMs: 0 }),
    ];
    if (others.some((other) => other !== expected)) faults.push(`seed ${seed}: ${source}`);
  }
  expect(faults).toEqual([]);
});
