import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

interface Assertion {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly Assertion[] }[];
}

const vitest = join(
  dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))),
  "vitest.mjs",
);
const frontEnd = join(import.meta.dirname, "../src/vitest.ts");

const conditions = `{ conditions: ["@toolweave/source"] }`;
const config = `export default { resolve: ${conditions}, ssr: { resolve: ${conditions} } };`;

const broken = `
import { conformance } from ${JSON.stringify(frontEnd)};

conformance(
  {
    name: "a broken tool",
    create: () => [
      {
        spec: { name: "ping", description: "", inputSchema: { type: "object" }, annotations: { title: 7 }, provenance: { adapter: "x" } },
        invoke: () => "pong",
      },
    ],
    samples: { succeedingCalls: [{ tool: "ping", arguments: {} }] },
    without: { failingCalls: "it never fails", slowCalls: "it is quick" },
    knownFailing: { "TW-SPEC-008": "issue 12" },
  },
  { seed: 42 },
);
`;

let folder: string;
let assertions: readonly Assertion[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
  await writeFile(join(folder, "vitest.config.mjs"), config);
  await writeFile(join(folder, "broken.test.ts"), broken);
  assertions = await readAssertions(folder);
});
afterAll(() => rm(folder, { recursive: true }));

async function readAssertions(root: string): Promise<readonly Assertion[]> {
  const file = join(root, "report.json");
  const args = [vitest, "run", "--reporter=json", `--outputFile=${file}`];
  // It rejects, as it must: tests have failed.
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch(() => {});
  const report = JSON.parse(await readFile(file, "utf8")) as Report;
  return report.testResults.flatMap(({ assertionResults }) => assertionResults);
}

function find(id: string): Assertion | undefined {
  return assertions.find(({ title }) => title.startsWith(id));
}

test("a broken rule is a failed test with the problem and the replay options", () => {
  const { status, failureMessages = [] } = find("TW-SPEC-003") ?? {};
  expect(status).toBe("failed");
  expect(failureMessages.join()).toContain(
    [
      "TW-SPEC-003 (must): The description is not blank.",
      '  wrong:  "ping" has no description.',
      "  done:   Read each description (1 in all).",
      '  seen:   "ping": ',
      '  replay: { seed: 42, only: ["TW-SPEC-003"] }',
    ].join("\n"),
  );
});

test("a rule that does not apply is skipped, with the reason of the manifest in its title", () => {
  expect(find("TW-CANCEL-002")).toMatchObject({
    status: "skipped",
    title:
      "TW-CANCEL-002 A running call that is cancelled ends, and its tool stops working. [not applicable: it is quick]",
  });
});

test("a rule without its declaration is skipped", () => {
  expect(find("TW-SUSPEND-001")?.status).toBe("skipped");
});

test("missing declarations fail in one place", () => {
  expect(find("TW-MANIFEST-001")?.failureMessages.join()).toContain(
    "The manifest does not declare samples.effectCalls",
  );
});

test("a known failure passes and is marked", () => {
  expect(find("TW-SPEC-008")).toMatchObject({
    status: "passed",
    title:
      "TW-SPEC-008 Annotations have known names and the right types. [known to fail: issue 12]",
  });
});

test("fulfilled rules pass", () => {
  expect(find("TW-CALL-002")?.status).toBe("passed");
});

test("the rules are grouped by area", () => {
  const groups = assertions.map(({ ancestorTitles }) => ancestorTitles.join(" > "));
  expect(groups[0]).toBe("conformance of a broken tool > The manifest");
  expect(find("TW-NAME-001")?.ancestorTitles).toEqual([
    "conformance of a broken tool",
    "Tool names",
  ]);
});
