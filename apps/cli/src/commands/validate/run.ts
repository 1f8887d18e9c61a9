import { checkPaths, countFindings, formatReport } from "@toolweave/markdown/authoring";
import type { PathsCheck, ReportFormat } from "@toolweave/markdown/authoring";
import { rejectOnInterrupt, version, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { safeJson, safeLine } from "../../render/text.ts";

/** The options of `toolweave validate`. */
export interface ValidateOptions {
  readonly format: ReportFormat;
  readonly strict?: boolean;
}

/** `toolweave validate`: reports everything that is wrong with tools, hooks and bundles in markdown files. */
export async function validate(
  paths: readonly string[],
  { format, strict = false }: ValidateOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { files, findings, texts } = await rejectOnInterrupt(
    check(paths.length === 0 ? ["."] : paths, strict),
    io.signal,
  );
  const report = formatReport(findings, { format, texts, version: version() });
  await output.write(format === "json" || format === "sarif" ? safeJson(report) : report);
  const { errors, warnings } = countFindings(findings);
  if (files.length === 0)
    output.printMessage(
      "There is no tool, hook or bundle. `toolweave validate --help` lists the names of their files.",
    );
  else if (format === "text")
    output.printMessage(
      `${count(files.length, "file")}: ${count(errors, "error")}, ${count(warnings, "warning")}`,
    );
  return errors > 0 || (strict && warnings > 0) ? exitCode.checkFailed : exitCode.completed;
}

async function check(paths: readonly string[], strict: boolean): Promise<PathsCheck> {
  try {
    return await checkPaths(paths, { strict });
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === undefined || path === undefined) throw error;
    throw new UsageError(
      code === "ENOENT"
        ? `There is no file or folder ${safeLine(path)}.`
        : `The file ${safeLine(path)} cannot be read (${code}).`,
      { cause: error },
    );
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
