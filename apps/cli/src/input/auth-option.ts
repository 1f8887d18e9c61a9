import type { OpenApiAuth } from "@toolweave/openapi";
import { UsageError } from "../process/exit-code.ts";

/** The credentials of `--auth`, and every secret in them. */
export interface ParsedAuth {
  readonly auth: OpenApiAuth;
  readonly secrets: readonly string[];
}

/**
 * Reads `--auth`: `bearer:TOKEN`, `basic:USER:PASSWORD`, `apiKey:VALUE`, or `apiKey:SCHEME=VALUE`
 * for one security scheme by its name in the document. Each value may be `$NAME`.
 */
export function parseAuth(
  options: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedAuth {
  const auth: { -readonly [K in keyof OpenApiAuth]: OpenApiAuth[K] } = {};
  const schemes: Record<string, string> = {};
  const secrets: string[] = [];
  const readValue = (written: string, option: string): string =>
    resolveSecretValue(written, env, option);
  const readSecret = (written: string, option: string): string => {
    const value = readValue(written, option);
    secrets.push(value);
    return value;
  };
  const assertFirst = (kind: "bearer" | "basic" | "apiKey"): void => {
    if (auth[kind] !== undefined) throw new UsageError(`--auth ${kind} is given twice.`);
  };

  for (const option of options) {
    const [, kind, rest = ""] = /^(\w+):(.*)$/s.exec(option) ?? [];
    if (kind === "bearer") {
      assertFirst(kind);
      auth.bearer = readSecret(rest, "--auth bearer");
    } else if (kind === "basic") {
      assertFirst(kind);
      // `basic:$LOGIN` holds both; else each may be a variable of its own.
      const login = rest.includes(":") ? rest : readValue(rest, "--auth basic");
      const [, username = "", password = ""] = /^([^:]*):(.*)$/s.exec(login) ?? [];
      if (username === "" || password === "") {
        throw new UsageError("--auth basic must be basic:USER:PASSWORD.");
      }
      const parts = { username, password };
      if (login === rest) {
        parts.username = readValue(username, "--auth basic");
        parts.password = readValue(password, "--auth basic");
      }
      secrets.push(
        parts.password,
        Buffer.from(`${parts.username}:${parts.password}`).toString("base64"),
      );
      auth.basic = parts;
    } else if (kind === "apiKey") {
      const named = parseNamedKey(rest);
      if (named === undefined) {
        assertFirst(kind);
        auth.apiKey = readSecret(rest, "--auth apiKey");
      } else {
        const { scheme, value } = named;
        if (Object.hasOwn(schemes, scheme)) {
          throw new UsageError(`--auth apiKey:${scheme} is given twice.`);
        }
        schemes[scheme] = readSecret(value, `--auth apiKey:${scheme}`);
      }
    } else {
      // What was written is not repeated: it may be a secret.
      throw new UsageError(
        "--auth must be bearer:TOKEN, basic:USER:PASSWORD, apiKey:VALUE or apiKey:SCHEME=VALUE; " +
          "a value may be $NAME for an environment variable.",
      );
    }
  }
  if (Object.keys(schemes).length > 0) auth.schemes = schemes;
  return { auth, secrets };
}

/** The two parts of `SCHEME=VALUE`; undefined: it is a value alone. */
export function parseNamedKey(text: string): { scheme: string; value: string } | undefined {
  // The `=` at the end of a base64 value does not divide it.
  const [, scheme, value] = /^([A-Za-z_][\w.-]*)=(?!=*$)(.+)$/s.exec(text) ?? [];
  return scheme === undefined || value === undefined ? undefined : { scheme, value };
}

const reference = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})$/;

/** True for `$NAME` and `${NAME}`: what stands there is no secret. */
export function isVariableReference(written: string): boolean {
  return reference.test(written);
}

/**
 * The value of an option that may be a secret: `$NAME` or `${NAME}` stands for the environment
 * variable, so that the value itself is in no process list and no shell history.
 *
 * @param option what errors call it.
 */
export function resolveSecretValue(
  written: string,
  env: Readonly<Record<string, string | undefined>>,
  option: string,
): string {
  const name = reference.exec(written)?.slice(1).find(Boolean);
  const value = name === undefined ? written : env[name];
  if (value === undefined || value === "") {
    throw new UsageError(
      name === undefined
        ? `${option} has no value.`
        : `${option} names the environment variable ${name}, which is not set.`,
    );
  }
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    throw new UsageError(`${option} has a value with control characters, which cannot be sent.`);
  }
  return value;
}
