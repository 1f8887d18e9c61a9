import type { CliIo } from "../process/cli-io.ts";

const showDelayMs = 1000;

/**
 * Shows on the terminal what the command waits for, once that has taken a second. Without a terminal
 * nothing is printed.
 *
 * @returns takes the line away.
 */
export function showProgress(io: CliIo, message: string): () => void {
  const { stderr } = io;
  if (stderr.isTTY !== true) return () => {};
  let isShown = false;
  const timer = setTimeout(() => {
    isShown = true;
    stderr.write(message);
  }, showDelayMs);
  return () => {
    clearTimeout(timer);
    if (isShown) stderr.write("\r\u001b[2K");
  };
}

/** A progress line. */
export interface Steps {
  /** Replaces the line. */
  readonly update: (text: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** The same for what has many steps: one line that is written anew, at most ten times a second. */
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
