import type { LoadedSource, Tool } from "@toolweave/core";

const none: readonly Tool[] = [];

/** A source whose tools go while they cannot be called. */
export interface DropWhenUnavailable {
  readonly source: LoadedSource;
  /** Whether they can be called may have changed. */
  onAvailabilityChange(): void;
}

/**
 * Makes one of a source whose tools stay. They come back as they are then, all at once: not before they have been loaded
 * again.
 *
 * @param isLost the tools cannot be called.
 */
export function dropWhenUnavailable(
  whole: LoadedSource,
  isLost: () => boolean,
): DropWhenUnavailable {
  const listeners = new Set<() => void>();
  let dropped = false;

  const announce = (): void => {
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // One that throws keeps nobody from hearing it.
      }
    }
  };

  const show = (drop: boolean): void => {
    if (dropped === drop) return;
    dropped = drop;
    announce();
  };

  const back = (): void => {
    if (!isLost()) show(false);
  };

  whole.onChange(() => {
    if (!dropped) announce();
  });

  return {
    onAvailabilityChange: () => (isLost() ? show(true) : void whole.refresh().then(back, back)),
    source: {
      id: whole.id,
      ready: whole.ready,
      get problems() {
        return whole.problems;
      },
      ...(whole.trustAnnotations === undefined ? {} : { trustAnnotations: whole.trustAnnotations }),
      ...(whole.secrets === undefined ? {} : { secrets: whole.secrets }),
      tools: () => (dropped ? none : whole.tools()),
      onChange(listener) {
        const own = (): void => listener();
        listeners.add(own);
        return () => void listeners.delete(own);
      },
      refresh: () => whole.refresh(),
      close: () => whole.close(),
      [Symbol.asyncDispose]: () => whole.close(),
    },
  };
}
