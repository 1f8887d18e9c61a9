import { catchToolError, FakeClock } from "@toolweave/conformance/stores";
import { sqliteStore } from "@toolweave/stores";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeIndex } from "./support/describe-index.ts";
import { testArtifact } from "./support/test-artifact.ts";

function open(maxArtifactBytes: number) {
  const clock = new FakeClock();
  const store = sqliteStore({
    path: ":memory:",
    clock,
    maxArtifactBytes,
    maxArtifactBytesPerOwner: maxArtifactBytes,
  });
  onTestFinished(() => store.close());
  return { clock, store };
}

describe("the index in SQLite", () => {
  describeIndex(() => {
    const { clock, store } = open(10_000);
    return { index: store.artifactIndex, advance: (ms) => clock.advance(ms) };
  });

  test("shares its quota with the artifacts in the file", async () => {
    const { store } = open(3_000);
    const [first, second] = [testArtifact(1, 1_500), testArtifact(2, 1_500)];
    await store.artifacts.put(first.artifact, first.data);
    const reserve = () => store.artifactIndex.reserve(second.artifact, "place", 1_000);
    expect((await catchToolError(reserve)).code).toBe("limit_exceeded");
    await store.artifacts.delete(first.artifact.key);
    await reserve();
    const put = () => store.artifacts.put(first.artifact, first.data);
    expect((await catchToolError(put)).code).toBe("limit_exceeded");
  });
});
