import { inFullRun, isFullRun } from "@toolweave/test-support";
import { sqliteStore } from "@toolweave/stores";
import { FakeClock } from "@toolweave/conformance/stores";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everyFault, largeSize, smallSize, type FaultyRun } from "./support/every-fault.ts";
import { indexFaults } from "./support/faulty-index.ts";
import { S3Server, s3Faults } from "./support/s3-server.ts";

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server.stop());

/** An index in SQLite, which each case begins anew. */
function newIndex(): FaultyRun["rows"] {
  const clock = new FakeClock();
  const store = sqliteStore({ path: ":memory:", clock });
  return {
    index: store.artifactIndex,
    advance: (ms) => clock.advance(ms),
    close: () => store.close(),
  };
}

const none = { broken: [], hasEnoughCases: true };

test("a fault of any request changes no artifact, and leaves no object without a row", async () => {
  const kinds = s3Faults.flatMap((kind) => [
    { kind, persists: false },
    { kind, persists: true },
  ]);
  const faults = kinds.filter(({ kind, persists }) => isFullRun || persists === (kind === "busy"));
  const matrix = { faults, indexFaults: [], sample: inFullRun(1, 6) };
  expect(await everyFault(server, newIndex, matrix)).toEqual(none);
});

test("a fault of any statement of the index changes no artifact, and leaves no object without a row", async () => {
  const faults = indexFaults.flatMap((kind) => [
    { kind, persists: false },
    { kind, persists: true },
  ]);
  const matrix = { faults: [], indexFaults: faults, sample: inFullRun(1, 2) };
  expect(await everyFault(server, newIndex, matrix)).toEqual(none);
});

test.runIf(isFullRun).each([smallSize, largeSize])(
  "a fault of any request together with one of any statement, for an artifact of %d bytes",
  async (size) => {
    const result = await everyFault(server, newIndex, {
      faults: s3Faults.map((kind) => ({ kind, persists: false })),
      indexFaults: indexFaults.map((kind) => ({ kind, persists: true })),
      areCombined: true,
      artifactSizes: [size],
    });
    expect(result).toEqual(none);
  },
);
