import { AssertionError } from "node:assert";
import { constants } from "node:os";

import { ToolError } from "@toolweave/core";

import { runDemo } from "./demo.ts";
import { printable } from "./printable.ts";
import { showDocument } from "./show-document.ts";
import { stdoutTerminal, type Terminal } from "./terminal.ts";

const usage = `Usage: npx -y pnpm@12 start [openapi url or file]

Without an argument: a tour with an API, an MCP server and an agent of its own. The agent's model
is a script; with OPENAI_API_KEY it is a real one (OPENAI_BASE_URL, OPENAI_MODEL).
With one: the tools of that API, and how to call one.`;

/**
 * Runs the command; answers with its exit code: 0 done, 1 not as expected, 2 usage, 4 no document,
 * 128 and a signal's number when that has ended the tour.
 */
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
    return await tour(terminal);
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

/** SIGPIPE, which not every system has. */
const brokenPipe = 13;

/** The tour. Ctrl-C, a closed terminal and a reader that closes the pipe end it in good order. */
async function tour(terminal: Terminal): Promise<number> {
  const stop = new AbortController();
  let code = 0;
  const end = (number: number): void => {
    if (code === 0) code = 128 + number;
    stop.abort();
  };
  // One Ctrl-C may cause several signals: the terminal sends one, and the parent process may send
  // more.
  for (const name of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
    process.on(name, () => end(constants.signals[name]));
  }
  process.stdout.on("error", () => end(brokenPipe));
  try {
    const seat = { input: process.stdin, output: process.stdout };
    await runDemo(terminal, seat, stop.signal);
  } catch (error) {
    if (!stop.signal.aborted || error !== stop.signal.reason) throw error;
  }
  return code;
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

try {
  process.exitCode = await start(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof AssertionError)) throw error;
  complain(`This step did not come out as expected: ${printable(error.message)}`);
  process.exitCode = 1;
}
