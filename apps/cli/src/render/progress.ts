import type { CliIo } from "../process/cli-io.ts";

const showDelayMs = 1000;

/**
 * Prints what the command waits for, on a terminal and after one second. Without a terminal it prints nothing.
 *
 * @returns a function that removes the line.
 */
export function showProgress(io: CliIo, message: string): () => void {
  const { stderr } = io;
  if (stderr.isTTY !== true) return () => {};
  let isDisplayed = false;
  const timer = setTimeout(() => {
    isDisplayed = true;
    // A line that breaks could not be removed.
    stderr.write(message.slice(0, (stderr.columns ?? 80) - 1));
  }, showDelayMs);
  return () => {
    clearTimeout(timer);
    if (isDisplayed) stderr.write("\r\u001b[2K");
  };
}

/** A progress line. */
export interface Steps {
  /** Replaces the line. */
  readonly update: (text: string) => void;
  /** Removes the line. */
  readonly end: () => void;
}

/** Prints the progress of an operation with many steps: one line that is updated at most ten times a second. */
export function showSteps(io: CliIo): Steps {
  const { stderr } = io;
  if (stderr.isTTY !== true) return { update: () => {}, end: () => {} };
  const began = performance.now();
  let last = 0;
  return {
    update: (text) => {
      const now = performance.now();
      if (now - began < showDelayMs || now - last < 100) return;
      last = now;
      stderr.write(`\r\u001b[2K${text.slice(0, (stderr.columns ?? 80) - 1)}`);
    },
    end: () => {
      if (last > 0) stderr.write("\r\u001b[2K");
    },
  };
}
