import type { Contender, Numbers, Prepared } from "./contender.ts";
import { toolNames } from "./tools.ts";

export type Mode = "sequential" | "together";
export const modes: readonly Mode[] = ["sequential", "together"];

/** CPU microseconds per call, one figure for each measured round. */
export type Rounds = Readonly<Record<Mode, readonly number[]>>;

const batch = 1000;
/** Rounds that are not counted: some contenders are compiled only after 100,000 calls. */
const warmUps: Readonly<Record<Mode, number>> = { sequential: 6, together: 3 };
/** The target of a round of one contender, in microseconds of CPU. */
const roundCpu = 60_000;

// Texts are created before: a caller that accepts text receives it from a model, and does not
// create it.
const texts = Array.from({ length: batch }, (_, a) => JSON.stringify({ a, b: 1 }));
const freshObject = (a: number): Numbers => ({ a, b: 1 });
const text = (a: number): string => texts[a] as string;

/** Calls one contender, and checks that every answer is the sum. */
class Driver {
  readonly prepared: Prepared;
  calls = 0;
  readonly #name: string;
  readonly #toArguments: (a: number) => unknown;

  constructor({ name }: Contender, prepared: Prepared) {
    this.#name = name;
    this.prepared = prepared;
    this.#toArguments = prepared.takes === "text" ? text : freshObject;
  }

  /** 1,000 calls, each awaited before the next. */
  async sequential(): Promise<void> {
    const { prepared } = this;
    for (let a = 0; a < batch; a++) {
      this.#check(await prepared.call(toolNames[a % 20] as string, this.#toArguments(a)), a);
    }
    this.calls += batch;
  }

  /** 1,000 calls, all begun before the first is awaited. */
  async together(): Promise<void> {
    const { prepared } = this;
    const answers: Promise<unknown>[] = [];
    for (let a = 0; a < batch; a++) {
      answers.push(prepared.call(toolNames[a % 20] as string, this.#toArguments(a)));
    }
    const all = await Promise.all(answers);
    for (let a = 0; a < batch; a++) this.#check(all[a], a);
    this.calls += batch;
  }

  /** Whether arguments of a wrong type are refused: `"1" + 2` would be "12". */
  async refuses(): Promise<boolean> {
    const wrong = { a: "1", b: 2 };
    const args = this.prepared.takes === "text" ? JSON.stringify(wrong) : wrong;
    try {
      return this.prepared.readSum(await this.prepared.call(toolNames[0] as string, args)) !== "12";
    } catch {
      return true;
    }
  }

  #check(answer: unknown, a: number): void {
    if (this.prepared.readSum(answer) === a + 1) return;
    throw new Error(`${this.#name} says ${a} + 1 is ${JSON.stringify(answer)}`);
  }
}

async function createDriver(contender: Contender): Promise<Driver> {
  const driver = new Driver(contender, await contender.prepare());
  if ((await driver.refuses()) === contender.validates) return driver;
  throw new Error(`${contender.name}: "validates: ${contender.validates}" is wrong`);
}

/** CPU of the whole process, so garbage collection and compilation in parallel count, too. */
async function cpuPerCall(driver: Driver, mode: Mode, batches: number): Promise<number> {
  // No forced collection before: it discards compiled code, and the round would measure that.
  const before = process.cpuUsage();
  for (let index = 0; index < batches; index++) await driver[mode]();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (batches * batch);
}

/**
 * Measures contenders in this process: they take turns in each round, so that other load on the
 * machine affects all of them. Slow ones make fewer calls.
 */
export async function measure(
  contenders: readonly Contender[],
  rounds: number,
): Promise<Readonly<Record<string, Rounds>>> {
  const drivers = new Map<string, Driver>();
  for (const contender of contenders) drivers.set(contender.name, await createDriver(contender));
  const figures = new Map(
    contenders.map(({ name }) => [name, { sequential: [] as number[], together: [] as number[] }]),
  );
  for (const mode of modes) {
    const batches = new Map<string, number>();
    for (let round = -warmUps[mode]; round < rounds; round++) {
      for (const [name, driver] of drivers) {
        const figure = await cpuPerCall(driver, mode, batches.get(name) ?? 1);
        if (round < 0) batches.set(name, Math.max(1, Math.round(roundCpu / (figure * batch))));
        else figures.get(name)?.[mode].push(figure);
      }
    }
  }
  for (const { calls, prepared } of drivers.values()) prepared.verify?.(calls);
  return Object.fromEntries(figures);
}
