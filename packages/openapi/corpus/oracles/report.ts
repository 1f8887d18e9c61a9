import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { documentNames, specs } from "../documents.ts";
import { classifyCalls, knownFaults, knownFaultsFile, type Tally } from "./classify-calls.ts";
import { checkDocument, getOracles } from "./check-document.ts";
import { oracleFaults } from "./oracle-faults.ts";
import { defaultSeed } from "./sample-calls.ts";
import { toolweave } from "./toolweave.ts";

// Calls every operation with the required arguments and with all arguments, and prints the verdicts
// of two validators and a builder of requests:
//
// node --conditions=@toolweave/source packages/openapi/corpus/oracles/report.ts [--most 100]
// [--record] [part of a name…]
//
// `--record` writes known-faults.json: every rejection that is explained as a fault of the oracle.
// Review the differences.
const { values, positionals } = parseArgs({
  options: { most: { type: "string" }, record: { type: "boolean" } },
  allowPositionals: true,
});
const seed = defaultSeed();
const most = Number(values.most ?? Infinity);
const known = knownFaults();
const asked = documentNames().filter(
  (name) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const recorded: Record<string, Record<string, readonly string[]>> = { ...known };
const counts = new Map<string, number>();
const ours: string[] = [];
const total = new Map<string, Tally>();
const write = (line: string): void => void process.stdout.write(`${line}\n`);

const columns = ["accepted", "not checked", "rejected: oracle", "rejected: ours"];
write(`seed ${seed}`);
write(
  row([
    "document",
    "operations",
    "calls",
    ...["prism", "openapi-backend", "swagger-client"].flatMap((oracle) =>
      columns.map((column) => `${oracle}: ${column}`),
    ),
  ]),
);
for (const document of asked) {
  const oracles = await getOracles(specs + document);
  const checked = await checkDocument(document, oracles, { contender: toolweave, seed, most });
  const names = oracles.map(({ name }) => name);
  const classified = classifyCalls(checked, names, values.record ? undefined : known[document]);
  const called = new Set(checked.calls.map(({ operation }) => operation));
  const uncalled = Object.entries(known[document] ?? {}).filter(([key]) => !called.has(key));
  const faults = [...classified.faults].map(([key, ids]) => [key, [...ids].sort()] as const);
  const all = [...uncalled, ...faults].sort(([a], [b]) => (a < b ? -1 : 1));
  if (all.length > 0) recorded[document] = Object.fromEntries(all);
  else delete recorded[document];
  for (const [, ids] of faults) for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  ours.push(...classified.ours.map((line) => `${document}: ${line}`));
  for (const call of checked.calls) {
    if (call.missing.length > 0) {
      ours.push(`${document}: ${call.operation}: not generated: ${call.missing.join(", ")}`);
    }
  }
  for (const tally of classified.tallies) add(tally);
  write(
    row([
      document,
      `${checked.called} of ${checked.operations}`,
      checked.calls.length,
      ...classified.tallies.flatMap(cells),
    ]),
  );
}
write(row(["all", "", "", ...[...total.values()].flatMap(cells)]));
write("\nFaults of the oracles, and how many operations show them:");
for (const { id, because } of oracleFaults) write(`${counts.get(id) ?? 0}\t${id}: ${because}`);
write(`\nOurs, and what could not be generated: ${ours.length}`);
for (const line of ours) write(line);
if (values.record) writeFileSync(knownFaultsFile, `${JSON.stringify(recorded, null, 2)}\n`);

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell, index) => `${cell}`.padEnd(index === 0 ? 46 : 12)).join("  ");
}

function cells({ accepted, notChecked, oracles, ours }: Tally): readonly number[] {
  return [accepted, notChecked, oracles, ours];
}

function add(tally: Tally): void {
  const sum = total.get(tally.oracle) ?? {
    oracle: tally.oracle,
    accepted: 0,
    notChecked: 0,
    oracles: 0,
    ours: 0,
  };
  sum.accepted += tally.accepted;
  sum.notChecked += tally.notChecked;
  sum.oracles += tally.oracles;
  sum.ours += tally.ours;
  total.set(tally.oracle, sum);
}
