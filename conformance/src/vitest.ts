import { afterAll, assert, describe, test } from "vitest";
import { byArea } from "./requirements/areas.ts";
import type { Manifest } from "./contract/manifest.ts";
import { describeFailure } from "./report/report.ts";
import { selectRules } from "./running/select-rules.ts";
import { Session, type ConformanceOptions } from "./running/session.ts";
import { testTitle } from "./running/test-title.ts";

export type { Manifest } from "./contract/manifest.ts";
export type { ConformanceOptions } from "./running/session.ts";

/** Sources with thousands of tools have thousands of schemas to compile. */
const timeout = 300_000;

/**
 * Registers one test per rule of the contract, grouped by what they are about. A rule that does not
 * apply says why: in its title when the manifest knows, else in an annotation.
 *
 * @throws ToolError `internal` when the manifest contradicts itself, or `only` names no rule.
 */
export function conformance(manifest: Manifest, options: ConformanceOptions = {}): void {
  const areas = byArea(selectRules(options.only));
  const session = new Session(manifest, options);
  describe(`conformance of ${manifest.name}`, () => {
    afterAll(() => session.close());
    for (const { title, items } of areas) {
      describe(`${title}`, () => {
        for (const requirement of items) {
          const name = testTitle(requirement, manifest, session);
          const says = session.notApplicable(requirement) !== undefined;
          test(`${name}`, { timeout }, async ({ annotate }) => {
            const result = await session.result(requirement);
            assert(result.status !== "failed", describeFailure(result));
            if (result.status === "not-applicable" && !says) {
              await annotate(`not applicable: ${result.message}`);
            }
          });
        }
      });
    }
  });
}
