import type { Caller } from "./callers.ts";

/** The request of the parent: the number of calls, and how many of them at once. */
export interface Round {
  readonly concurrency: number;
  readonly calls: number;
}

// One contender, in a child process:
//
// node child.ts callers.ts name [url]
const [script = "", name = "", url] = process.argv.slice(2);
// Peers write to the console.
for (const method of ["log", "info", "warn", "error", "debug"] as const) console[method] = () => {};

const { callers } = (await import(new URL(script, import.meta.url).href)) as {
  readonly callers: Readonly<Record<string, (url: string | undefined) => Promise<Caller>>>;
};
const call = await callers[name]?.(url);
if (call === undefined) throw new Error(`no contender ${name}`);
process.on("message", (round: Round) => {
  run(round).then(
    (costs) => process.send?.(costs),
    (error: unknown) => process.send?.({ error: String(error).slice(0, 300) }),
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ ready: true });

/** Microseconds of a call, on average: of time, and of the client's CPU. */
export interface Costs {
  readonly wall: number;
  readonly cpu: number;
}

async function run({ concurrency, calls }: Round): Promise<Costs> {
  let made = 0;
  const lane = async (): Promise<void> => {
    while (made < calls) {
      const text = `text ${(made += 1)}`;
      const answer = await call?.(text);
      if (answer !== text) throw new Error(`${text} came back as ${JSON.stringify(answer)}`);
    }
  };
  const begun = performance.now();
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const { user, system } = process.cpuUsage(before);
  return { wall: ((performance.now() - begun) * 1_000) / calls, cpu: (user + system) / calls };
}
