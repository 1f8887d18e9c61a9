import { readFileSync } from "node:fs";
import { formatFile } from "@toolweave/markdown/authoring";
import { Interrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { safeLine } from "../../render/text.ts";
import { findFiles } from "../shared/find-files.ts";
import { writeTextFile } from "../shared/write-file.ts";

/** The options of `toolweave fmt`. */
export interface FmtOptions {
  readonly write?: boolean;
  readonly check?: boolean;
}

/** `toolweave fmt`: formats scripts of markdown files, and Starlark files. */
export async function fmt(
  paths: readonly string[],
  { write = false, check = false }: FmtOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  if (write && check) throw new UsageError("--write and --check exclude each other.");
  const files = findFiles(paths.length === 0 ? ["."] : paths, [".md", ".star"]);
  const isOne = files.length === 1 && paths.length === 1;
  if (!write && !check && !isOne)
    throw new UsageError("Several files need --check, which lists files, or --write.");
  let code: number = exitCode.completed;
  for (const { path, file } of files) {
    if (io.signal.aborted) throw new Interrupt();
    const before = readFileSync(path, "utf8");
    const { text, findings } = formatFile(file, before);
    for (const { line, column, message } of findings) {
      output.printMessage(safeLine(`${file}:${line}:${column}: ${message}`));
      code = exitCode.toolError;
    }
    if (!write && !check) {
      if (findings.length === 0) await output.write(text);
    } else if (text !== before) {
      await output.write(`${safeLine(file)}\n`);
      if (check) code = exitCode.toolError;
      else await writeTextFile(path, text);
    }
  }
  return code;
}
