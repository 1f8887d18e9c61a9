// Prints the table of rules and mutants: the number of each rule's mutants that the kit detects
// with exactly that rule's id, and the duration of a run.
//
// node --conditions=@toolweave/source conformance/bench/mutants.ts
import { requirements, runConformance } from "../src/index.ts";
import { mutants } from "../test/mutants/index.ts";

const seeds = [1, 2];
const rows: string[] = [];
let missed = 0;
const began = performance.now();
for (const { id, level, text } of requirements) {
  const own = mutants.filter(({ rule }) => rule === id);
  let caught = 0;
  for (const { what, manifest, hangs = false } of own) {
    const wrong: string[] = [];
    for (const seed of seeds) {
      const options = { seed, ...(hangs ? { deadlineMs: 1000 } : {}) };
      const { rules } = await runConformance(manifest(), options);
      const failed = rules.filter(({ status }) => status === "failed").map((rule) => rule.id);
      if (failed.join() !== id) wrong.push(`seed ${seed}: ${failed.join(", ") || "nothing"}`);
    }
    if (wrong.length === 0) caught += 1;
    else rows.push(`  MISSED ${what}: ${wrong.join("; ")}`);
  }
  missed += own.length - caught;
  const share = own.length === 0 ? "–" : `${caught}/${own.length}`;
  rows.push(`${id}  ${level.padEnd(6)}  ${share.padStart(5)}  ${text}`);
}
const musts = requirements.filter(({ level }) => level === "must").length;
const seconds = ((performance.now() - began) / 1000).toFixed(0);
process.stdout.write(
  `${rows.join("\n")}\n\n${requirements.length} rules (${musts} must), ${mutants.length} mutants, ` +
    `${mutants.length - missed} caught by exactly their rule with seeds ${seeds.join(" and ")}, ${missed} missed, ${seconds} s\n`,
);
process.exitCode = missed === 0 ? 0 : 1;
