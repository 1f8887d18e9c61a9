import { ToolError } from "@toolweave/core";
import { type SourceProblem, SecretSet } from "@toolweave/core/adapter";
import { isDistinctive } from "@toolweave/core/adapter";
import type { McpServer } from "./mcp-options.ts";

/** `--token`, `--api-key`, `-p.secret`; not `--max-tokens`, nor `--token-file`. */
const secretFlag =
  /^-{1,2}(?:[\w.-]*[-_.])?(?:token|secret|passw(?:or)?d|pwd|pat|bearer|auth|authorization|credentials?|(?:api|access|private|secret|auth)[-_]?key|apikey)$/i;

/** Header or variable as some programs accept it: `Authorization: Bearer …`, `-e API_KEY=…`. */
const secretPair =
  /^([\w-]*authorization|[\w-]*(?:api[-_]?key|token|secret|passw(?:or)?d|[-_]pat)) {0,2}[:=] {0,2}(?:(?:Bearer|Basic|Token) {1,2})?(\S+)$/i;

/** `postgres://ada:password@db.internal/shop` */
const passwordInUrl = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{1,500})@/i;

/** Token formats of large services. */
const knownToken =
  /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|sk-[\w-]{20,}|xox[abprs]-[\w-]{10,}|npm_\w{30,}|AKIA[0-9A-Z]{16}|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+)/;

/** An argument of a program that contains a credential. */
export interface SecretArgument {
  readonly index: number;
  /** The option, header or variable that names it: `--api-key`, `API_KEY`. Absent: its form is that of a credential. */
  readonly name?: string;
  readonly secret: string;
}

/**
 * Finds credentials among a program's arguments, which every user of the machine can read (`ps`): by the names of options,
 * headers and variables, in URLs, and by the forms of large services.
 */
export function findSecretArguments(args: readonly string[]): readonly SecretArgument[] {
  return args.flatMap((arg, index) => {
    const found = findSecret(arg, args[index - 1]);
    return found === undefined ? [] : [{ index, ...found }];
  });
}

function findSecret(
  arg: string,
  before: string | undefined,
): Omit<SecretArgument, "index"> | undefined {
  const [flag = "", ...value] = arg.startsWith("-") ? arg.split("=") : [];
  const assigned = value.length > 0 ? value.join("=") : undefined;
  const isNext = isFlagOfNext(before) && !arg.startsWith("-");
  const named = secretFlag.test(flag) ? assigned : isNext ? arg : undefined;
  if (named !== undefined && isDistinctive(named) && !isPath(named)) {
    return { name: named === arg ? (before as string) : flag, secret: named };
  }
  const text = assigned ?? arg;
  const [, name, paired] = secretPair.exec(text) ?? [];
  if (name !== undefined && isDistinctive(paired)) return { name, secret: paired };
  const secret = passwordInUrl.exec(text)?.[1];
  if (isDistinctive(secret)) return { secret };
  const token = knownToken.exec(arg)?.[0];
  return token === undefined ? undefined : { secret: token };
}

function isFlagOfNext(before: string | undefined): boolean {
  return before !== undefined && secretFlag.test(before);
}

function isPath(text: string): boolean {
  return /^(?:[.~]{0,2}[/\\]|[A-Za-z]:\\)/.test(text);
}

/** Returns the credentials in the arguments of a child process. */
function getArgumentSecrets(server: McpServer): readonly string[] {
  if (!("command" in server)) return [];
  return findSecretArguments(server.args ?? []).map(({ secret }) => secret);
}

/** Returns a warning for each argument that looks like a credential. Its message does not contain the credential. */
export function toArgumentWarnings(server: McpServer): readonly SourceProblem[] {
  if (!("command" in server)) return [];
  return findSecretArguments(server.args ?? []).map(({ index }) => ({
    subject: `args[${index}]`,
    message: `Argument ${index} of the MCP server ${server.name} looks like a credential: every user of this machine can read the arguments of a process. Pass it in env if the server supports that.`,
    severity: "warning",
  }));
}

/** Names of environment variables whose value is a secret. */
const secretVariable = /(?:token|secret|passw(?:or)?d|(?:api|access|private|secret)_?key)$/i;

/**
 * Rejects an argument that contains a secret of `env`.
 *
 * @throws ToolError `invalid_configuration`.
 */
export function rejectSecretsOfEnv(server: McpServer): void {
  if (!("command" in server)) return;
  const { args = [], env = {} } = server;
  for (const [name, secret] of Object.entries(env)) {
    if (!secretVariable.test(name) || !isDistinctive(secret) || isPath(secret)) continue;
    const index = args.findIndex((arg) => arg.includes(secret));
    if (index === -1) continue;
    throw new ToolError(
      "invalid_configuration",
      `mcpSource: args[${index}] contains the value of env.${name}: every user of this machine can read the arguments of a process. Pass it in env only.`,
    );
  }
}

const secretName = /auth|cookie|credential|key|pass|pwd|secret|session|token/i;

/** Returns the secrets of a server's options: headers, environment variables and arguments that look secret. */
export function getSecrets(server: McpServer): SecretSet {
  const secrets = new SecretSet();
  const given = {
    ...("env" in server ? server.env : {}),
    ...("headers" in server ? server.headers : {}),
  };
  for (const [name, value] of Object.entries(given)) {
    if (!secretName.test(name)) continue;
    // `Bearer …`: the scheme is not secret.
    const secret = value.slice(value.lastIndexOf(" ") + 1);
    if (isDistinctive(secret)) secrets.add(secret);
  }
  for (const secret of getArgumentSecrets(server)) secrets.add(secret);
  return secrets;
}
