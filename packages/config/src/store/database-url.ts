import { resolveReferences, type Referable, type Resolved } from "../reading/references.ts";

const databaseUrl = /^postgres(?:ql)?:\/\//i;
/** The user and the password of a URL, as they are written: an `@` in a reference is not their end. */
const writtenLogin = /^(postgres(?:ql)?:\/\/)((?:\$\{[^}]*\}|[^/?#@])*)(@.*)$/is;
const reference = /\$\{[^}]*\}/g;

/** The address of a database, without what is secret. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
}

/** True for the URL of a PostgreSQL database: `postgres://…` or `postgresql://…`. */
export function isDatabaseUrl(text: string): boolean {
  return databaseUrl.test(text);
}

/** The reason why a text is neither a folder nor the URL of a database; undefined: it is one of them. */
export function findStoreFault(text: string): string | undefined {
  const [scheme] = /^[a-z][a-z\d+.-]*:\/\//i.exec(text) ?? [];
  return scheme === undefined || isDatabaseUrl(text)
    ? undefined
    : `${scheme} is no store: name a folder, or a PostgreSQL database with postgres://`;
}

/**
 * Replaces the references of a `store`. Values of variables in the user and the password of a database's URL are
 * percent-encoded, so that a password may have any characters.
 */
export function resolveStore(written: string, given: Referable): Resolved {
  const [, scheme, login, rest] = writtenLogin.exec(written) ?? [];
  if (scheme === undefined || login === undefined || rest === undefined) {
    return resolveReferences(written, given);
  }
  const { taken } = resolveReferences(login, given);
  const encoded = Object.fromEntries(
    taken.map(({ name, value }) => [name, encodeURIComponent(value)]),
  );
  const first = resolveReferences(login, { ...given, env: { ...given.env, ...encoded } });
  const second = resolveReferences(rest, given);
  return {
    text: scheme + first.text + second.text,
    variables: [...first.variables, ...second.variables],
    taken: [...taken, ...first.taken, ...second.taken],
    faults: [...first.faults, ...second.faults],
    unset: [...first.unset, ...second.unset],
  };
}

/** True for a URL that has a password which is not a reference to an environment variable. */
export function hasLiteralPassword(written: string): boolean {
  if (!isDatabaseUrl(written)) return false;
  const [, , login = ""] = writtenLogin.exec(written) ?? [];
  const [, ...password] = login.replace(reference, "$").split(":");
  const query = written.replace(reference, "$");
  return /[^$]/.test(password.join(":")) || /[?&](?:password|pwd)=(?!\$?(?:&|$))/i.test(query);
}

/** The URL as it is written, without a password that is no reference. */
export function maskDatabaseUrl(written: string): string {
  return hasLiteralPassword(written)
    ? written
        .replace(writtenLogin, (_, scheme: string, login: string, rest: string) => {
          const [user = ""] = login.split(":");
          return login.includes(":") ? `${scheme}${user}:…${rest}` : scheme + login + rest;
        })
        .replace(/([?&](?:password|pwd)=)[^&]*/gi, "$1…")
    : written;
}

/** Reads the address of a URL; undefined: it is invalid. */
export function readDatabaseAddress(url: string): DatabaseAddress | undefined {
  const parsed = URL.parse(url);
  if (parsed === null) return undefined;
  const { hostname, port, pathname, searchParams, username } = parsed;
  const decoded = decode(pathname.slice(1));
  const user = decode(username);
  if (decoded === undefined || user === undefined) return undefined;
  return {
    host: hostname === "" ? (searchParams.get("host") ?? "localhost") : hostname,
    port: Number(port || searchParams.get("port") || 5432),
    // As `pg` does: the user's database by default.
    database: decoded || user || "postgres",
  };
}

/** The password of a URL, as it is written there and as it is; empty: it has none. */
export function readPasswords(url: string): readonly string[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [];
  const { password, searchParams } = parsed;
  const found = [password, decode(password), searchParams.get("password")];
  return [...new Set(found.filter((one): one is string => Boolean(one)))];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
