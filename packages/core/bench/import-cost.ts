// CPU time of importing core, above that of a bare process: medians of fifteen fresh processes
// each, alternating.
import { spawnSync } from "node:child_process";

const entry = new URL("../dist/index.js", import.meta.url).href;
function cpuMs(code: string): number {
  const script = `${code}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  return Number(stdout);
}
const bare: number[] = [];
const withCore: number[] = [];
for (let round = 0; round < 15; round++) {
  bare.push(cpuMs("0"));
  withCore.push(cpuMs(`await import(${JSON.stringify(entry)})`));
}
const median = (values: number[]): number => values.sort((a, b) => a - b)[7] as number;
const [floor, core] = [median(bare), median(withCore)];
console.log(
  `bare node ${floor.toFixed(1)} ms, with core ${core.toFixed(1)} ms: ${(core - floor).toFixed(1)} ms of CPU`,
);
