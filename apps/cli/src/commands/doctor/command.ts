import type { Command } from "commander";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode, exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext, Output } from "../../process/output.ts";
import { withConfig } from "../shared/options.ts";

/** The options of `toolweave doctor`. */
interface DoctorOptions {
  readonly config?: string;
  readonly json?: boolean;
}

const doctorExamples = `
Examples:
  $ toolweave doctor                                # the toolweave.json of this folder
  $ toolweave doctor --config ~/shop/toolweave.json
  $ toolweave doctor --json | jq '.checks[] | select(.status != "ok")'

Checks Node.js, the clock, the stores and their permissions, the configuration and its trust, its
environment variables (names only), the programs of MCP servers, and loads every source once. Of an
untrusted configuration nothing is started. Exits with 1 if a check fails; warnings do not count.
`;

/** Registers `toolweave doctor`. */
export function addDoctor(program: Command, { io, output, end }: CommandContext): void {
  withConfig(program.command("doctor"))
    .summary("find out what does not work, and how to repair it")
    .description(
      "Checks the environment, the stores, the configuration and its sources: one line each with ok, warn or fail, and a remedy.",
    )
    .option("--json", 'print {"ok", "checks": [{"name", "status", "detail", "remedy"}]}')
    .option("--verbose", "also print the causes of an error")
    .addHelpText(
      "after",
      doctorExamples + exitCodesHelp({ 0: "no check failed", 1: "a check failed" }),
    )
    .action(async (options: DoctorOptions) => {
      end(await doctor(options, io, output));
    });
}

/** `toolweave doctor`: prints the result of every check as soon as it is known. */
async function doctor(
  { config, json = false }: DoctorOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const { runChecks } = await import("./checks.ts");
  const { safeJson, safeLine } = await import("../../render/text.ts");
  const { styleText } = await import("node:util");
  const colors = { ok: "green", warn: "yellow", fail: "red" } as const;
  const checks = [];
  for await (const check of runChecks(config, io, output)) {
    checks.push(check);
    if (json) continue;
    const { name, status, detail, remedy } = check;
    const mark = styleText(colors[status], status.padEnd(4), { stream: io.stdout });
    await output.write(`${mark}  ${safeLine(name)}: ${safeLine(detail)}\n`);
    if (remedy !== undefined) await output.write(`      ${safeLine(remedy)}\n`);
  }
  const failed = checks.filter(({ status }) => status === "fail").length;
  if (json) {
    const result = JSON.stringify({ ok: failed === 0, checks }, null, 2);
    await output.write(`${safeJson(result)}\n`);
  } else {
    const warned = checks.filter(({ status }) => status === "warn").length;
    await output.write(`\n${checks.length} checks: ${failed} failed, ${warned} with a warning\n`);
  }
  return failed === 0 ? exitCode.completed : exitCode.checkFailed;
}
