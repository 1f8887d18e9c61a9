import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { suiteProgram, type CheckedScenario } from "./suite.ts";

/** The results of the official suite for our client, in the scenarios that a revision of the protocol requires. */
export interface ClientResults {
  readonly passed: readonly string[];
  readonly failed: readonly CheckedScenario[];
}

const run = promisify(execFile);

/** Milliseconds for one scenario, on a machine that may have other work. */
const timeoutMs = 60_000;

/** Scenarios at once: the suite's own way, all of them, starves their servers. */
const maxConcurrent = 4;

const client = `${process.execPath} --conditions=@toolweave/source ${fileURLToPath(new URL("./client.ts", import.meta.url))}`;

/** Runs the suite. @param revision `2025-11-25` */
export async function clientResults(revision: string): Promise<ClientResults> {
  const waiting = await listScenarios(revision);
  const passed: string[] = [];
  const failed: CheckedScenario[] = [];
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      const wrong = await findFaults(scenario, revision);
      if (wrong === undefined) passed.push(scenario);
      else failed.push({ scenario, wrong });
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
  return { passed: passed.toSorted(), failed };
}

async function listScenarios(revision: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [
    suiteProgram,
    "list",
    "--requirements",
    revision,
  ]);
  const [, list = ""] = /Client scenarios[^\n]*\n([^]*?)(?:\n\n|$)/.exec(stdout) ?? [];
  const scenarios = [...list.matchAll(/^ +- (\S+)/gm)].map(([, name = ""]) => name);
  if (scenarios.length === 0) throw new Error(`The suite lists nothing for clients:\n${stdout}`);
  return scenarios;
}

/** The error; `undefined`: none. */
async function findFaults(
  scenario: string,
  revision: string,
): Promise<readonly string[] | undefined> {
  const chosen = ["--scenario", scenario, "--spec-version", revision];
  const args = [
    suiteProgram,
    "client",
    "--command",
    client,
    ...chosen,
    "--timeout",
    String(timeoutMs),
  ];
  try {
    const { stdout } = await run(process.execPath, args, { cwd: tmpdir(), maxBuffer: 2 ** 26 });
    // A scenario that does not belong to the revision is skipped, which is no success.
    return /SKIPPED/.test(stdout) ? ["it was skipped"] : undefined;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    const lines = stripVTControlCharacters(`${stdout}\n${stderr}`).split("\n");
    return lines.filter((line) => /FAILURE|WARNING|^ *(?:Error|Stderr)|: /.test(line)).slice(-20);
  }
}
