import type { LockDifference } from "@toolweave/config";
import type { Command } from "commander";
import type { ToolOptions } from "../input/tool-options.ts";
import type { CliIo } from "../process/cli-io.ts";
import { UsageError, exitCode, exitCodesHelp } from "../process/exit-code.ts";
import type { CommandContext, Output } from "../process/output.ts";
import type { LoadedSources, SourcePlan } from "../sources/load-sources.ts";
import { lockFileHelp, sourceHelp, withToolOptions } from "./shared/options.ts";

/** The options of `toolweave lock`, and of `toolweave inspect --check`. */
export interface LockOptions extends ToolOptions {
  readonly lockFile?: string;
  readonly details?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

const lockExamples = `
Examples:
  $ toolweave lock                                  # the toolweave.json of this folder
  $ toolweave lock --config toolweave.json --details
  $ toolweave inspect --check                       # exits with 1 if a tool has changed
  $ toolweave serve --locked                        # omits changed tools

A server can change the description of a tool after you have reviewed it. Commit the lock with your
configuration, and review changes before you lock again.
`;

/** Registers `toolweave lock`. */
export function addLock(program: Command, { io, output, end }: CommandContext): void {
  withToolOptions(program.command("lock"))
    .summary("record the tools in a lock file")
    .description(
      "Writes a digest of each part of every tool (texts, schemas, hints, request), and prints what has changed since the last lock.",
    )
    .argument("[source...]", sourceHelp)
    .option("--lock-file <file>", lockFileHelp)
    .option("--details", "also write the texts and schemas, so that changes show what they were")
    .option("--json", 'print {"lock", "tools", "added": [...], "removed": [...], "changed": [...]}')
    .addHelpText(
      "after",
      lockExamples +
        exitCodesHelp({
          1: "two sources have tools of the same name; no lock was written",
          3: "the configuration in this folder is not trusted; nothing was started",
          4: "a source could not be loaded; no lock was written",
        }),
    )
    .action(async (sources: readonly string[], options: LockOptions) => {
      end(await lock({ ...options, sources }, io, output));
    });
}

/** `toolweave lock`: writes the current tools to the lock, and prints what has changed since the last time. */
async function lock(options: LockOptions, io: CliIo, output: Output): Promise<number> {
  const { planSources } = await import("../sources/load-sources.ts");
  const { readLockFile, resolveLockPath } = await import("../store/lock-file.ts");
  const plan = await planSources(options, io, output);
  const path = resolveLockPath(options.lockFile, plan);
  return withTools(plan, options, output, async ({ registry }) => {
    const { lockDifference, lockOf, writeLock } = await import("@toolweave/config");
    const { formatCount, safeValue } = await import("../render/text.ts");
    const { writeError } = await import("./shared/write-file.ts");
    const entries = [...registry.toolset().entries()];
    // What is there and no lock is not written over.
    const before = await readLockFile(path).catch((error: Error) => {
      if (/\(ENOENT\)/.test(error.message)) return undefined;
      throw error;
    });
    const { details = false } = options;
    const { ToolError } = await import("@toolweave/core");
    await writeLock(path, lockOf(entries, { details })).catch((error: unknown) => {
      throw ToolError.is(error) ? new UsageError(error.message) : writeError(path, error);
    });
    const difference = lockDifference(before ?? { version: 2, sources: {} }, entries);
    const tools = entries.length;
    if (options.json === true) await writeDifference({ lock: path, tools }, difference, output);
    else {
      if (before !== undefined) await writeLines(difference, output);
      await output.write(`${formatCount(tools, "tool")} locked in ${safeValue(path)}\n`);
    }
    return exitCode.completed;
  });
}

/** `toolweave inspect --check`: ends with 1 when a tool is not as the lock has it, and shows what has changed. */
export async function check(options: LockOptions, io: CliIo, output: Output): Promise<number> {
  const { planSources } = await import("../sources/load-sources.ts");
  const { readLockFile, resolveLockPath } = await import("../store/lock-file.ts");
  const plan = await planSources(options, io, output);
  const path = resolveLockPath(options.lockFile, plan);
  const before = await readLockFile(path);
  return withTools(plan, options, output, async ({ registry }) => {
    const { lockDifference } = await import("@toolweave/config");
    const { safeValue } = await import("../render/text.ts");
    const difference = lockDifference(before, registry.toolset().entries());
    const { added, removed, changed } = difference;
    const isSame = added.length + removed.length + changed.length === 0;
    if (options.json === true) await writeDifference({ lock: path, isSame }, difference, output);
    else if (isSame) await output.write(`All tools match ${safeValue(path)}.\n`);
    else {
      await writeLines(difference, output);
      output.printMessage(
        "toolweave: The tools differ from the lock. Review the changes, then run `toolweave lock` again.",
      );
    }
    return isSame ? exitCode.completed : exitCode.changed;
  });
}

/**
 * Only all of the tools can be locked or compared: a source that failed ends the command. Servers are shown the same
 * client as with `serve`: some offer more to one that lets them ask.
 */
async function withTools(
  plan: SourcePlan,
  { verbose = false }: LockOptions,
  output: Output,
  work: (loaded: LoadedSources) => Promise<number>,
): Promise<number> {
  const { forwardToClient } = await import("@toolweave/mcp/serve");
  const { describeError } = await import("../render/describe-error.ts");
  const loaded = await plan.load({ mcp: forwardToClient });
  const { registry, failures } = loaded;
  try {
    for (const failure of failures) output.printMessage(describeError(failure, verbose));
    if (failures.length > 0) return exitCode.sourceFailed;
    const collisions = registry.problems.filter(({ nameTakenBy }) => nameTakenBy !== undefined);
    if (collisions.length > 0) {
      const { describeCollisions } = await import("../render/tool-list.ts");
      for (const collision of describeCollisions(collisions, loaded.howToPrefix)) {
        output.printMessage(`toolweave: ${collision}`);
      }
      return exitCode.collision;
    }
    await loaded.removeBrokenTools();
    return await work(loaded);
  } finally {
    await registry.close();
  }
}

async function writeDifference(
  about: object,
  difference: LockDifference,
  output: Output,
): Promise<void> {
  const { formatJson } = await import("../render/json.ts");
  await output.write(formatJson({ ...about, ...difference }, output));
}

async function writeLines(
  { added, removed, changed }: LockDifference,
  output: Output,
): Promise<void> {
  const { describeChange } = await import("@toolweave/core/adapter");
  const { safeValue } = await import("../render/text.ts");
  for (const tool of added) await output.write(`added    ${safeValue(tool)}\n`);
  for (const tool of removed) await output.write(`removed  ${safeValue(tool)}\n`);
  for (const { tool, changes } of changed) {
    await output.write(`changed  ${safeValue(tool)}\n`);
    for (const change of changes) {
      await output.write(`           ${safeValue(describeChange(change))}\n`);
    }
  }
}
