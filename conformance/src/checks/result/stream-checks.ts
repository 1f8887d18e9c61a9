import type { ExecutorOptions, Tool } from "@toolweave/core";
import { createStoringExecutor } from "../../calls/large-calls.ts";
import { overrideTool, labelCalls, runSample } from "../../execution/run-sample.ts";
import { defineCheck, type Check, type CheckContext } from "../../context/check.ts";
import { formatError, notApplicable, type Finding, type Fault } from "../../contract/finding.ts";
import { checkEach } from "../../faults/check-each.ts";
import type { LargeCall } from "../../contract/manifest.ts";

/** Checks of streams. */
export const streamChecks: readonly Check[] = [
  defineCheck("TW-LARGE-004", (context) =>
    checkStreams(
      context,
      "Cancelled each streaming sample call while its stream was read",
      "continues its stream after it was cancelled: observe ctx.signal while waiting for data",
      { isCancelled: true },
    ),
  ),

  defineCheck("TW-LARGE-005", (context) =>
    checkStreams(
      context,
      "Read the beginning of each streaming sample call",
      "does not end its stream when its reader stops reading",
      { isCancelled: false },
    ),
  ),
];

interface StreamEnd {
  /** True to cancel the call; otherwise only the beginning of its output is read. */
  readonly isCancelled: boolean;
}

async function checkStreams(
  context: CheckContext,
  done: string,
  wrong: string,
  ending: StreamEnd,
): Promise<Finding> {
  const tools = (await context.createReady()).callableTools();
  const calls = labelCalls(context.samples("largeCalls"));
  let streams = 0;
  const finding = await checkEach(calls, done, async ({ call }) => {
    const controller = new AbortController();
    const watched = await runStreamingCall(context, tools, call, ending, controller);
    if (watched === undefined) return undefined;
    streams += 1;
    return findEndFault(context, watched, wrong);
  });
  return streams === 0 ? notApplicable("No large sample call returns a stream.") : finding;
}

/** Makes the call and interrupts its stream. Returns the stream, if there is one. */
async function runStreamingCall(
  context: CheckContext,
  tools: readonly Tool[],
  call: LargeCall,
  { isCancelled }: StreamEnd,
  controller: AbortController,
): Promise<ObservedStream | undefined> {
  let watched: ObservedStream | undefined;
  const watching = tools.map((tool) =>
    overrideTool(tool, {
      invoke: async (args, ctx) => {
        const returned = await tool.invoke(args, ctx);
        if (!isAsyncIterable(returned)) return returned;
        watched = observeStream(returned, isCancelled ? () => controller.abort() : undefined);
        return watched.stream;
      },
    }),
  );
  const taken = Math.max(1, Math.min(1000, Math.floor(call.bytes / 2)));
  const options: Omit<ExecutorOptions, "registry"> = isCancelled
    ? {}
    : { largeOutputs: { maxCapturedBytes: taken } };
  const executor = createStoringExecutor(watching, options);
  await runSample(context, executor, call, { signal: controller.signal });
  return watched;
}

async function findEndFault(
  context: CheckContext,
  { ended }: ObservedStream,
  wrong: string,
): Promise<Fault | undefined> {
  try {
    const { gaveMore } = await context.withDeadline(ended, "the end of the stream");
    return gaveMore
      ? { wrong: "yields more after return() of its stream", seen: "return() yielded a value" }
      : undefined;
  } catch (error) {
    return { wrong, seen: formatError(error) };
  }
}

/** A stream of a tool, with its end. */
interface ObservedStream {
  readonly stream: AsyncIterable<unknown>;
  /** Resolves when the stream has ended by itself or after `return()`. */
  readonly ended: Promise<{ readonly gaveMore: boolean }>;
}

/** True for an async iterable. Other streams have their own rules. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/**
 * Observes how a stream ends.
 *
 * @param onWait called while the reader waits for the second chunk, or for the end.
 */
export function observeStream(
  stream: AsyncIterable<unknown>,
  onWait: () => void = () => {},
): ObservedStream {
  let end: (how: { readonly gaveMore: boolean }) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const ended = new Promise<{ readonly gaveMore: boolean }>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // A reader of `ended` receives the error; the promise need not be read.
  ended.catch(() => {});
  const iterate = (): AsyncIterator<unknown> => {
    const inner = createIterator(stream);
    let asked = 0;
    return {
      async next() {
        const pending = inner.next();
        asked += 1;
        if (asked === 2) onWait();
        try {
          const step = await pending;
          if (step.done === true) end({ gaveMore: false });
          return step;
        } catch (error) {
          // A stream that throws has ended.
          end({ gaveMore: false });
          throw error;
        }
      },
      async return() {
        try {
          const step = await inner.return?.();
          end({ gaveMore: step !== undefined && step.done !== true });
        } catch (error) {
          fail(error);
        }
        return { done: true, value: undefined };
      },
    };
  };
  return { stream: { [Symbol.asyncIterator]: iterate }, ended };
}

interface Reader {
  read(): Promise<IteratorResult<unknown>>;
  cancel(): Promise<void>;
}

/** Reads and ends a stream as an executor does: with its reader, or by destroying it. */
function createIterator(stream: AsyncIterable<unknown>): AsyncIterator<unknown> {
  const loose = stream as {
    readonly getReader?: () => Reader;
    readonly pipe?: unknown;
    readonly destroy?: () => unknown;
  };
  if (typeof loose.getReader === "function") {
    const reader = loose.getReader();
    return {
      next: () => reader.read(),
      async return() {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    };
  }
  const iterator = stream[Symbol.asyncIterator]();
  if (typeof loose.pipe !== "function") return iterator;
  return {
    next: () => iterator.next(),
    async return() {
      const ended = iterator.return?.();
      // The iterator of a Node.js stream does not end while it waits for a chunk.
      loose.destroy?.();
      await ended?.catch(() => {});
      return { done: true, value: undefined };
    },
  };
}
