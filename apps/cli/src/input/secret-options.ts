import { parseNamedKey, isVariableReference } from "./auth-option.ts";
import { splitCommand } from "./split-command.ts";

/** An option as it is written: `["--auth", "bearer:$TOKEN"]`. */
export type WrittenOption = readonly [name: string, value: string];

/** An option that may hold a secret, taken apart. */
interface SecretOption {
  /** Which one it is: of two with the same slot the later replaces the earlier. */
  readonly slot: string;
  /** It names environment variables in place of every secret, so that it can be written down. */
  readonly isNamed: boolean;
  /** The same with an environment variable in place of the secret. */
  readonly named: WrittenOption;
}

/** Of options that may hold secrets: those that may be written down, and the others without them. */
export function separateSecrets(
  name: "--auth" | "--header",
  options: readonly string[],
): { readonly stored: readonly string[]; readonly withheld: readonly WrittenOption[] } {
  const parts = options.map((option) => ({ option, ...parseSecretOption(name, option) }));
  return {
    stored: parts.flatMap(({ option, isNamed }) => (isNamed ? [option] : [])),
    withheld: parts.flatMap(({ isNamed, named }) => (isNamed ? [] : [named])),
  };
}

/** Which credential or header an option gives. */
export function getSlot(name: string, value: string): string {
  return `${name} ${parseSecretOption(name, value).slot}`;
}

function parseSecretOption(name: string, written: string): SecretOption {
  return name === "--auth" ? parseAuthOption(written) : parseHeaderOption(written);
}

function parseAuthOption(written: string): SecretOption {
  const [, kind = "", rest = ""] = /^(\w+):(.*)$/s.exec(written) ?? [];
  const key = kind === "apiKey" ? parseNamedKey(rest) : undefined;
  if (key !== undefined) {
    const { scheme, value } = key;
    return {
      slot: `apiKey:${scheme}`,
      isNamed: isVariableReference(value),
      named: ["--auth", `apiKey:${scheme}=$${toVariableName(scheme)}`],
    };
  }
  const secret = kind === "basic" ? rest.slice(rest.indexOf(":") + 1) : rest;
  const name = { bearer: "TOKEN", basic: "LOGIN" }[kind] ?? "API_KEY";
  return {
    slot: kind,
    isNamed: isVariableReference(secret),
    named: ["--auth", `${kind}:$${name}`],
  };
}

function parseHeaderOption(written: string): SecretOption {
  const colon = written.indexOf(":");
  const name = written.slice(0, colon).trim();
  return {
    slot: name.toLowerCase(),
    isNamed: isVariableReference(written.slice(colon + 1).trim()),
    named: ["--header", `${name}: $${toVariableName(name)}`],
  };
}

function toVariableName(name: string): string {
  return name
    .replace(/\W/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
}

const secretOptionName = /^--?[\w-]*(?:auth|credential|key|pass|pwd|secret|token)[\w-]*(?:=|$)/i;
const secretValue =
  /^(?:sk-|gh[opsu]_|github_pat_|xox[abp]-|AKIA|eyJ)|^[\w-]*(?:key|token|secret|password)=./i;

/** True for what may be written down: no part of it looks like a secret. */
export function canBeStored(written: string): boolean {
  if (/^https?:\/\//i.test(written)) {
    const url = URL.parse(written);
    return url !== null && url.username + url.password + url.search === "";
  }
  return !splitCommand(written, "--mcp").some(
    (word) => secretOptionName.test(word) || secretValue.test(word),
  );
}

/** A URL without what may be secret in it; a path as it is. */
export function maskLocation(document: string): string {
  const url = parseWebUrl(document);
  if (url === undefined) return document;
  const { username, password, origin, pathname, search } = url;
  if (username + password + search === "") return document;
  const login = username + password === "" ? "//" : "//USER:PASSWORD@";
  return `${origin.replace("//", login)}${pathname}${search === "" ? "" : "?QUERY"}`;
}

export function parseWebUrl(document: string): URL | undefined {
  return /^https?:\/\//i.test(document) ? (URL.parse(document) ?? undefined) : undefined;
}
