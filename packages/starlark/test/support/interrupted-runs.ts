import { compile, hostModule, Journal, run, StarlarkError } from "../../src/index.ts";
import type { HostValue, JournalState, Program } from "../../src/index.ts";

/** A run that was interrupted: what it did, and what it saved. */
export interface InterruptedRun {
  readonly seed: number;
  readonly effects: readonly string[];
  readonly state: JournalState;
}

/** A number that depends on a seed. */
function mix(seed: number): number {
  let value = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
  value = Math.imul(value ^ (value >>> 12), 0x297a2d39);
  return (value ^ (value >>> 15)) >>> 0;
}

/** A program whose path depends on the results of its effects. */
export function effectProgram(seed: number, edit = ""): Program {
  const [rounds, modulus, branch] = [
    2 + (mix(seed) % 6),
    2 + (mix(seed + 1) % 5),
    mix(seed + 2) % 3,
  ];
  const source = `
def step(i, state):
    answer = host.ask("q%d" % i, state["total"])
    if answer["n"] % ${modulus} == ${branch}:
        state["log"].append(host.read(str(answer["n"]), tags = [i]))
    else:
        state["total"] += answer["n"]
    return [host.pick(x) for x in answer["items"] if x % 2]

def f(start):
    state = {"total": start, "log": []}
    picked = [p for i in range(${rounds}) for p in step(i, state)]
    for key in sorted(state.keys()):
        host.note(key, state[key])
    return (state, picked)${edit}
`;
  return compile(source, { file: `seed-${seed}.star`, predeclared: ["host"] });
}

/** Runs a program, up to an effect if `stopAt` is given. Returns its result, unless it was interrupted. */
export async function runEffects(
  program: Program,
  seed: number,
  options: { readonly journal?: Journal; readonly effects: string[]; readonly stopAt?: number },
): Promise<HostValue | "interrupted"> {
  const perform = (name: string) => (args: readonly HostValue[]) => {
    if (options.effects.length === options.stopAt) throw new StarlarkError("interrupted", "stop");
    options.effects.push(`${name}(${JSON.stringify(args)})`);
    const n = mix(seed * 31 + options.effects.length);
    if (name === "ask") return { n, items: [n % 5, n % 7, n % 11] };
    return name === "pick" ? n / 1000 : `${name}-${n}`;
  };
  const members = Object.fromEntries(
    ["ask", "read", "pick", "note"].map((name) => [name, perform(name)]),
  );
  try {
    const { value } = await run(program, {
      call: "f",
      args: [seed],
      predeclared: { host: hostModule("host", members) },
      ...(options.journal !== undefined && { journal: options.journal }),
    });
    return value;
  } catch (error) {
    if (error instanceof StarlarkError && error.code === "interrupted") return "interrupted";
    throw error;
  }
}

/** Interrupts the runs of some seeds, each at a random effect. */
export async function interruptRuns(from: number, to: number): Promise<InterruptedRun[]> {
  const runs: InterruptedRun[] = [];
  for (let seed = from; seed < to; seed++) {
    const program = effectProgram(seed);
    const all: string[] = [];
    await runEffects(program, seed, { effects: all });
    const effects: string[] = [];
    const journal = new Journal();
    const end = await runEffects(program, seed, {
      effects,
      journal,
      stopAt: mix(seed + 9) % all.length,
    });
    if (end !== "interrupted") throw new Error(`seed ${seed} was not interrupted`);
    runs.push({ seed, effects, state: journal.state });
  }
  return runs;
}

/** Resumes runs. Returns what went wrong. */
export async function resumeRuns(runs: readonly InterruptedRun[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { seed, effects, state } of runs) {
    const expectedEffects: string[] = [];
    const expected = await runEffects(effectProgram(seed), seed, { effects: expectedEffects });
    const all = [...effects];
    const value = await runEffects(effectProgram(seed), seed, {
      effects: all,
      journal: new Journal({ state }),
    });
    if (JSON.stringify(value) !== JSON.stringify(expected))
      faults.push(`seed ${seed}: another result`);
    if (all.join() !== expectedEffects.join()) faults.push(`seed ${seed}: other effects`);
    if (state.entries.length === 0) continue;
    const edited = effectProgram(seed, " ".repeat(1 + (seed % 3)));
    const error = await runEffects(edited, seed, {
      effects: all,
      journal: new Journal({ state }),
    }).catch((reason: unknown) => reason);
    const detected = error instanceof StarlarkError && error.code === "outcome_unknown";
    if (!detected || all.length !== expectedEffects.length)
      faults.push(`seed ${seed}: the edit was not detected`);
  }
  return faults;
}
