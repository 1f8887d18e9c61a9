import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  findTests,
  formatCoverage,
  formatResult,
  formatSummary,
  runTests,
  toJsonReport,
  TestWatch,
  toJunitReport,
  type TestProgram,
  type TestResult,
} from "@toolweave/markdown/testing";
import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { QueuedWriter } from "../../process/queued-writer.ts";
import { safeJson, safeLine, safeText } from "../../render/text.ts";

/** The options of `toolweave test`. */
export interface TestOptions {
  readonly watch?: boolean;
  readonly coverage?: boolean;
  readonly format: "text" | "json" | "junit";
}

/** `toolweave test`: runs tests of markdown tools and hooks. */
export async function test(
  paths: readonly string[],
  options: TestOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  if (options.watch === true && options.format !== "text")
    throw new UsageError("--watch prints text: leave --format out.");
  const chosen = paths.length === 0 ? ["."] : paths;
  const missing = chosen.find((path) => !existsSync(resolve(path)));
  if (missing !== undefined) throw new UsageError(`There is no file or folder ${missing}.`);
  if (options.watch !== true) {
    const programs = findTests(chosen, process.cwd());
    if (programs.length === 0) throw noTests(chosen);
    return runOnce(programs, options, io, output);
  }
  const changes = new TestWatch(chosen, process.cwd());
  try {
    for (;;) {
      const programs = findTests(chosen, process.cwd());
      if (programs.length === 0) output.printMessage(`toolweave: ${noTests(chosen).message}`);
      else await runOnce(programs, options, io, output);
      output.printMessage("Waiting for changes; Ctrl-C ends.");
      await rejectOnInterrupt(changes.next(), io.signal);
    }
  } finally {
    changes.close();
  }
}

function noTests(paths: readonly string[]): UsageError {
  return new UsageError(
    `There are no tests in ${safeLine(paths.join(", "))}: write a file NAME.test.star beside the tool, with def test_something(t).`,
  );
}

async function runOnce(
  programs: readonly TestProgram[],
  { format, coverage }: TestOptions,
  { signal }: CliIo,
  output: Output,
): Promise<number> {
  const writer = new QueuedWriter(output);
  const print = (text: string): void => writer.write(text);
  const run = await runTests(programs, {
    signal,
    ...(format === "text" ? { onResult: (result) => print(formatLine(result, output)) } : {}),
  }).catch((error: unknown) => {
    if (signal.aborted) throw new Interrupt();
    throw error;
  });
  await writer.end();
  if (format === "json") await output.write(safeJson(toJsonReport(run)));
  else if (format === "junit") await output.write(toJunitReport(run));
  else {
    if (coverage === true) print(`\n${safeText(formatCoverage(run.coverage))}`);
    const summary = formatSummary(run).trimEnd();
    print(`\n${output.style(run.failed === 0 ? "green" : "red", summary)}\n`);
    await writer.end();
  }
  return run.failed === 0 ? exitCode.completed : exitCode.toolError;
}

/** A result with a colour for its mark. Scripts and tests may come from someone else: what they print is escaped. */
function formatLine(result: TestResult, { style }: Output): string {
  return safeText(formatResult(result)).replace(/^(?:ok {2}|FAIL)/, (mark) =>
    style(mark === "FAIL" ? "red" : "green", mark),
  );
}
