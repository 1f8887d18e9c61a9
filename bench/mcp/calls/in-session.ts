/**
 * The way to run a script in a separate session. Toolweave starts servers so, and Linux shares a
 * busy machine between sessions: without it the scheduler would be measured.
 */
export function inSession(args: readonly string[]): { command: string; args: string[] } {
  const command = process.execPath;
  return process.platform === "linux"
    ? { command: "setsid", args: [command, ...args] }
    : { command, args: [...args] };
}
