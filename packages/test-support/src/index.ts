export { brokenLine, writeBrokenProject } from "./broken-project.ts";
export {
  startPostgresProxy,
  type PostgresProxy,
  type ProxyCounts,
  type ProxyDirection,
} from "./postgres-proxy.ts";
export { resetSocket } from "./reset-socket.ts";
export { differingCharacters, recordWrites, type RecordedWrites } from "./recorded-writes.ts";

const folder = process.env["NODE_COMPILE_CACHE"];

/**
 * Environment variables for programs that are started often: Node.js caches compiled code, so that every start after the
 * first one takes half the time. Servers of `mcpSource` inherit only few variables, so they need this one explicitly.
 */
export const compileCache: Readonly<Record<string, string>> =
  folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };

/**
 * A limit of CPU milliseconds that linear work on some hundred thousand values never reaches (it takes tens), and that
 * quadratic work always exceeds (it takes minutes).
 */
export const linearWorkMs = 5000;

/**
 * Measures the CPU milliseconds that this thread spends until `work` has ended. Other processes and threads do not
 * count, so that the result does not depend on the load of the machine.
 */
export async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const start = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

/**
 * True in a full run (`pnpm test:full`) with complete matrices, thousands of seeds and real sizes. A quick run
 * (`pnpm test`) uses samples of them. Set by `TOOLWEAVE_FULL=1`.
 */
export const isFullRun: boolean = process.env["TOOLWEAVE_FULL"] === "1";

/** Returns `full` in a full run, otherwise `quick`. */
export function inFullRun<Value>(full: Value, quick: Value): Value {
  return isFullRun ? full : quick;
}
