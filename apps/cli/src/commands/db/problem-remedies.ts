/** The remedy of each problem of a database, by the beginning of its sentence. */
const remedies: readonly (readonly [beginning: RegExp, remedy: string])[] = [
  [/^fsync /, "Set fsync = on in postgresql.conf, and reload the server."],
  [/^full_page_writes /, "Set full_page_writes = on in postgresql.conf, and reload the server."],
  [
    /^synchronous_commit /,
    "Set synchronous_commit = on in postgresql.conf or for the role, and reload the server.",
  ],
  [
    /^The store has no key/,
    "Set TOOLWEAVE_KEY to the same value on every machine, such as what `openssl rand -base64 32` prints.",
  ],
  [
    /^The server has been promoted/,
    "Check the effects of calls that were approved at that time, and use synchronous replication (synchronous_standby_names).",
  ],
];

/** The remedy of a problem; undefined: its sentence has it. */
export function findRemedy(problem: string): string | undefined {
  return remedies.find(([beginning]) => beginning.test(problem))?.[1];
}
