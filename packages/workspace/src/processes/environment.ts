/** Variables of this process that children may have. */
const inherited: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TZ",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TMPDIR",
];

/** Variables that make programs run without a terminal and without questions. */
const fixed: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_EDITOR: "true",
  EDITOR: "true",
  CI: "1",
  DEBIAN_FRONTEND: "noninteractive",
};

/** Variables that make programs run other code, or reach credentials. A host cannot pass them on by name. */
const refused =
  /^(?:LD_|DYLD_|BASH_ENV$|ENV$|BASH_FUNC|PROMPT_COMMAND$|SHELLOPTS$|BASHOPTS$|PS4$|GCONV_PATH$|NODE_OPTIONS$|PYTHON|PERL5|RUBY|GIT_CONFIG|GIT_EXEC|GIT_SSH|SSH_AUTH_SOCK$|DOCKER_HOST$|TOOLWEAVE_)/;

/** Whether a variable may be given to commands. */
export function isRefusedVariable(name: string): boolean {
  return refused.test(name);
}

/** The folders in which commands are looked for, when the process has no `PATH`. */
const defaultPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/**
 * The environment of a command: a list of harmless variables, those of the host, and nothing else of this process.
 *
 * @param added variables that the host gives to commands.
 * @param isInside whether a folder is in the workspace: a program there is never found by its name alone.
 */
export function commandEnvironment(
  added: Readonly<Record<string, string>>,
  callId: string,
  isInside: (folder: string) => boolean,
  source: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const environment: Record<string, string> = { PATH: defaultPath, LANG: "C.UTF-8" };
  for (const name of inherited) {
    const value = source[name];
    if (value !== undefined) environment[name] = value;
  }
  const all = { ...environment, ...fixed, ...added };
  const folders = (all["PATH"] ?? defaultPath)
    .split(":")
    .filter((folder) => folder.startsWith("/") && !isInside(folder));
  return { ...all, PATH: folders.join(":"), TOOLWEAVE_CALL: callId };
}
