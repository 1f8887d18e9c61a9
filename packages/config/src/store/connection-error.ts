import { ToolError } from "@toolweave/core";

/** By the code of Node.js or the SQLSTATE of PostgreSQL: what has happened, and what to do. */
const texts: Readonly<Record<string, (location: string) => string>> = {
  ECONNREFUSED: (at) =>
    `The database ${at} refuses connections: check that PostgreSQL runs there, and that the host and the port are right.`,
  ENOTFOUND: (at) => `The host of the database ${at} is unknown: check its name.`,
  EAI_AGAIN: (at) =>
    `The host of the database ${at} cannot be looked up: check its name, and the name server of this machine.`,
  ENOENT: (at) =>
    `The socket of the database ${at} does not exist: check that PostgreSQL runs on this machine, and the folder in "host".`,
  ETIMEDOUT: (at) => noAnswer(at),
  EHOSTUNREACH: (at) => noAnswer(at),
  ENETUNREACH: (at) => noAnswer(at),
  ECONNRESET: (at) =>
    `The database ${at} has closed the connection: check its log, and whether it requires TLS (sslmode=verify-full in the URL).`,
  "28P01": (at) => `The database ${at} refuses the user or the password: check both in the URL.`,
  "28000": (at) =>
    `The database ${at} does not let this user connect from this machine: check the user, and pg_hba.conf of the server.`,
  "3D000": (at) => `The database ${at} does not exist: create it (createdb), or correct its name.`,
  "42501": (at) =>
    `The user of the database ${at} may not do this: run \`toolweave db migrate\` with a user that may create tables, and grant the others USAGE of the schema, EXECUTE of its functions, and SELECT, INSERT, UPDATE and DELETE of its tables.`,
  "53300": (at) =>
    `The database ${at} has too many connections: raise max_connections, or put a pooler such as pgbouncer in front of it.`,
  "57P03": (at) => `The database ${at} is starting or stopping: try again.`,
  "25006": (at) => `The database ${at} is read-only: connect to the primary.`,
};

/** SQLSTATE codes whose message from the server names the user. */
const namesUser: ReadonlySet<string> = new Set(["28P01", "28000", "42501"]);

const maxCauses = 5;

/**
 * Describes why an operation of a store in a database has failed. A model and a remote user may read the message, so it
 * does not name the database. The cause does, for the operator: see `explainConnectionError`.
 *
 * @returns the error itself if it is another one.
 */
export function explainStoreError(error: unknown, location: string): unknown {
  if (!ToolError.is(error) || error.code !== "store_unavailable") return error;
  const cause = explainConnectionError(error, location);
  const { retryable } = ToolError.is(cause) ? cause : error;
  const advice = retryable ? "Try again later." : "Its operator has to repair it.";
  return new ToolError("store_unavailable", `The store is not available. ${advice}`, {
    cause,
    retryable,
  });
}

/**
 * Describes why a database cannot be used: what has happened, where, and what to do. It names the host, the port and the
 * database, and neither a user nor a password.
 *
 * @returns a `ToolError` `store_unavailable`; the error itself if it is a `ToolError` about something else.
 */
export function explainConnectionError(error: unknown, location: string): unknown {
  let cause: unknown = error;
  for (let count = 0; count < maxCauses && cause instanceof Error; count++) {
    const text = describe(cause, location);
    if (text !== undefined) {
      const { retryable = true } = ToolError.is(error) ? error : {};
      return new ToolError("store_unavailable", text, {
        retryable,
        ...(namesUser.has(getCode(cause)) ? {} : { cause }),
      });
    }
    cause = cause.cause;
  }
  if (ToolError.is(error) || !(error instanceof Error)) return error;
  const code = getCode(error);
  const reason = code === "" ? "" : ` (${code})`;
  return new ToolError(
    "store_unavailable",
    `The database ${location} has refused a statement${reason}.`,
    { cause: error, retryable: false },
  );
}

function describe(error: Error, location: string): string | undefined {
  const known = texts[getCode(error)];
  if (known !== undefined) return known(location);
  const { message } = error;
  if (/timeout|timed out|has not answered within/i.test(message)) return noAnswer(location);
  if (/does not support SSL/i.test(message)) {
    return `The database ${location} has no TLS: remove sslmode from the URL, or turn TLS on there.`;
  }
  if (/certificate|^ERR_TLS/i.test(`${getCode(error)} ${message}`)) {
    return `The certificate of the database ${location} is not trusted: name the file of its authority with sslrootcert in the URL.`;
  }
  if (/password must be a string|no password/i.test(message)) {
    return `The database ${location} asks for a password, and the URL has none: write \${DB_PASSWORD} there, and set that variable.`;
  }
  if (/Connection terminated/i.test(message)) return texts["ECONNRESET"]?.(location);
  return undefined;
}

function noAnswer(location: string): string {
  return `The database ${location} does not answer: check the network and the firewalls between this machine and it.`;
}

function getCode(error: Error): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}
