import { AssertionError } from "node:assert";
import { after, describe, it } from "node:test";
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
 * Registers one test per rule of the contract with Node's own test runner, grouped by what they are
 * about. A rule that does not apply is skipped with the reason.
 *
 * @throws ToolError `internal` when the manifest contradicts itself, or `only` names no rule.
 */
export function conformance(manifest: Manifest, options: ConformanceOptions = {}): void {
  const areas = byArea(selectRules(options.only));
  const session = new Session(manifest, options);
  void describe(`conformance of ${manifest.name}`, () => {
    after(() => session.close());
    for (const { title, items } of areas) {
      void describe(title, () => {
        for (const requirement of items) {
          void it(testTitle(requirement, manifest, session), { timeout }, async (test) => {
            const result = await session.result(requirement);
            if (result.status === "not-applicable") test.skip(result.message);
            if (result.status === "failed") {
              // Without the frames of the kit: they say nothing about what is wrong.
              throw new AssertionError({ message: describeFailure(result), stackStartFn: it });
            }
          });
        }
      });
    }
  });
}
