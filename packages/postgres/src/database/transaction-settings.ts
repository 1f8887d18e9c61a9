/** A connection, as far as statements need it. */
interface Connection {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The settings of a session that the functions of the schema rely on, and their values. */
const needed: Readonly<Record<string, string>> = {
  // A lock is taken and rows are counted after it: the count has to see what others have committed meanwhile.
  transaction_isolation: "read committed",
  // Times are numbers, which have to come back with all digits.
  extra_float_digits: "1",
  // A lock is waited for until the deadline of the statement.
  lock_timeout: "0",
  transaction_deferrable: "off",
};

/** Parameters of a connection that is opened with the needed settings. */
export const startupOptions: string = [
  "-c default_transaction_isolation=read\\ committed",
  "-c default_transaction_deferrable=off",
  "-c extra_float_digits=1",
  "-c lock_timeout=0",
].join(" ");

/** Begins a transaction with the needed settings. */
export const beginTransaction =
  "BEGIN ISOLATION LEVEL READ COMMITTED, NOT DEFERRABLE; SET LOCAL extra_float_digits = 1; SET LOCAL lock_timeout = 0";

/** The connections that were looked at; true: the defaults of their transactions are the needed settings. */
const looked = new WeakMap<Connection, boolean>();

/**
 * Runs a statement as a transaction with the settings that it needs, whatever the defaults of the database, of the role
 * and of the host's pool are. They are read once for each connection.
 */
export async function queryWithSettings(
  client: Connection,
  text: string,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  let isUsual = looked.get(client);
  if (isUsual === undefined) {
    isUsual = await hasNeededSettings(client);
    looked.set(client, isUsual);
  }
  if (isUsual) return (await client.query(text, [...values])).rows;
  await client.query(beginTransaction);
  const { rows } = await client.query(text, [...values]);
  await client.query("COMMIT");
  return rows;
}

async function hasNeededSettings(client: Connection): Promise<boolean> {
  const names = Object.keys(needed);
  const columns = names.map((name) => `current_setting('${name}') AS ${name}`);
  const { rows } = await client.query(`SELECT ${columns.join(", ")}`);
  const found = rows[0] as Readonly<Record<string, unknown>>;
  return names.every((name) =>
    name === "extra_float_digits" ? Number(found[name]) >= 1 : found[name] === needed[name],
  );
}
