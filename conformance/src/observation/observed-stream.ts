/** A stream of a tool, with its end. */
export interface ObservedStream {
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
