import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suiteServer } from "./server.ts";
import { suiteProgram, type CheckedScenario } from "./suite.ts";

/** The results of the official suite for our gateway, in the scenarios that a revision of the protocol requires. */
export interface ServerResults {
  readonly passed: readonly string[];
  readonly failed: readonly CheckedScenario[];
  /** Of those that pass, what could be better. */
  readonly warnings: readonly CheckedScenario[];
  /** Extensions, and what came after the revision: those that pass. */
  readonly beyond: readonly string[];
}

interface Check {
  readonly status: string;
  readonly description: string;
  readonly errorMessage?: string;
}

/** Runs the suite. @param revision `2025-11-25` */
export async function serverResults(revision: string): Promise<ServerResults> {
  const server = await suiteServer();
  const folder = await mkdtemp(join(tmpdir(), "mcp-suite-"));
  try {
    const printed = await suite(server.url, revision, folder);
    const { required, results } = read(printed);
    if (results.length === 0) throw new Error(`The suite did not run:\n${printed}`);
    const scored = results.filter(({ name }) => required(name));
    const checked = (status: string, isGood: boolean): Promise<CheckedScenario[]> =>
      Promise.all(
        scored
          .filter((result) => result.isGood === isGood)
          .map(async ({ name }) => ({
            scenario: name,
            wrong: wrongOf(await checksOf(folder, name), status),
          })),
      );
    const warnings = await checked("WARNING", true);
    return {
      passed: scored.filter(({ isGood }) => isGood).map(({ name }) => name),
      failed: await checked("FAILURE", false),
      warnings: warnings.filter(({ wrong }) => wrong.length > 0),
      beyond: results
        .filter(({ isGood, name }) => isGood && !required(name))
        .map(({ name }) => name),
    };
  } finally {
    await rm(folder, { recursive: true });
    await server.close();
  }
}

interface Printed {
  readonly required: (scenario: string) => boolean;
  readonly results: readonly { readonly isGood: boolean; readonly name: string }[];
}

function read(printed: string): Printed {
  const [, summary = "", beyond = ""] =
    /(?:SUITE )?SUMMARY([^]*?)Total:[^]*?(?:Not scored([^]*))?$/.exec(printed) ?? [];
  const unscored = new Set([...beyond.matchAll(/[✓✗] (\S+) \(/g)].map(([, name = ""]) => name));
  return {
    required: (scenario) => !unscored.has(scenario),
    results: [...summary.matchAll(/([✓✗]) (\S+): /g)].map(([, mark, name = ""]) => ({
      isGood: mark === "✓",
      name,
    })),
  };
}

async function suite(url: string, revision: string, folder: string): Promise<string> {
  const options = ["--url", url, "--requirements", revision, "--output-dir", folder];
  const child = spawn(process.execPath, [suiteProgram, "server", ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  await once(child, "close");
  return printed;
}

async function checksOf(folder: string, scenario: string): Promise<readonly Check[]> {
  const entries = await readdir(folder);
  const found = entries.find(
    (entry) => /^(?:server-)?(.*)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1] === scenario,
  );
  if (found === undefined) return [];
  return JSON.parse(await readFile(join(folder, found, "checks.json"), "utf8")) as Check[];
}

function wrongOf(checks: readonly Check[], wanted: string): readonly string[] {
  return checks.flatMap(({ status, description, errorMessage }) =>
    status === wanted ? [errorMessage ?? description] : [],
  );
}
