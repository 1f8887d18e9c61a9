import { scheduleWorker } from "@toolweave/builtin";
import { ToolExecutor } from "@toolweave/core";
import type { ScheduledRun, StoredJob } from "@toolweave/core/stores";
import type { ToolOptions } from "../../input/tool-options.ts";
import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatCount, safeJson, safeLine } from "../../render/text.ts";
import { planSources } from "../../sources/load-sources.ts";
import { executorStores } from "../../store/command-store.ts";
import { openAudit } from "../../store/open-audit.ts";
import { openStore, printStoreErrors } from "../../store/open-store.ts";
import { formatHints } from "../shared/hints.ts";
import { toContextMetadata } from "../../store/pending-call-context.ts";

/** The options of `toolweave schedule run`. */
export interface ScheduleRunOptions extends ToolOptions {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly policy?: string;
  readonly store?: string;
}

/** `toolweave schedule run`: makes scheduled calls when they are due, until Ctrl-C. */
export async function runSchedule(
  options: ScheduleRunOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const plan = await planSources(options, io, output);
  const { registry, schedules, policy, hooks, audit, store: configured } = await plan.load();
  const store = await openStore(options.store, configured, io.env);
  printStoreErrors(store, output);
  try {
    if (schedules === undefined) {
      throw new UsageError(
        'The configuration has no schedules. Add "builtin": { "schedule": true } and "store": ".toolweave" to it.',
      );
    }
    const executor = new ToolExecutor({
      registry,
      key: store.key.value,
      ...executorStores(store),
      audit: await openAudit(store, "schedule", audit),
      hooks,
      ...(policy === undefined ? {} : { policy }),
    });
    const statuses: ScheduledRun["status"][] = [];
    const lines: Promise<void>[] = [];
    const worker = scheduleWorker({
      executor,
      store: schedules,
      callMetadata: () => toContextMetadata({ ...options, ...plan }, options.policy),
      onRun: (job, run, outcome) => {
        statuses.push(run.status);
        if (outcome?.status === "interrupted") {
          const hints = formatHints(outcome.interruption, store, io.env);
          output.printMessage(`toolweave: A call waits for approval: ${hints}`);
        }
        lines.push(output.write(`${describeRun(job, run, options.json === true)}\n`));
      },
    });
    try {
      if (options.once === true) {
        const count = await rejectOnInterrupt(worker.runDue(), io.signal);
        await Promise.all(lines);
        if (options.json !== true)
          output.printMessage(`toolweave: ${formatCount(count, "call")} due.`);
        return toExitCode(statuses);
      }
      worker.start();
      output.printMessage("toolweave: Making scheduled calls when they are due. Ctrl-C ends it.");
      return await rejectOnInterrupt(new Promise<never>(() => {}), io.signal);
    } catch (error) {
      // Being stopped is how it ends.
      if (error instanceof Interrupt && options.once !== true) return exitCode.completed;
      throw error;
    } finally {
      await worker.stop();
      await executor.drain({ graceMs: 0 });
    }
  } finally {
    await registry.close();
    await store.close();
  }
}

function describeRun(job: StoredJob, run: ScheduledRun, asJson: boolean): string {
  const { id, name, tool } = job;
  const { slot, status, detail } = run;
  const planned = new Date(slot).toISOString();
  if (asJson) {
    const fields = { job: id, name, tool, slot: planned, status, detail };
    return safeJson(JSON.stringify(fields));
  }
  const title = name === undefined ? id : `${id} (${name})`;
  const reason = detail === undefined ? "" : `: ${detail}`;
  return safeLine(`${planned} ${title} ${tool} ${status}${reason}`);
}

function toExitCode(statuses: readonly ScheduledRun["status"][]): number {
  if (statuses.includes("failed") || statuses.includes("unfinished")) return exitCode.toolError;
  return statuses.includes("interrupted") ? exitCode.refused : exitCode.completed;
}
