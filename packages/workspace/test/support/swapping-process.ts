import { renameSync, symlinkSync } from "node:fs";

/** The message of the process when it has replaced the link for the first time. */
export type SwapperMessage = "ready";

/**
 * Replaces a link again and again by one to another of the targets, with pauses of random length: a process of its own, as
 * a command of a model would be. Arguments: the link, then its targets.
 */
const [link = "", ...targets] = process.argv.slice(2);
const parent = process.ppid;
const pause = new Int32Array(new SharedArrayBuffer(4));
for (let count = 0; ; count++) {
  const next = `${link}.next`;
  symlinkSync(targets[count % targets.length] as string, next);
  renameSync(next, link);
  if (count === 0) process.send?.("ready" satisfies SwapperMessage);
  const spins = Math.random() * 400;
  for (let spin = 0; spin < spins; spin++) Atomics.load(pause, 0);
  if (Math.random() < 0.02) Atomics.wait(pause, 0, 0, Math.random());
  if (process.ppid !== parent) break;
}
