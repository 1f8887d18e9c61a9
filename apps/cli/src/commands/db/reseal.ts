import type { PostgresStore } from "@toolweave/postgres";
import { Interrupt, rejectOnInterrupt, type CliIo } from "../../process/cli-io.ts";
import { exitCode, UsageError } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { formatJson } from "../../render/json.ts";
import { showSteps } from "../../render/progress.ts";
import { formatCount, safeLine, safeValue } from "../../render/text.ts";
import type { Problem } from "./inspect-database.ts";
import type { StoreOptions } from "../../sources/find-store.ts";
import { findDatabase } from "./place.ts";
import { useDatabase } from "./use-database.ts";

/** Processes that still seal with a former key add values meanwhile. After this number of passes they are a problem. */
const maxPasses = 5;

/** `toolweave db reseal`: seals all values with the first key, a batch after the other. */
export async function resealDatabase(
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = await findDatabase(
    options,
    io,
    output,
    "its tokens, tasks and outcomes are in files that this user alone can read, and are not sealed",
  );
  if (store.keys.length === 0) {
    throw new UsageError(
      "TOOLWEAVE_KEY is not set. Set it to the new key, and TOOLWEAVE_OLD_KEYS to the former ones, separated by spaces.",
    );
  }
  const steps = showSteps(io);
  const state: State = { resealed: 0, unreadable: 0, passes: 0, isComplete: true };
  try {
    await useDatabase(store, async (opened) => {
      // A command for stored values creates no tables.
      const { tablesVersion } = await rejectOnInterrupt(opened.inspect(), io.signal);
      if (tablesVersion === 0) return;
      do {
        await runPass(opened, state, io, steps.update);
      } while (!state.isComplete && state.passes < maxPasses);
    });
  } finally {
    steps.end();
    if (io.signal.aborted && state.resealed > 0) {
      output.printMessage(
        `toolweave: ${formatCount(state.resealed, "value")} sealed again so far. Run it again for the others.`,
      );
    }
  }
  const { resealed, unreadable, passes } = state;
  const problems = [...findProblems(state)];
  const database = store.location;
  const ok = problems.length === 0;
  if (options.json === true) {
    const result = { ok, database, resealed, unreadable, passes, problems };
    await output.write(formatJson(result, output));
  } else {
    const values = `${resealed.toLocaleString("en")} ${resealed === 1 ? "value" : "values"}`;
    await output.write(`Sealed ${values} of ${safeValue(database)} again with TOOLWEAVE_KEY.\n`);
    for (const { problem, remedy = "" } of problems) {
      await output.write(`problem: ${safeLine(problem)}\n  ${safeLine(remedy)}\n`);
    }
    if (ok && store.keys.length > 1) {
      await output.write(
        "Keep TOOLWEAVE_OLD_KEYS while a call waits that was made with a former key: `toolweave approvals list`.\n",
      );
    }
  }
  return ok ? exitCode.completed : exitCode.checkFailed;
}

interface State {
  /** Of all passes. */
  resealed: number;
  /** Of the last pass. */
  unreadable: number;
  passes: number;
  /** The last pass has found no value of another key that can be opened. */
  isComplete: boolean;
}

/** Examines all values once. */
async function runPass(
  { reseal }: PostgresStore,
  state: State,
  { signal }: CliIo,
  update: (text: string) => void,
): Promise<void> {
  const before = state.resealed;
  state.passes += 1;
  const { resealed, unreadable } = await reseal({
    onProgress({ examined, resealed: count }) {
      state.resealed = before + count;
      update(
        `Pass ${state.passes}: ${examined.toLocaleString("en")} values examined, ${state.resealed.toLocaleString("en")} sealed again …`,
      );
      // Between two batches: what is sealed again is counted.
      if (signal.aborted) throw new Interrupt();
    },
  });
  state.resealed = before + resealed;
  state.unreadable = unreadable;
  state.isComplete = resealed === 0;
}

function* findProblems({ unreadable, isComplete }: State): Generator<Problem> {
  if (unreadable > 0) {
    yield {
      problem: `No key in TOOLWEAVE_KEY and TOOLWEAVE_OLD_KEYS opens ${formatCount(unreadable, "value")}, which ${unreadable === 1 ? "is" : "are"} left as before.`,
      remedy:
        "Add the key that sealed them to TOOLWEAVE_OLD_KEYS, and run this again. If it is lost, so are they: sign in again with `toolweave login`; tasks and outcomes of durable runs expire by themselves.",
    };
  }
  if (!isComplete) {
    yield {
      problem: "Other processes still seal values with a former key.",
      remedy:
        "Restart all of them with the new key in TOOLWEAVE_KEY and the former one in TOOLWEAVE_OLD_KEYS, and run this again.",
    };
  }
}
