import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const steps = fileURLToPath(new URL("./steps.ts", import.meta.url));
const runner = fileURLToPath(new URL("./run-scenarios.ts", import.meta.url));

test("a defect at any step behind a wait ends the call, and reaches neither the process nor other calls", async () => {
  const options = ["--no-deprecation", "--conditions=@toolweave/source", "--import", steps];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, runner]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const { places, violations } = JSON.parse(stdout) as {
    places: number;
    violations: readonly string[];
  };
  expect(violations).toEqual([]);
  expect(places).toBeGreaterThanOrEqual(300);
}, 900_000);
