/**
 * Runs the official conformance suite of MCP against our client, and prints what fails.
 *
 * node --conditions=@toolweave/source packages/mcp/conformance-suite/run-client.ts [revision]…
 */
import { clientResults } from "./client-results.ts";

const given = process.argv.slice(2);
for (const revision of given.length > 0 ? given : ["2025-11-25", "2026-07-28"]) {
  const { passed, failed } = await clientResults(revision);
  process.stdout.write(`${revision}: ${passed.length} of ${passed.length + failed.length}\n`);
  for (const { scenario, wrong } of failed) {
    process.exitCode = 1;
    process.stdout.write(`  ${scenario}\n${wrong.map((one) => `    ${one}\n`).join("")}`);
  }
}
