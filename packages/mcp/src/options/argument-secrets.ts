import { ToolError, type SourceProblem } from "@toolweave/core";
import type { McpServer } from "./mcp-options.ts";

/** `--token`, `--api-key`, `-p.secret`; not `--max-tokens`, nor `--token-file`. */
const secretFlag =
  /^-{1,2}(?:[\w.-]*[-_.])?(?:token|secret|passw(?:or)?d|pwd|pat|bearer|auth|authorization|credentials?|(?:api|access|private|secret|auth)[-_]?key|apikey)$/i;

/** A header as some programs take it: `Authorization: Bearer …`. */
const secretHeader =
  /^(?:[\w-]*authorization|[\w-]*(?:api-?key|token|secret)) {0,2}[:=] {0,2}(?:(?:Bearer|Basic|Token) {1,2})?(\S+)$/i;

/** `postgres://ada:password@db.internal/shop` */
const passwordInUrl = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{1,500})@/i;

/** What the tokens of large services look like. */
const knownToken =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|sk-[\w-]{20,}|xox[abprs]-[\w-]{10,}|npm_\w{30,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+)/;

/** An argument that holds a credential. */
interface SecretArgument {
  readonly index: number;
  readonly secret: string;
}

/** Credentials among a program's arguments, where everybody on the machine can read them (`ps`). */
function secretArguments(args: readonly string[]): readonly SecretArgument[] {
  return args.flatMap((arg, index) => {
    const secret = secretIn(arg, args[index - 1]);
    return secret === undefined ? [] : [{ index, secret }];
  });
}

function secretIn(arg: string, before: string | undefined): string | undefined {
  const [flag = "", ...value] = arg.startsWith("-") ? arg.split("=") : [];
  const given = value.length > 0 ? value.join("=") : undefined;
  const named = secretFlag.test(flag) ? given : isFlagOfNext(before) ? arg : undefined;
  if (named !== undefined && isDistinctive(named) && !isPath(named)) return named;
  const text = given ?? arg;
  const found = secretHeader.exec(text)?.[1] ?? passwordInUrl.exec(text)?.[1];
  if (found !== undefined && isDistinctive(found)) return found;
  return knownToken.exec(arg)?.[0];
}

function isFlagOfNext(before: string | undefined): boolean {
  return before !== undefined && secretFlag.test(before);
}

function isPath(text: string): boolean {
  return /^(?:[.~]{0,2}[/\\]|[A-Za-z]:\\)/.test(text);
}

/** The credentials that stand in the arguments of a child process. */
export function secretsInArguments(server: McpServer): readonly string[] {
  if (!("command" in server)) return [];
  return secretArguments(server.args ?? []).map(({ secret }) => secret);
}

/** A warning for each argument that looks like a credential. What it says holds none. */
export function argumentWarnings(server: McpServer): readonly SourceProblem[] {
  if (!("command" in server)) return [];
  return secretArguments(server.args ?? []).map(({ index }) => ({
    subject: `args[${index}]`,
    message: `Argument ${index} of the MCP server ${server.name} looks like a credential: everybody on this machine can read the arguments of a process. Give it in env, if the server takes it there.`,
    severity: "warning",
  }));
}

/** Environment variables that hold nothing but a secret. */
const secretVariable = /(?:token|secret|passw(?:or)?d|(?:api|access|private|secret)_?key)$/i;

/** Refuses an argument that holds what `env` keeps secret. @throws ToolError `internal`. */
export function refuseSecretsOfEnv(server: McpServer): void {
  if (!("command" in server)) return;
  const { args = [], env = {} } = server;
  for (const [name, secret] of Object.entries(env)) {
    if (!secretVariable.test(name) || !isDistinctive(secret) || isPath(secret)) continue;
    const index = args.findIndex((arg) => arg.includes(secret));
    if (index === -1) continue;
    throw new ToolError(
      "internal",
      `mcpSource: args[${index}] holds the value of env.${name}: everybody on this machine can read the arguments of a process. Leave it in env alone.`,
    );
  }
}

/** True for what may be a secret: a short plain word, such as `true`, stands in answers that say nothing of it. */
export function isDistinctive(secret: string): boolean {
  return secret.length >= 16 || (secret.length >= 6 && !/^[A-Za-z]*$/.test(secret));
}
