import type { ConformanceReport, RuleResult } from "@toolweave/conformance";
import type { CliIo } from "../../process/cli-io.ts";
import { UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatJson } from "../../render/json.ts";
import { safeJson } from "../../render/text.ts";
import { checkSavePath, saveFile } from "../shared/save-result.ts";

/** The destinations of reports. */
export interface ReportDestinations {
  readonly json?: boolean;
  /** A file, or `-`. */
  readonly junit?: string;
  readonly badge?: string;
  readonly summary?: string;
  readonly verbose?: boolean;
}

/**
 * Makes sure that reports can be written, before the rules are checked.
 *
 * @throws UsageError
 */
export async function checkDestinations({
  json,
  junit,
  badge,
  summary,
}: ReportDestinations): Promise<void> {
  if (json === true && junit === "-") {
    throw new UsageError("--json and --junit - both print: name a file for --junit.");
  }
  await checkSavePath(junit === "-" ? undefined : junit, "--junit");
  await checkSavePath(badge, "--badge");
  await checkSavePath(summary, "--summary");
}

/**
 * Prints reports, and writes the files that were asked for.
 *
 * @param replay the command that checks a rule again.
 */
export async function writeReports(
  reports: readonly ConformanceReport[],
  { json, junit, badge, summary, verbose }: ReportDestinations,
  replay: (result: RuleResult) => string,
  io: CliIo,
  output: Output,
): Promise<void> {
  const { toJunit, formatReport, toSummary } = await import("@toolweave/conformance");
  const save = (path: string, text: string): Promise<void> => saveFile(path, Buffer.from(text));
  if (junit !== undefined && junit !== "-") await save(junit, toJunit(reports));
  const [only] = reports;
  if (only !== undefined && badge !== undefined) {
    await save(badge, `${safeJson(JSON.stringify(toSummary(only).badge))}\n`);
  }
  if (only !== undefined && summary !== undefined) {
    await save(summary, `${safeJson(JSON.stringify(toSummary(only), undefined, 2))}\n`);
  }
  if (junit === "-") {
    await output.write(toJunit(reports));
  } else if (json === true) {
    for (const report of reports) await output.write(formatJson(report, output, 0));
  } else {
    const texts = reports.map((report) =>
      formatReport(report, {
        width: io.stdout.columns ?? 100,
        // The report has its own formats.
        colors: output.style("bold", "x") !== "x",
        replay,
        verbose: verbose === true,
      }),
    );
    await output.write(texts.join("\n"));
  }
}
