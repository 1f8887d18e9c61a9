import { FakeClock } from "@toolweave/conformance/stores";
import { sqliteStore } from "@toolweave/stores";
import { describe, onTestFinished } from "vitest";
import { describeIndex } from "./support/describe-index.ts";

describe("the index in SQLite", () => {
  describeIndex(() => {
    const clock = new FakeClock();
    const store = sqliteStore({
      path: ":memory:",
      clock,
      maxArtifactBytes: 10_000,
      maxArtifactBytesPerOwner: 10_000,
    });
    onTestFinished(() => store.close());
    const { artifacts, artifactIndex: index } = store;
    return { artifacts, index, advance: (ms) => clock.advance(ms) };
  });
});
