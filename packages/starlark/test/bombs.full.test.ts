import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { bombs } from "./support/bombs.ts";
import type { BombResult } from "./support/run-bomb.ts";

const runner = new URL("support/run-bomb.ts", import.meta.url).href;
const maxGrowthBytes = (2 * 64 + 32) * 1024 * 1024;

test("in a process with every bomb in turn, each ends with our error and the heap stays within its bound", () => {
  const names = Object.keys(bombs);
  const script = `
    const { runBomb } = await import(${JSON.stringify(runner)});
    const results = [];
    for (const name of ${JSON.stringify(names)}) results.push(await runBomb(name, { timeoutMs: 1000 }));
    console.log(JSON.stringify(results));
  `;
  const child = spawnSync(
    process.execPath,
    ["--expose-gc", "--conditions=@toolweave/source", "--input-type=module", "-e", script],
    { encoding: "utf8" },
  );
  expect(child.stderr).toBe("");
  const results = JSON.parse(child.stdout) as BombResult[];
  const codes = new Set(["limit_exceeded", "timeout", "execution_failed"]);
  const faults = results.flatMap(({ end, growthBytes }, index) =>
    (codes.has(end) || names[index] === "freezeDeep") && growthBytes <= maxGrowthBytes
      ? []
      : [`${names[index]}: ${end}, ${growthBytes} bytes`],
  );
  console.log(
    `${results.length} bombs, the largest growth ${Math.max(...results.map(({ growthBytes }) => growthBytes)) / 2 ** 20} MiB`,
  );
  expect(results.length).toBeGreaterThanOrEqual(40);
  expect(faults).toEqual([]);
});
