import type { JsonObject, JsonValue } from "@toolweave/core";
import type { HostFile } from "./host-files.ts";

/** A server of a host, as a `toolweave.json` has it. */
export type ImportedServer =
  | {
      /** Without secrets: their places have references to environment variables. */
      readonly server: JsonObject;
      /** The variables that it refers to, and those that replace secrets, to be set by the user. */
      readonly variables: readonly string[];
    }
  | { /** Why it cannot be taken. */ readonly skipped: string };

const secretName = /auth|cookie|credential|dsn|key|pass|pwd|secret|session|token/i;

/** Key formats of well-known services, a password in a URL, and long random texts. */
const secretValue =
  /^(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[a-z]|AKIA|AIza|ntn|figd|lin_api|Bearer )[-_\w]|^[a-z][\w+.-]*:\/\/[^/\s:@]*:[^@\s]+@|^(?=.*\d)(?=.*[a-z])[\w+=-]{24,}$/i;

const reference = /\$\{/;

/** Gives secrets their variables: two secrets never share one, and one secret has one. */
export class SecretVariables {
  readonly #values = new Map<string, string>();

  /** The name of the variable for a secret, `preferred` unless another secret has that. */
  add(preferred: string, server: string, value: string): string {
    const base = toVariable(preferred);
    for (const name of [base, `${toVariable(server)}_${base}`]) {
      const known = this.#values.get(name) ?? value;
      if (known !== value) continue;
      this.#values.set(name, value);
      return name;
    }
    return this.add(`${preferred}_2`, server, value);
  }
}

/** `brave-search` → `BRAVE_SEARCH`. */
function toVariable(text: string): string {
  return text
    .replace(/\W+/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
}

/** Converts a server of a host: its own keys, and references for its secrets. */
export function importServer(
  { host }: HostFile,
  name: string,
  written: JsonObject,
  known: SecretVariables,
): ImportedServer {
  // These hosts expand nothing: the characters stand for themselves.
  const isPlain = host === "claude-desktop" || host === "codex";
  const raw = isPlain ? (escapeReferences(written) as JsonObject) : written;
  const { command, args, cwd, envFile, type } = raw;
  const url = raw["url"] ?? raw["serverUrl"] ?? raw["httpUrl"];
  if (typeof command !== "string" && typeof url !== "string") {
    return { skipped: "it has neither a command nor a URL" };
  }
  const words = Array.isArray(args) ? args.filter((arg) => typeof arg === "string") : [];
  if ([command, ...words].includes("toolweave") && words.includes("serve")) {
    return { skipped: "it is toolweave itself" };
  }
  if (hasSecret(words)) {
    return {
      skipped:
        "its arguments contain a secret, which every user of the machine can read: pass it in env, then add the server",
    };
  }
  if (/\$\{file:/.test(JSON.stringify(raw)))
    return { skipped: "it reads ${file:…}, which only its host can" };
  const variables = new Set<string>();
  const replace = (preferred: string, value: string): string => {
    const variable = known.add(preferred, name, value);
    variables.add(variable);
    return `\${${variable}}`;
  };
  const env = {
    ...toEnv(raw["env"], replace),
    ...Object.fromEntries(textsIn(raw["env_vars"]).map((each) => [each, `\${${each}}`])),
  };
  const headers = { ...toHeaders(raw, name, replace) };
  const place =
    typeof command === "string"
      ? { command, ...(words.length === 0 ? {} : { args: words }) }
      : { ...(type === "sse" ? { type } : {}), url: toUrl(url as string, name, replace) };
  const isDisabled = raw["disabled"] === true || raw["enabled"] === false;
  const server = {
    ...place,
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(typeof envFile === "string" ? { envFile } : {}),
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...pick(raw, ["disabledTools", "includeTools", "excludeTools"]),
    ...(isDisabled ? { disabled: true } : {}),
  };
  for (const variable of referencedVariables(server)) variables.add(variable);
  return { server, variables: [...variables] };
}

/** The environment variables in the references of a server that have no default. */
function referencedVariables(value: JsonValue): readonly string[] {
  if (typeof value === "string") {
    return Array.from(
      value.matchAll(/\$\$\{|\$\{(?:(env|input):)?([A-Za-z_][\w.-]*)\}/g),
      ([, scope, name = ""]) =>
        scope === "input" ? toVariable(name) : hostPlaces.has(name) ? "" : name,
    ).filter((name) => name !== "");
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((member) => referencedVariables(member as JsonValue));
}

/** References that are no environment variables. */
const hostPlaces: ReadonlySet<string> = new Set([
  "workspaceFolder",
  "workspaceFolderBasename",
  "userHome",
  "pathSeparator",
]);

/** Replaces a secret by a reference. */
type Replace = (preferred: string, value: string) => string;

function toEnv(written: JsonValue | undefined, replace: Replace): Record<string, string> {
  return Object.fromEntries(
    readEntries(written).map(([key, value]) => {
      const isSecret = secretName.test(key) || secretValue.test(value);
      return [
        key,
        value !== "" && isSecret && !reference.test(value) ? replace(key, value) : value,
      ];
    }),
  );
}

function toHeaders(raw: JsonObject, name: string, replace: Replace): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [key, value] of [
    ...readEntries(raw["headers"]),
    ...readEntries(raw["http_headers"]),
  ]) {
    const [, scheme = "", secret = ""] = /^((?:Bearer|Basic|Token) +)?(.*)$/is.exec(value) ?? [];
    const isSecret = scheme !== "" || secretName.test(key) || secretValue.test(value);
    const suffix = /^authorization$/i.test(key) ? "TOKEN" : key;
    headers[key] =
      isSecret && !reference.test(value) ? scheme + replace(`${name}_${suffix}`, secret) : value;
  }
  for (const [key, variable] of readEntries(raw["env_http_headers"]))
    headers[key] = `\${${variable}}`;
  const bearer = raw["bearer_token_env_var"];
  if (typeof bearer === "string") headers["Authorization"] = `Bearer \${${bearer}}`;
  return headers;
}

/** Secrets of a URL stand in its user name, its query, or in one part of its path. */
function toUrl(written: string, name: string, replace: Replace): string {
  if (reference.test(written)) return written;
  const hide = (text: string, preferred: string): string =>
    secretValue.test(text) ? replace(preferred, text) : text;
  return written
    .replace(/^(https?:\/\/)([^/@?#]+)@/i, (_, start: string, login: string) => {
      return `${start}${replace(`${name}_LOGIN`, login)}@`;
    })
    .replace(/([?&])([^=&#]+)=([^&#]+)/g, (_, mark: string, key: string, value: string) => {
      const isSecret = secretName.test(key) || secretValue.test(value);
      return `${mark}${key}=${isSecret ? replace(`${name}_${key}`, value) : value}`;
    })
    .replace(/(?<=^https?:\/\/[^/]+\/[^?#]*)[^/?#]+/gi, (part) => hide(part, `${name}_URL_KEY`));
}

/** True if an argument is a secret by its value, or by the option before it. */
function hasSecret(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    const [option = "", value] = arg.startsWith("-")
      ? arg.split(/=(.*)/s, 2)
      : [args[index - 1], arg];
    if (value === undefined || value.startsWith("-")) return false;
    const isNamed = option.startsWith("-") && secretName.test(option);
    return (
      isNamed ||
      value
        .split(/[\s=:]+/)
        .concat(value)
        .some((part) => secretValue.test(part))
    );
  });
}

function readEntries(value: JsonValue | undefined): [string, string][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, each]): [string, string][] =>
    ["string", "number", "boolean"].includes(typeof each) ? [[key, String(each)]] : [],
  );
}

/** Names of variables: Codex writes texts, or objects with a name. */
function textsIn(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: JsonValue) => {
    const text = typeof each === "string" ? each : (each as JsonObject | null)?.["name"];
    return typeof text === "string" ? [text] : [];
  });
}

function pick(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(
    keys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]])),
  );
}

function escapeReferences(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.replaceAll("${", "$${");
  if (Array.isArray(value)) return value.map((each: JsonValue) => escapeReferences(each));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, escapeReferences(each as JsonValue)]),
  );
}
