/**
 * More CPU milliseconds than linear work on some hundred thousand values takes on any machine (tens), and far fewer
 * than quadratic work takes (minutes).
 */
export const linearWorkMs = 5000;

/**
 * The CPU milliseconds that this thread spends until `work` is done. Other processes and threads are not counted, so
 * that the figure does not depend on how busy the machine is.
 */
export async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}
