/** A stream of a tool's, and what becomes of it. */
export interface WatchedStream {
  readonly stream: AsyncIterable<unknown>;
  /** Resolves when it has ended, or was told to end and did: with what it gave then. */
  readonly ended: Promise<{ readonly gaveMore: boolean }>;
}

/** True for an async iterable: other streams end by their own rules. */
export function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

/**
 * Watches how a stream ends.
 *
 * @param onWait called while its second piece is waited for, or its end.
 */
export function watchedStream(
  stream: AsyncIterable<unknown>,
  onWait: () => void = () => {},
): WatchedStream {
  let end: (how: { readonly gaveMore: boolean }) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const ended = new Promise<{ readonly gaveMore: boolean }>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  // Whoever waits for it is told; nobody needs to.
  ended.catch(() => {});
  const iterate = (): AsyncIterator<unknown> => {
    const inner = iteratorOf(stream);
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
          // A stream that breaks off has ended.
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

/** Reads and ends a stream the way an executor does: by its reader, or by destroying it. */
function iteratorOf(stream: AsyncIterable<unknown>): AsyncIterator<unknown> {
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
      // The iterator of one of Node's streams does not end while it waits for a piece.
      loose.destroy?.();
      await ended?.catch(() => {});
      return { done: true, value: undefined };
    },
  };
}
