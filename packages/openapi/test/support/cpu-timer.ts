/**
 * Measures the CPU time of this process from here on, in milliseconds, which does not depend on
 * other load.
 */
export function cpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => process.cpuUsage(start).user / 1000;
}
