/**
 * Runs the official conformance suite of MCP against our gateway, and prints what fails.
 *
 * node --conditions=@toolweave/source packages/mcp/conformance-suite/run-server.ts [revision]…
 */
import { serverResults } from "./server-results.ts";

const given = process.argv.slice(2);
for (const revision of given.length > 0 ? given : ["2025-11-25", "2026-07-28"]) {
  const { passed, failed, warnings, beyond } = await serverResults(revision);
  process.stdout.write(`${revision}: ${passed.length} of ${passed.length + failed.length}\n`);
  process.stdout.write(`  and beyond it: ${beyond.join(", ") || "none"}\n`);
  for (const [kind, scenarios] of Object.entries({ failed, warnings })) {
    for (const { scenario, wrong } of scenarios) {
      process.stdout.write(
        `  ${kind}: ${scenario}\n${wrong.map((one) => `    ${one}\n`).join("")}`,
      );
    }
  }
  if (failed.length > 0) process.exitCode = 1;
}
