import { setImmediate } from "node:timers/promises";
import { helpText, readCommand, UsageError, type Command } from "./command.ts";
import { formatResult, formatSkipped, type SkippedScenario } from "./report.ts";
import { saveResults } from "./save-results.ts";
import { scenarios } from "./scenarios/all.ts";
import type { ScenarioResult } from "./scenarios/scenario.ts";

const interrupted = new AbortController();
// A second signal must not end this process before everything that it has started.
process.on("SIGINT", () => interrupted.abort());
process.on("SIGTERM", () => interrupted.abort());

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args, scenarios);
  if (command === "help") {
    process.stdout.write(helpText(scenarios));
    return 0;
  }
  // With --json, only the results are on the standard output.
  const stream = command.isJson ? process.stderr : process.stdout;
  const results: (ScenarioResult | SkippedScenario)[] = [];
  let hasFailed = false;
  for (const scenario of command.scenarios) {
    const skipped = scenario.missing?.();
    if (skipped !== undefined) {
      results.push({ scenario: scenario.id, skipped });
      stream.write(formatSkipped(stream, { scenario: scenario.id, skipped }));
      continue;
    }
    for (const seed of command.seeds) {
      const end = { seconds: command.seconds };
      const result = await scenario.run({ seed, end, signal: interrupted.signal });
      results.push(result);
      hasFailed ||= result.violations.length > 0;
      stream.write(formatResult(stream, result, command.seconds));
    }
  }
  printResults(command, results);
  return hasFailed ? 1 : 0;
}

function printResults(
  { isJson, isSaved, seconds }: Command,
  results: readonly (ScenarioResult | SkippedScenario)[],
): void {
  if (isJson) process.stdout.write(`${JSON.stringify(results, undefined, 2)}\n`);
  if (!isSaved) return;
  const date = new Date().toISOString().slice(0, 10);
  const saved = results
    .filter((result) => "seed" in result)
    .map((result) => ({ date, loadSeconds: seconds, ...result }));
  saveResults(
    saved,
    scenarios.map(({ id }) => id),
  );
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A signal that came during a synchronous step, such as initdb, is handled now.
  await setImmediate();
  if (interrupted.signal.aborted) {
    process.stderr.write("Interrupted; everything that was started has ended.\n");
    process.exitCode = 130;
  } else if (error instanceof UsageError) {
    process.stderr.write(
      `${error.message}\nRun pnpm chaos --help for the scenarios and options.\n`,
    );
    process.exitCode = 2;
  } else throw error;
}
