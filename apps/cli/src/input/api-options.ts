import type { OpenApiOptions } from "@toolweave/openapi";
import { UsageError } from "../process/exit-code.ts";
import { parseAuth, resolveSecretValue } from "./auth-option.ts";

/** The options for where and how an API is reached. */
export interface ApiOptions {
  readonly openapi: readonly string[];
  readonly baseUrl?: string;
  readonly header?: readonly string[];
  readonly auth?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowReference?: readonly string[];
  readonly timeout?: number;
}

/**
 * Converts the command line's options for an API to those of a source.
 *
 * @returns the options, and the secrets in them.
 * @throws UsageError
 */
export function toSourceOptions(
  {
    openapi,
    baseUrl,
    header = [],
    auth = [],
    allowOrigin = [],
    allowReference = [],
    timeout,
  }: ApiOptions,
  env: Readonly<Record<string, string | undefined>>,
): { readonly options: OpenApiOptions; readonly secrets: readonly string[] } {
  if (openapi.length > 1 && (baseUrl !== undefined || header.length + auth.length > 0)) {
    throw new UsageError(
      "--base-url, --header and --auth apply to one API: use a single --openapi.",
    );
  }
  const credentials = parseAuth(auth, env);
  const origins = allowOrigin.map(parseOrigin);
  const headers = parseHeaders(header, env);
  return {
    options: {
      ...(baseUrl === undefined ? {} : { baseUrl: validateBaseUrl(baseUrl) }),
      ...(header.length === 0 ? {} : { headers }),
      ...(auth.length === 0 ? {} : { auth: credentials.auth }),
      // An origin on the command line means both: it may be reached, and with the credentials beside it.
      ...(origins.length === 0 ? {} : { allowOrigins: origins, credentialOrigins: origins }),
      ...(allowReference.length === 0 ? {} : { allowReferences: allowReference }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    },
    secrets: [...credentials.secrets, ...Object.values(headers)],
  };
}

/**
 * Reads `--header`: `Name: value`; the value may be `$NAME` for an environment variable.
 *
 * @throws UsageError
 */
export function parseHeaders(
  written: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const header of written) {
    const [, name, value] = /^([!#$%&'*+\-.^`|~\w]+)\s*:\s*(.*?)\s*$/s.exec(header) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`--header must be "Name: value".`);
    }
    headers[name] = resolveSecretValue(value, env, `--header ${name}`);
  }
  return headers;
}

/**
 * Reads `--base-url`.
 *
 * @throws UsageError
 */
export function validateBaseUrl(text: string): string {
  const url = webUrl(text);
  if (url !== undefined && url.username === "" && url.password === "") return text;
  throw new UsageError(
    `--base-url must be an absolute http: or https: URL without user name, such as https://api.example.com/v1.`,
  );
}

/**
 * Reads `--allow-origin`.
 *
 * @throws UsageError
 */
export function parseOrigin(text: string): string {
  const url = webUrl(text);
  if (url !== undefined && url.href === `${url.origin}/`) return url.origin;
  throw new UsageError(
    `--allow-origin must be scheme, host and port, such as https://api.example.com:8443.`,
  );
}

function webUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}
