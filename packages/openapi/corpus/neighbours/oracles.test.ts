// The verdicts of two third-party validators and of a builder of requests on the neighbours; report.ts counts them.
import { isFullRun } from "@toolweave/test-support";
import { describe, expect, test } from "vitest";
import { classifyCalls } from "../oracles/classify-calls.ts";
import { checkNeighbours } from "./check-neighbours.ts";
import { neighbourFaults } from "./neighbour-faults.ts";
import { createSlices } from "./neighbours.ts";

const slices = isFullRun ? createSlices(8, 8) : createSlices(211, 1);
const occurred = new Set<string>();

describe.each(slices)("$version", (document) => {
  test("each request is accepted, or rejected for a known reason", async () => {
    const checked = await checkNeighbours(document);
    const { ours, faults } = classifyCalls(checked, checked.oracles, undefined, neighbourFaults);
    for (const ids of faults.values()) for (const id of ids) occurred.add(id);
    // The first ones are enough to find a cause.
    expect(ours.slice(0, 20)).toEqual([]);
    const sent = document.neighbours.filter(({ wire }) => wire !== undefined);
    expect(checked.calls).toHaveLength(sent.length);
  });
});

test.runIf(isFullRun)("every reason occurs", () => {
  expect(neighbourFaults.filter(({ id }) => !occurred.has(id))).toEqual([]);
});
