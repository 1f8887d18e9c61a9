// Runs the kit over the healthy fixtures with many seeds; every failure is a false alarm.
//
//   node --conditions=@toolweave/source conformance/bench/seeds.ts [first] [count]
import { alarmsOf } from "../test/alarms-of.ts";
import { sourceManifest, toolsManifest } from "../test/fixtures/index.ts";

const first = Number(process.argv[2] ?? 1);
const count = Number(process.argv[3] ?? 200);
const seeds = Array.from({ length: count }, (_, index) => first + index);
let found = 0;
for (const manifest of [toolsManifest(), sourceManifest()]) {
  const began = performance.now();
  const alarms = await alarmsOf(manifest, seeds);
  const ms = (performance.now() - began) / count;
  for (const alarm of alarms) process.stdout.write(`${JSON.stringify(alarm)}\n`);
  process.stdout.write(
    `${manifest.name}: ${count} seeds, ${alarms.length} false alarms, ${ms.toFixed(0)} ms a run\n`,
  );
  found += alarms.length;
}
process.exitCode = found === 0 ? 0 : 1;
