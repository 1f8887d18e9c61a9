// Runs the kit over the healthy fixtures with many seeds; every failure is a false alarm.
//
//   node --conditions=@toolweave/source conformance/bench/seeds.ts [first] [count]
import { runConformance } from "../src/index.ts";
import { sourceManifest, toolsManifest } from "../test/fixtures/index.ts";

const first = Number(process.argv[2] ?? 1);
const count = Number(process.argv[3] ?? 200);
let alarms = 0;
for (const manifest of [toolsManifest(), sourceManifest()]) {
  const began = performance.now();
  let checked = 0;
  for (let seed = first; seed < first + count; seed++) {
    const { rules } = await runConformance(manifest, { seed, quietMs: 10 });
    for (const { id, status, message, seen } of rules) {
      if (status === "passed") checked += 1;
      if (status !== "failed") continue;
      alarms += 1;
      process.stdout.write(`seed ${seed}: ${id} ${message} ${seen ?? ""}\n`);
    }
  }
  const ms = (performance.now() - began) / count;
  process.stdout.write(
    `${manifest.name}: ${count} seeds, ${checked} rules held, ${ms.toFixed(0)} ms a run\n`,
  );
}
process.stdout.write(`${alarms} false alarms\n`);
process.exitCode = alarms === 0 ? 0 : 1;
