import type { Tool } from "@toolweave/core";
import type { LoadedSource } from "@toolweave/core/adapter";

const none: readonly Tool[] = [];

/** A source without tools while they cannot be called. */
export interface DropWhenUnavailable {
  readonly source: LoadedSource;
  /** Must be called when the tools may have become available or unavailable. */
  onAvailabilityChange(): void;
}

/**
 * Wraps a source so that its tools are dropped while they cannot be called. They return all at once, after the list
 * has been loaded again.
 *
 * @param isLost True while the tools cannot be called.
 */
export function dropWhenUnavailable(
  source: LoadedSource,
  isLost: () => boolean,
): DropWhenUnavailable {
  const listeners = new Set<() => void>();
  let dropped = false;

  const notify = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // An error of one listener does not affect the others.
      }
    }
  };

  const setDropped = (drop: boolean): void => {
    if (dropped === drop) return;
    dropped = drop;
    notify();
  };

  const restore = (): void => {
    if (!isLost()) setDropped(false);
  };

  source.onChange(() => {
    if (!dropped) notify();
  });

  return {
    onAvailabilityChange: () =>
      isLost() ? setDropped(true) : void source.refresh().then(restore, restore),
    source: {
      id: source.id,
      ready: source.ready,
      get problems() {
        return source.problems;
      },
      ...(source.trustAnnotations === undefined
        ? {}
        : { trustAnnotations: source.trustAnnotations }),
      ...(source.secrets === undefined ? {} : { secrets: source.secrets }),
      tools: () => (dropped ? none : source.tools()),
      onChange(listener) {
        const registered = (): void => listener();
        listeners.add(registered);
        return () => void listeners.delete(registered);
      },
      refresh: () => source.refresh(),
      close: () => source.close(),
      [Symbol.asyncDispose]: () => source.close(),
    },
  };
}
