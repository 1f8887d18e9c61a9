#!/usr/bin/env node
import { keepCompiled } from "./process/compile-cache.ts";
import { redirectModuleOutput } from "./process/module-output.ts";
import { nodeProblem } from "./process/node-version.ts";

const problem = nodeProblem(process.version);
if (problem === undefined) {
  keepCompiled(process.env);
  const { runCli } = await import("./program.ts");
  const interrupt = new AbortController();
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(signal, () => {
      // A second Ctrl-C does not wait for the clean-up.
      if (interrupt.signal.aborted) process.exit(code);
      interrupt.abort();
    });
  }
  const { stdin, stdout, stderr, env } = process;
  redirectModuleOutput();
  const { signal } = interrupt;
  process.exitCode = await runCli(process.argv.slice(2), { stdin, stdout, stderr, env, signal });
  // Connections that are kept alive, and a terminal that was read, must not hold the process.
  await Promise.all(
    [stdout, stderr].map((stream) => new Promise((done) => stream.write("", done))),
  );
  process.exit();
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 2;
}
