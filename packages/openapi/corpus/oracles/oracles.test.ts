// The verdicts of two third-party validators and of a builder of requests on generated calls; report.ts has all of them.
import type { JsonObject } from "@toolweave/core";
import { describe, expect, test } from "vitest";
import { inFullRun, isFullRun } from "@toolweave/test-support";
import { allDocumentNames, documentNames, specs } from "../documents.ts";
import { classifyCalls, knownFaults } from "./classify-calls.ts";
import { checkDocument, getOracles } from "./check-document.ts";
import { oracleFaults } from "./oracle-faults.ts";
import { defaultSeed } from "./sample-calls.ts";
import { toolweave } from "./toolweave.ts";
import { refusedCalls } from "./refused-calls.ts";

const seed = defaultSeed();
const most = inFullRun(100, 30);

const known = knownFaults();
const names = documentNames();
const all = allDocumentNames();

test("only documents of the corpus and faults that are explained are recorded", () => {
  expect(all).toHaveLength(40);
  expect(Object.keys(known).filter((name) => !all.includes(name))).toEqual([]);
  const ids = new Set(oracleFaults.map(({ id }) => id));
  const recorded = Object.values(known).flatMap((operations) => Object.values(operations).flat());
  expect(recorded.filter((id) => !ids.has(id))).toEqual([]);
  expect([...ids].filter((id) => !recorded.includes(id))).toEqual([]);
});

describe.each(names)("%s", (document) => {
  test("every request is accepted, or rejected by a recorded fault of the oracle", async () => {
    const oracles = await getOracles(specs + document);
    const checked = await checkDocument(document, oracles, { contender: toolweave, seed, most });
    const excuses = known[document] ?? {};
    const judgeNames = oracles.map(({ name }) => name);
    const { ours, faults, tallies } = classifyCalls(checked, judgeNames, excuses);
    const rightly = refusedCalls[document] ?? [];
    expect(ours.filter((line) => !rightly.some((start) => line.startsWith(start)))).toEqual([]);
    // Prism has checked every one.
    expect(tallies[0]?.notChecked).toBe(0);
    if (seed !== 1 || !isFullRun) return;
    expect(rightly.filter((start) => !ours.some((line) => line.startsWith(start)))).toEqual([]);
    // Faults that no longer occur are removed.
    const called = new Set(checked.calls.map(({ operation }) => operation));
    const needless = Object.entries(excuses)
      .filter(([operation]) => called.has(operation))
      .flatMap(([operation, ids]) =>
        ids.filter((id) => faults.get(operation)?.has(id) !== true).map((id) => [operation, id]),
      );
    expect(needless).toEqual([]);
  });
});

test("an oracle rejects a damaged request", async () => {
  const document = "redocly-museum-3.1.yaml";
  const oracles = await getOracles(specs + document);
  const { calls } = await checkDocument(document, oracles, { contender: toolweave, seed, most });
  const bought = calls.find(({ operation }) => operation === "POST /tickets")?.request;
  if (bought === undefined) throw new Error("no tickets were bought");
  const values = { parameters: [], body: JSON.parse(bought.body.toString()) as JsonObject };
  for (const oracle of oracles) {
    const verdict = await oracle.check(
      "POST",
      "/tickets",
      { ...bought, body: Buffer.from("{}") },
      values,
    );
    expect(verdict).not.toEqual([]);
    expect(verdict).not.toHaveProperty("cannot");
  }
});
