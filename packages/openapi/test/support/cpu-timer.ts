/**
 * Counts what this process spends from here on: gives milliseconds of its CPU time, which is the same however busy the
 * machine is.
 */
export function cpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => process.cpuUsage(start).user / 1000;
}
