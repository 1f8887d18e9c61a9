import { displayLine, displayProse, type ApprovalRequest } from "@toolweave/core";

import { printable } from "./printable.ts";
import type { Style, Terminal } from "./terminal.ts";

/** Prints a text after its name; further lines are below the first one. */
export function printField(terminal: Terminal, name: string, text: string, style?: Style): void {
  const [first = "", ...more] = printable(text).split("\n");
  const label = terminal.paint("dim", name.padEnd(8));
  terminal.line(`   ${label} ${style === undefined ? first : terminal.paint(style, first)}`);
  for (const line of more) terminal.line(`            ${line}`);
}

/** Prints the request to a person, and its reason. */
export function printRequest(
  terminal: Terminal,
  { permission, description, reason }: ApprovalRequest,
): void {
  const { kind, target, summary } = permission;
  const what = `${displayProse(summary)} [${displayLine(kind)} ${displayLine(target)}]`;
  printField(terminal, "asks", what);
  if (description !== undefined) printField(terminal, "source", `“${displayProse(description)}”`);
  printField(terminal, "because", displayProse(reason));
}
