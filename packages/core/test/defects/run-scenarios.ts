import { later, scenarios } from "./scenarios.ts";

/**
 * Makes the calls of each scenario once for each step of the executor that they take behind a wait, and lets that step
 * throw. Prints, as JSON, the number of steps and what was violated.
 *
 * node --import ./steps.ts run-scenarios.ts [scenario…]
 */

/** Turns of the event loop, of a millisecond each, after which a call counts as one that never ends. */
const patience = 300;

const violations: string[] = [];
/** The scenario, and the step that throws. */
let current = "";
process.on("unhandledRejection", (reason) => report(`unhandled ${String(reason)}`));
process.on("uncaughtException", (error) => report(`uncaught ${String(error)}`));

function report(what: string): void {
  violations.push(`${current}: ${what}`);
  console.error(violations.at(-1));
}

async function end(name: string, promises: readonly Promise<unknown>[]): Promise<void> {
  const settled = Promise.allSettled(promises);
  const turns = async (): Promise<undefined> => {
    for (let turn = 0; turn < patience; turn++) await later();
  };
  const results = await Promise.race([settled, turns()]);
  if (results === undefined) return report("never ends");
  for (const result of results) {
    // A batch whose next call cannot even be created rejects as a whole, and cancels those before it.
    if (result.status === "rejected" && name !== "a batch") report(`rejects: ${result.reason}`);
  }
  await later();
}

const { steps } = globalThis;
const [, , ...only] = process.argv;
const places = new Set<number>();
for (const [name, prepare] of Object.entries(scenarios)) {
  if (only.length > 0 && !only.includes(name)) continue;
  current = name;
  const warmUp = await prepare();
  await end(name, warmUp()); // Loads what is loaded by the first call.
  const start = await prepare();
  const started = start();
  const reached = (steps.reached = new Set<number>());
  await end(name, started);
  steps.reached = undefined;
  for (const place of reached) {
    places.add(place);
    current = `${name}, ${steps.places[place]}`;
    const start = await prepare();
    const promises = start();
    steps.throwAt = place;
    await end(name, promises);
    steps.throwAt = undefined;
  }
}
console.log(JSON.stringify({ places: places.size, violations }));
process.exit(violations.length === 0 ? 0 : 1);
