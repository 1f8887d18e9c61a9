import { AssertionError } from "node:assert";

import { ToolError } from "@toolweave/core";

import { runDemo } from "./demo.ts";
import { showDocument } from "./show-document.ts";
import { stdoutTerminal } from "./terminal.ts";

const usage = `Usage: npx -y pnpm@12 start [openapi url or file]

Without an argument: a tour of the pipeline with an API of its own.
With one: the tools of that API, and how to call one.`;

/** Runs the command; answers with its exit code: 0 done, 1 not as expected, 2 usage, 4 no document. */
async function start(args: readonly string[]): Promise<number> {
  const terminal = stdoutTerminal();
  const [document] = args;
  if (document === "--help" || document === "-h") {
    terminal.line(usage);
    return 0;
  }
  if (args.length > 1 || document?.startsWith("-") === true) {
    complain(usage);
    return 2;
  }
  if (document === undefined) {
    await runDemo(terminal);
    return 0;
  }
  try {
    await showDocument(terminal, document);
    return 0;
  } catch (error) {
    if (!ToolError.is(error)) throw error;
    complain(error.message);
    return 4;
  }
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  process.exitCode = await start(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof AssertionError)) throw error;
  complain(`This step did not come out as expected: ${error.message}`);
  process.exitCode = 1;
}
