import { expect, test } from "vitest";
import { ToolExecutor, ToolRegistry } from "../../src/index.ts";
import { memoryArtifacts } from "../../src/stores.ts";

test("a host reads an artifact of any owner, with its owner and its times", async () => {
  const artifacts = memoryArtifacts();
  const executor = new ToolExecutor({ registry: new ToolRegistry([]), artifacts });
  const now = Date.now();
  const stored = {
    ...{ key: `art_${"1".repeat(32)}`, owner: '["s","ada"]', mediaType: "text/plain", size: 5 },
    ...{ createdAt: now, expiresAt: now + 10_000 },
  };
  await artifacts.put(stored, new TextEncoder().encode("hello"));
  const found = await executor.artifacts.find(stored.key);
  expect(found).toEqual(stored);
  const part = await executor.artifacts.read(found, 1, 3);
  expect(new TextDecoder().decode(part)).toBe("ell");
  for (const key of ["x", `art_${"2".repeat(32)}`]) {
    await expect(executor.artifacts.find(key)).rejects.toMatchObject({ code: "artifact_missing" });
  }
});
