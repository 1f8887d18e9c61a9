/** A command of a page that a reader copies into a terminal. */
export interface InstallLine {
  /** Relative to the root. */
  readonly page: string;
  /** From 1. */
  readonly line: number;
  /** As it is written, with its comment. */
  readonly command: string;
}

// Lines that run programs of a clone, on the pnpm of the workspace: they use no published package.
const inClone = /^npx -y pnpm@/;

/** The lines of a page's shell blocks that begin with `npm install`, `npm create` or `npx`, in order. */
export function installLines(text: string, page: string): InstallLine[] {
  const found: InstallLine[] = [];
  let isShell = false;
  for (const [index, line] of text.split("\n").entries()) {
    const fence = /^\s*```\s*(\w*)/.exec(line);
    if (fence !== null) {
      isShell = /^(?:sh|bash|shell|console)$/.test(fence[1] ?? "");
      continue;
    }
    const command = line.trim();
    if (!isShell || !/^(?:npm (?:install|create)|npx)\b/.test(command)) continue;
    if (!inClone.test(command)) found.push({ page, line: index + 1, command });
  }
  return found;
}

/** The packages that an `npm install` command names; empty for other commands. */
export function installedPackages(command: string): string[] {
  const [program, verb, ...words] = command.replace(/\s+#.*$/, "").split(/\s+/);
  if (program !== "npm" || verb !== "install") return [];
  return words.filter((word) => !word.startsWith("-"));
}
