import {
  displayJson,
  displayLine,
  displayProse,
  type Approver,
  type ApprovalQuestion,
  type ApprovalDecision,
  type ToolAnnotations,
} from "@toolweave/core";

import { LineReader, type Terminal } from "./line-reader.ts";
import { labelled } from "./printable.ts";

/** A person at a terminal who decides which calls run. */
export interface TerminalApprover {
  /** For the executor's option `onAsk`. */
  readonly approve: Approver;
  /** Every request from now on is rejected. */
  close(): void;
}

/**
 * Asks at a terminal, one call at a time. Only an explicit yes approves: a closed terminal, Ctrl-C
 * and Ctrl-D are a no.
 *
 * @param by the person's name.
 */
export function terminalApprover(terminal: Terminal, by: string): TerminalApprover {
  const reader = new LineReader(terminal);
  let previous: Promise<unknown> = Promise.resolve();
  return {
    approve: (ask) => {
      const answer = previous.then(() => decide(ask, reader, terminal, by));
      previous = answer.catch(() => {});
      return answer;
    },
    close: () => reader.close(),
  };
}

const terminalClosed: ApprovalDecision = { approved: false, reason: "The terminal was closed." };

async function decide(
  ask: ApprovalQuestion,
  reader: LineReader,
  { output }: Terminal,
  by: string,
): Promise<ApprovalDecision> {
  if (reader.ended) return terminalClosed;
  // A call that the policy asks about every time cannot be remembered.
  const rememberable = ask.requests.every(({ grant }) => grant !== undefined);
  output.write(`\n${describeAsk(ask, rememberable)}\n`);
  const choices = rememberable ? "[y]es once, [s]ession, [a]lways, [n]o" : "[y]es once, [n]o";
  for (;;) {
    const choice = await reader.ask(`${choices} > `, ask.signal);
    switch (choice?.trim().toLowerCase()) {
      case undefined:
        return terminalClosed;
      case "y":
        return { approved: true, by };
      case "s":
        if (rememberable) return { approved: true, by, grant: "session" };
        break;
      case "a":
        if (rememberable) return { approved: true, by, grant: "always" };
        break;
      case "n": {
        const reason = await reader.ask("why, for the model (may be empty) > ", ask.signal);
        return { approved: false, by, reason: reason ?? "" };
      }
    }
  }
}

/** Everything that a person needs, in lines that a model cannot forge. */
function describeAsk(
  { spec, arguments: args, requests }: ApprovalQuestion,
  rememberable: boolean,
): string {
  const lines = [labelled("---", `${displayLine(spec.name)} needs your approval`)];
  const field = (name: string, text: string): void => {
    lines.push(labelled(`  ${name.padEnd(10)}`, text));
  };
  // Values and prose are one line each: only the arguments have several lines, which are JSON.
  for (const { permission, reason } of requests) {
    field("intends", displayProse(permission.summary));
    field("permission", `${displayLine(permission.kind)} ${displayLine(permission.target)}`);
    if (permission.details !== undefined) {
      field("details", displayJson(JSON.stringify(permission.details)));
    }
    field("because", displayProse(reason));
  }
  const [description] = requests.flatMap(({ description }) => description ?? []);
  if (description !== undefined) field("tool says", `“${displayProse(description)}”`);
  field("risk", describeRisk(spec.annotations));
  // All of it, however long: a part that is not displayed is not approved.
  field("arguments", displayJson(JSON.stringify(args, undefined, 2)));
  if (rememberable) {
    for (const { grant } of requests) {
      if (grant === undefined) continue;
      const { tool, permission, argumentsHash, caller } = grant;
      const which = argumentsHash === undefined ? "any" : "exactly these";
      field(
        "s and a",
        `remember ${displayLine(tool)} with ${which} arguments, ${displayLine(permission.kind)} ${displayLine(permission.target)}, for ${displayLine(caller?.id ?? "no caller")}`,
      );
    }
  }
  return lines.join("\n");
}

/** The annotations of a tool are only its own claim that it is harmless. */
function describeRisk({ readOnlyHint, destructiveHint }: ToolAnnotations): string {
  if (readOnlyHint === true) return "low, by its own word: it changes nothing";
  if (destructiveHint === false) return "medium, by its own word: it destroys nothing";
  return "high: it may destroy something";
}
