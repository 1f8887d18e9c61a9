import { classifyCalls } from "../oracles/classify-calls.ts";
import type { Verdict } from "../oracles/oracle.ts";
import { checkNeighbours } from "./check-neighbours.ts";
import { neighbourFaults } from "./neighbour-faults.ts";
import { createSlices } from "./neighbours.ts";

// Calls the generated neighbours, and counts the verdicts of two validators and a builder of requests:
//
// node --conditions=@toolweave/source packages/openapi/corpus/neighbours/report.ts [slices]
//
// `slices`: how many eighths of the neighbours are called. Default: 8.
const slices = createSlices(8, Number(process.argv[2] ?? 8));
const write = (line: string): void => void process.stdout.write(`${line}\n`);

class Counts extends Map<string, number> {
  add(key: string, more = 1): void {
    this.set(key, (this.get(key) ?? 0) + more);
  }

  print(title: string): void {
    write(`\n${title}:`);
    for (const [key, count] of this) write(`${count}\t${key}`);
  }
}

const verdicts = new Counts();
const reasons = new Counts(neighbourFaults.map(({ id, because }) => [`${id}: ${because}`, 0]));
const obstacles = new Counts();
const unexplained: string[] = [];
for (const document of slices) {
  const checked = await checkNeighbours(document);
  const { tallies, ours, faults } = classifyCalls(
    checked,
    checked.oracles,
    undefined,
    neighbourFaults,
  );
  unexplained.push(...ours);
  verdicts.add(`${checked.document}, generated`, document.neighbours.length);
  verdicts.add(`${checked.document}, called`, checked.called);
  for (const { oracle, ...tally } of tallies) {
    for (const [verdict, count] of Object.entries<number>(tally)) {
      verdicts.add(`${checked.document}, ${oracle}: ${verdict}`, count);
    }
  }
  for (const ids of faults.values()) {
    for (const { id, because } of neighbourFaults) {
      if (ids.has(id)) reasons.add(`${id}: ${because}`);
    }
  }
  for (const call of checked.calls) {
    for (const [oracle, verdict] of Object.entries<Verdict>(call.verdicts)) {
      if ("cannot" in verdict) obstacles.add(`${oracle}: ${verdict.cannot}`);
    }
  }
}
verdicts.print("Verdicts");
reasons.print("Reasons, and how many neighbours have them");
obstacles.print("Not checked");
write(`\nWithout a reason: ${unexplained.length}`);
for (const line of unexplained) write(line);
