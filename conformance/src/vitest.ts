import { afterAll, assert, describe, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { describeFailure } from "./report.ts";
import { requirements } from "./requirements.ts";
import { Session, type ConformanceOptions } from "./session.ts";

export type { Manifest } from "./manifest.ts";
export type { ConformanceOptions } from "./session.ts";

/** Sources with thousands of tools have thousands of schemas to compile. */
const timeout = 120_000;

/**
 * Registers one test per rule of the contract. A rule that does not apply says why: in its title
 * when the manifest knows, else in an annotation.
 *
 * @throws ToolError `internal` when the manifest contradicts itself.
 */
export function conformance(manifest: Manifest, options: ConformanceOptions = {}): void {
  const session = new Session(manifest, options);
  describe(`conformance of ${manifest.name}`, () => {
    afterAll(() => session.close());
    for (const requirement of requirements) {
      const { id, text } = requirement;
      const known = manifest.knownFailing?.[id];
      const reason = session.notApplicable(requirement);
      const note =
        known !== undefined
          ? ` [known to fail: ${known}]`
          : reason !== undefined
            ? ` [not applicable: ${reason}]`
            : "";
      test(`${id} ${text}${note}`, { timeout }, async ({ annotate }) => {
        const result = await session.result(requirement);
        assert(result.status !== "failed", describeFailure(result, session.seed));
        if (result.status === "not-applicable" && note === "") {
          await annotate(`not applicable: ${result.message}`);
        }
      });
    }
  });
}
