// Runs the kit on the correct fixtures with many seeds. Every failure is a false positive.
//
// node --conditions=@toolweave/source conformance/bench/seeds.ts [first] [count]
import { findFalsePositives } from "../test/support/find-false-positives.ts";
import { sourceManifest, toolsManifest } from "../test/fixtures/index.ts";

const first = Number(process.argv[2] ?? 1);
const count = Number(process.argv[3] ?? 200);
const seeds = Array.from({ length: count }, (_, index) => first + index);
let found = 0;
for (const manifest of [toolsManifest(), sourceManifest()]) {
  const began = performance.now();
  const falsePositives = await findFalsePositives(manifest, seeds);
  const ms = (performance.now() - began) / count;
  for (const falsePositive of falsePositives)
    process.stdout.write(`${JSON.stringify(falsePositive)}\n`);
  process.stdout.write(
    `${manifest.name}: ${count} seeds, ${falsePositives.length} false positives, ${ms.toFixed(0)} ms a run\n`,
  );
  found += falsePositives.length;
}
process.exitCode = found === 0 ? 0 : 1;
