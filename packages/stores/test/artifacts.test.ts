import { join } from "node:path";
import { catchToolError } from "@toolweave/conformance/stores";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";
import { fileArtifacts } from "../src/index.ts";
import { openStore } from "./support/open-store.ts";

test.each([["fileArtifacts"], ["sqliteStore"]])("%s refuses an invalid quota", async (name) => {
  for (const maxBytes of [-1, Number.NaN, "1 GB"] as number[]) {
    const error = await catchToolError(() =>
      name === "fileArtifacts"
        ? fileArtifacts({ path: join(tempFolder(), "a"), maxBytes })
        : openStore({ path: ":memory:", maxArtifactBytes: maxBytes }),
    );
    expect(error.code).toBe("invalid_configuration");
  }
});
