import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import { withConfig, withPolicy, withStore } from "../shared/options.ts";
import type { ScheduleRunOptions } from "./run.ts";

const runExamples = `
Examples:
  $ toolweave schedule run                   # until Ctrl-C, for the toolweave.json of this folder
  $ toolweave schedule run --once            # what is due now, for a timer of the system
  $ toolweave schedule run --json | jq .status

Any number of these commands, on one machine, may run for the same configuration: each planned call
is made once. A call that needs approval waits: see \`toolweave approvals\`.
`;

const scheduleExamples = `
Examples:
  $ toolweave schedule run
  $ toolweave call schedule_list              # the jobs, of a configuration that has schedules
`;

/** Registers `toolweave schedule`. */
export function addSchedule(program: Command, { io, output, end }: CommandContext): void {
  const schedule = program
    .command("schedule")
    .summary("make the calls that agents have scheduled")
    .description("Makes the calls that agents have scheduled with schedule_add.")
    .addHelpText("after", scheduleExamples + exitCodesHelp({}));
  withStore(withPolicy(withConfig(schedule.command("run"))))
    .summary("make scheduled calls when they are due")
    .description(
      'Makes scheduled calls when they are due, until Ctrl-C. The configuration has to have "schedule" in "builtin".',
    )
    .option("--once", "make the calls that are due now, and exit")
    .option("--json", "print a line of JSON for each call: {job, tool, slot, status, detail}")
    .addHelpText(
      "after",
      runExamples +
        exitCodesHelp({
          0: "the command was stopped, or, with --once, every call that was due has completed",
          1: "with --once, a call has failed; or the store is unavailable",
          3: "the configuration in this folder is not trusted; with --once, a call waits for approval",
          4: "a source could not be loaded",
        }),
    )
    .action(async (options: ScheduleRunOptions) => {
      const { runSchedule } = await import("./run.ts");
      end(await runSchedule(options, io, output));
    });
}
