import type { Interruption, ToolExecutor } from "@toolweave/core";
import type { WrittenOption } from "../../input/secret-options.ts";
import { safeValue, shellLine } from "../../render/text.ts";
import type { CommandStore } from "../../store/command-store.ts";
import { getPendingCallContext } from "../../store/pending-call-context.ts";
import type { Output } from "../../process/output.ts";
import { describeError } from "../../render/describe-error.ts";

/** The commands that answer a pending call: command lines for a POSIX shell, which work in any folder. */
export interface PendingCallHints {
  /** Prints all that a person has to know before they answer. */
  readonly show: string;
  /** For a call that only waits for a yes. */
  readonly approve?: string;
  /** For one that has not begun as well. */
  readonly reject?: string;
  /** For a call that has begun; it asks on a terminal. */
  readonly resume?: string;
  /** The conditions for running them. */
  readonly notes: readonly string[];
}

/** The commands that a call which waits can be answered with. */
export function pendingCallHints(
  interruption: Interruption,
  store: CommandStore,
  env: Readonly<Record<string, string | undefined>>,
): PendingCallHints {
  const withheld = getPendingCallContext(interruption)?.withheld ?? [];
  const line = (command: string, more: readonly string[] = []): string =>
    storeCommand(store, env, command, interruption.id, ...more);
  const withheldWords = withheld.flat();
  const notes = [...withheldNotes(withheld), ...store.notes];
  const approve = line("approve", withheldWords);
  if (waitsForApprovalOnly(interruption))
    return { show: line("show"), approve, reject: line("reject"), notes };
  return {
    show: line("show"),
    ...(waitsForApprovals(interruption) ? { approve } : {}),
    resume: line("resume", withheldWords),
    notes,
  };
}

/** True for a call that waits for nothing but a yes, whether it has begun or not. */
export function waitsForApprovals({ requests }: Interruption): boolean {
  return requests.every((request) => request.type === "approval");
}

/** True for a call that has not begun: it waits for nothing but a yes, or a no. */
export function waitsForApprovalOnly({ requests }: Interruption): boolean {
  return requests.every((request) => request.type === "approval" && request.call === undefined);
}

/** A command on what the store has under an id. */
export function storeCommand(
  { option }: CommandStore,
  env: Readonly<Record<string, string | undefined>>,
  command: string,
  id: string,
  ...more: readonly string[]
): string {
  // With npx, run by the user or by a host, there may be no `toolweave` in the path.
  const program = env["npm_command"] === "exec" ? ["npx", "toolweave"] : ["toolweave"];
  return shellLine([...program, "approvals", command, safeValue(id), ...option, ...more]);
}

function withheldNotes(withheld: readonly WrittenOption[]): string[] {
  const secrets = withheld.filter(([name]) => name === "--auth" || name === "--header");
  const variables = secrets.flatMap(([, value]) => /\$\w+$/.exec(value) ?? []);
  const addresses = withheld.flatMap(
    ([, value]) => /\/\/USER:PASSWORD@|\?QUERY$/.exec(value) ?? [],
  );
  return [
    ...(variables.length === 0
      ? []
      : [`Put what is secret into ${variables.join(", ")} first: secrets are not stored.`]),
    ...(addresses.length === 0
      ? []
      : [`Use the complete address, which is not stored because ${addresses[0]} may be secret.`]),
  ];
}

/**
 * Prints which rules of the policy can never match, each with its place. What the configuration's
 * warnings have printed already is not printed again.
 *
 * @returns all of them, a sentence each.
 */
export function printPolicyWarnings(executor: ToolExecutor, output: Output): readonly string[] {
  const found = executor.configurationWarnings();
  for (const { where, message } of found) {
    if (output.messages.some((printed) => printed.includes(message))) continue;
    output.printMessage(describeError(sentence(where, message), false));
  }
  return found.map(({ where, message }) => sentence(where, message));
}

function sentence(where: string, message: string): string {
  return `${where} ${message}${/[.?]$/.test(message) ? "" : "."}`;
}

/** The command that answers a pending call, and its conditions, in one line. */
export function formatHints(
  interruption: Interruption,
  store: CommandStore,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const { approve, resume, notes } = pendingCallHints(interruption, store, env);
  return [`\`${approve ?? resume ?? ""}\` in a terminal.`, ...notes].join(" ");
}
