import { toPossibleUses } from "./possible-paths.ts";
import type { ProgramEffects } from "./analysis.ts";
import { gitNetwork, gitReads } from "./program-tables.ts";

/** Options before the command that change nothing of what git does. */
const plainGlobals: ReadonlySet<string> = new Set([
  "--no-pager",
  "-P",
  "--no-optional-locks",
  "--literal-pathspecs",
]);

/** Options of commands that read, with which they write files or run programs. Git takes the beginning of a name for it. */
const riskyRead = /^(?:-O|--(?:ou|ext|textc|ope|up|rec|exe))/;

/** Commands whose operands are files or folders that they write, with the words before those. */
const writtenOperands: Readonly<Record<string, readonly string[]>> = {
  init: [],
  mv: [],
  rm: [],
  "worktree add": ["worktree", "add"],
  "bundle create": ["bundle", "create"],
};

/** Git runs what the repository configures: hooks, filters, `fsmonitor`. It is never low. */
export function getGitEffects(args: readonly string[]): ProgramEffects {
  const begin = args.findIndex((arg) => !plainGlobals.has(arg));
  const [command = "", ...rest] = begin === -1 ? [] : args.slice(begin);
  const effects = (
    risk: "medium" | "high",
    reason: string,
    more: Partial<ProgramEffects> = {},
  ): ProgramEffects => ({ risk, reasons: [reason], paths: [], ...more });
  const possible = { paths: toPossibleUses(rest, "write") };
  if (command.startsWith("-")) {
    return effects("high", `git ${command} changes what git runs`, possible);
  }
  if (gitNetwork.has(command)) {
    return effects("high", `git ${command} connects to other hosts`, {
      ...possible,
      network: true,
    });
  }
  if (command === "apply" || command === "am") {
    return effects("high", `git ${command} changes the files that the patch names`, possible);
  }
  if (gitReads.has(command)) {
    const paths = toPossibleUses(rest, "read");
    return rest.some((arg) => riskyRead.test(arg))
      ? effects("high", `an option of git ${command} writes files or runs programs`, { paths })
      : effects("medium", `git ${command} may run what the repository configures`, { paths });
  }
  const paths = getWritten([command, ...rest]);
  return effects("medium", `git ${command} may change the repository`, { paths });
}

function getWritten(words: readonly string[]): ProgramEffects["paths"] {
  const [command = "", second = ""] = words;
  const operands = words.filter((word) => !word.startsWith("-"));
  if (command === "config") {
    const isRead =
      /^(?:get|list)$/.test(second) ||
      words.some((word) => /^(?:-l|--(?:get|list|name-only|show-))/.test(word)) ||
      (operands.length === 2 && !words.some((word) => /^(?:-e|--(?:un|edit|remove))/.test(word)));
    const others = toPossibleUses(words.slice(1), isRead ? "read" : "write");
    return isRead ? others : [{ path: ".git/config", access: "write" }, ...others];
  }
  const before = writtenOperands[command] === undefined ? `${command} ${second}` : command;
  const written = Object.hasOwn(writtenOperands, before)
    ? operands.slice(Math.max(1, (writtenOperands[before] as readonly string[]).length))
    : [];
  return [
    ...written.map((path) => ({ path, access: "write", extent: "tree" }) as const),
    ...toPossibleUses(words.slice(1), "write"),
  ];
}
