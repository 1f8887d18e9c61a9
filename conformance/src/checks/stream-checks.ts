import type { ExecutorOptions, Tool } from "@toolweave/core";
import { storingExecutor } from "../calling/large-calls.ts";
import { around, labelled, runSample } from "../execution/sample-run.ts";
import { check, type Check, type CheckContext } from "../context/check.ts";
import { messageOf, notApplicable, type Finding } from "../contract/finding.ts";
import { checkEach, type Fault } from "../reading/check-each.ts";
import type { LargeCall } from "../contract/manifest.ts";
import { isIterable, watchedStream, type WatchedStream } from "../watching/watched-stream.ts";

/** How a call whose output is a stream comes to its end. */
export const streamChecks: readonly Check[] = [
  check("TW-LARGE-004", (context) =>
    lookAtStreams(
      context,
      "Cancelled each sample call that streams while it was read",
      "goes on with its stream after it was cancelled: a reader that waits has to watch ctx.signal",
      { isCancelled: true },
    ),
  ),

  check("TW-LARGE-005", (context) =>
    lookAtStreams(
      context,
      "Took the beginning of each sample call that streams",
      "does not end its stream when no more of it is wanted",
      { isCancelled: false },
    ),
  ),
];

interface Ending {
  /** The call is cancelled; else no more is taken of its output than the beginning. */
  readonly isCancelled: boolean;
}

async function lookAtStreams(
  context: CheckContext,
  done: string,
  wrong: string,
  ending: Ending,
): Promise<Finding> {
  const tools = (await context.fresh()).callable();
  const calls = labelled(context.samples("largeCalls"));
  let streams = 0;
  const finding = await checkEach(calls, done, async ({ call }) => {
    const controller = new AbortController();
    const watched = await run(context, tools, call, ending, controller);
    if (watched === undefined) return undefined;
    streams += 1;
    return endFault(context, watched, wrong);
  });
  return streams === 0 ? notApplicable("No large sample call answers with a stream.") : finding;
}

/** Makes the call and breaks it off; gives the stream that it answered with. */
async function run(
  context: CheckContext,
  tools: readonly Tool[],
  call: LargeCall,
  { isCancelled }: Ending,
  controller: AbortController,
): Promise<WatchedStream | undefined> {
  let watched: WatchedStream | undefined;
  const watching = tools.map((tool) =>
    around(tool, {
      invoke: async (args, ctx) => {
        const returned = await tool.invoke(args, ctx);
        if (!isIterable(returned)) return returned;
        watched = watchedStream(returned, isCancelled ? () => controller.abort() : undefined);
        return watched.stream;
      },
    }),
  );
  const taken = Math.max(1, Math.min(1000, Math.floor(call.bytes / 2)));
  const options: Omit<ExecutorOptions, "registry"> = isCancelled
    ? {}
    : { largeOutputs: { maxCapturedBytes: taken } };
  const executor = storingExecutor(watching, options);
  await runSample(context, executor, call, { signal: controller.signal });
  return watched;
}

async function endFault(
  context: CheckContext,
  { ended }: WatchedStream,
  wrong: string,
): Promise<Fault | undefined> {
  try {
    const { gaveMore } = await context.within(ended, "the end of the stream");
    return gaveMore
      ? { wrong: "gives more when its stream is told to end", seen: "return() gave a value" }
      : undefined;
  } catch (error) {
    return { wrong, seen: messageOf(error) };
  }
}
