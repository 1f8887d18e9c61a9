import { afterAll, assert, describe, test } from "vitest";
import { groupByArea } from "./requirements/areas.ts";
import type { Manifest } from "./contract/manifest.ts";
import { describeFailure } from "./report/report.ts";
import { selectRules, formatTestTitle } from "./session/rule-tests.ts";
import { Session, type ConformanceOptions } from "./session/session.ts";

export type { Manifest } from "./contract/manifest.ts";
export type { ConformanceOptions } from "./session/session.ts";

/**
 * Milliseconds for one rule. Sources with thousands of tools have thousands of schemas to compile,
 * which takes minutes on a busy machine. What a tool may take is limited by the session's deadlines.
 */
const timeout = 1_200_000;

/**
 * Registers one test for each rule of the contract, grouped by area. A rule that does not apply
 * is skipped with the reason, which is also in its title if the manifest knows it.
 *
 * @throws ToolError `invalid_configuration` when the manifest contradicts itself, or `only` names no rule.
 */
export function conformance(manifest: Manifest, options: ConformanceOptions = {}): void {
  const areas = groupByArea(selectRules(options.only));
  const session = new Session(manifest, options);
  describe(`conformance of ${manifest.name}`, () => {
    afterAll(() => session.close());
    for (const { title, items } of areas) {
      describe(`${title}`, () => {
        for (const requirement of items) {
          const name = formatTestTitle(requirement, manifest, session);
          test(`${name}`, { timeout }, async ({ skip }) => {
            const result = await session.result(requirement);
            if (result.status === "not-applicable") skip(result.message);
            assert(result.status !== "failed", describeFailure(result));
          });
        }
      });
    }
  });
}
