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

/** A server that the suite is run against. */
interface TestedServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Runs the suite.
 *
 * @param revision `2025-11-25`
 * @param start Starts the server. Default: one gateway.
 */
export async function serverResults(
  revision: string,
  start: () => Promise<TestedServer> = suiteServer,
): Promise<ServerResults> {
  const server = await start();
  const folder = await mkdtemp(join(tmpdir(), "mcp-suite-"));
  try {
    const { printed } = await runSuite(server.url, ["--requirements", revision], folder);
    const { required, results } = read(printed);
    if (results.length === 0) throw new Error(`The suite did not run:\n${printed}`);
    const scored = results.filter(({ name }) => required(name));
    const checked = (status: string, isGood: boolean): Promise<CheckedScenario[]> =>
      Promise.all(
        scored
          .filter((result) => result.isGood === isGood)
          .map(async ({ name }) => ({
            scenario: name,
            wrong: findMismatches(await readChecks(folder, name), status),
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

/** Runs one scenario; `undefined`: it passes, else what the suite has printed. */
export async function scenarioFailure(
  url: string,
  revision: string,
  scenario: string,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-suite-"));
  try {
    const options = ["--scenario", scenario, "--spec-version", revision];
    const { printed, code } = await runSuite(url, options, folder);
    return code === 0 ? undefined : printed;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runSuite(
  url: string,
  options: readonly string[],
  folder: string,
): Promise<{ readonly printed: string; readonly code: number | null }> {
  const args = [suiteProgram, "server", "--url", url, ...options, "--output-dir", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { printed, code };
}

async function readChecks(folder: string, scenario: string): Promise<readonly Check[]> {
  const entries = await readdir(folder);
  const found = entries.find(
    (entry) => /^(?:server-)?(.*)-\d{4}-\d\d-\d\dT/.exec(entry)?.[1] === scenario,
  );
  if (found === undefined) return [];
  return JSON.parse(await readFile(join(folder, found, "checks.json"), "utf8")) as Check[];
}

function findMismatches(checks: readonly Check[], wanted: string): readonly string[] {
  return checks.flatMap(({ status, description, errorMessage }) =>
    status === wanted ? [errorMessage ?? description] : [],
  );
}
