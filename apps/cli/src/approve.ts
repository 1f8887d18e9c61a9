import { createInterface } from "node:readline/promises";
import type { Approver, Ask } from "@toolweave/core";
import type { CliIo } from "./cli-io.ts";
import { safeJson, safeLine, safeText } from "./safe-text.ts";

/** True when a person is there to be asked: one who reads stderr and types into stdin. */
export function canAsk({ stdin, stderr }: CliIo): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Shows a person what a call is about to do and takes their answer. Anything but a yes is a no. */
export function askingApprover(io: CliIo): Approver {
  return async (ask) => {
    io.stderr.write(describeAsk(ask));
    // A terminal in cooked mode: Ctrl-C stays the process's own.
    const lines = createInterface({ input: io.stdin, output: io.stderr, terminal: false });
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("\n")));
    try {
      const answer = lines.question("Run it? [y/N] ", { signal: io.signal });
      const typed = await Promise.race([answer, ended]);
      // Ctrl-D leaves the cursor behind the question.
      if (typed === "\n") io.stderr.write(typed);
      return /^\s*y(?:es)?\s*$/i.test(typed) ? { approved: true } : { approved: false };
    } finally {
      lines.close();
    }
  };
}

function describeAsk({ spec, arguments: args, requests }: Ask): string {
  const lines = [`${spec.name} needs your approval:`];
  for (const { permission, reason } of requests) {
    const { kind, target, summary } = permission;
    // A request's target is its method and URL: nothing says it better.
    lines.push(
      kind === "network" ? safeLine(target) : `${safeLine(summary)} (${kind}: ${safeLine(target)})`,
    );
    lines.push(reason);
  }
  lines.push(`arguments ${safeJson(JSON.stringify(args, null, 2))}`);
  const [first = "", ...rest] = lines;
  return `${safeText([first, ...rest.map(indented)].join("\n"))}\n`;
}

function indented(line: string): string {
  return `  ${line.replaceAll("\n", "\n  ")}`;
}
