import type { CliIo } from "./cli-io.ts";

const patienceMs = 1000;

/**
 * Says on the terminal what is being waited for, once that has taken a second. Without a terminal
 * nothing is said.
 *
 * @returns takes the line away.
 */
export function showProgress(io: CliIo, message: string): () => void {
  const { stderr } = io;
  if (stderr.isTTY !== true) return () => {};
  let shown = false;
  const timer = setTimeout(() => {
    shown = true;
    stderr.write(message);
  }, patienceMs);
  return () => {
    clearTimeout(timer);
    if (shown) stderr.write("\r\u001b[2K");
  };
}
