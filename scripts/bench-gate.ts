// Compares the work of calls, documents and imports with the recorded counts, or records them.
import { join } from "node:path";
import { runSteps } from "./lib/run-steps.ts";
import { benchGateStep, recordBaseline } from "./steps/bench-gate.ts";

const help = `Usage: node scripts/bench-gate.ts [--record]

Counts function calls, allocated bytes and loaded modules of the built packages, and compares
them with scripts/gate/baseline.json. Build first: npx -y pnpm@12 build. Exits 1 if one of them
differs by more than 1 %.

  --record  writes the present counts to the file
`;

const root = join(import.meta.dirname, "..");
const [option] = process.argv.slice(2);
if (option === "--record") await recordBaseline(root);
else if (option === undefined) {
  const step = { ...benchGateStep, needs: [] };
  const { failed } = await runSteps([step], { root, temp: root }, 1, (line) => {
    process.stdout.write(`${line}\n`);
  });
  process.exitCode = failed.length;
} else {
  process.stdout.write(help);
  process.exitCode = option === "--help" ? 0 : 2;
}
