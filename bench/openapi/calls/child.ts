import { callers, type Caller } from "./callers.ts";
import { tasks } from "./tasks.ts";

/** The request of the parent: the number of calls, and how many of them at once. */
export interface Round {
  readonly task: string;
  readonly concurrency: number;
  readonly calls: number;
}

// One contender, in a child process:
//
// node child.ts name origin folder
const [name = "", origin = "", folder = ""] = process.argv.slice(2);
// Peers write to the console.
for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {};

const prepared = new Map<string, Caller>();
for (const task of tasks) {
  const caller = await callers[name]?.(task, origin, folder);
  if (caller === undefined) throw new Error(`no contender ${name}`);
  prepared.set(task.name, caller);
}
process.on("message", (round: Round) => {
  run(round).then(
    (cpu) => process.send?.({ cpu }),
    (error: unknown) => process.send?.({ error: String(error).slice(0, 300) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });

/**
 * Microseconds of CPU for each call; of the whole process, so that garbage collection and
 * compilation count.
 */
async function run({ task, concurrency, calls }: Round): Promise<number> {
  const call = prepared.get(task) as Caller;
  let made = 0;
  const lane = async (): Promise<void> => {
    while (made < calls) await call(++made);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}
