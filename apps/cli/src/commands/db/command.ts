import type { Command } from "commander";
import { exitCodesHelp } from "../../process/exit-code.ts";
import type { CommandContext } from "../../process/output.ts";
import { withConfig, withStore } from "../shared/options.ts";
import type { StoreOptions } from "../../sources/find-store.ts";

const dbHelp = `
The store is --store, otherwise "store" of the configuration, otherwise $TOOLWEAVE_STORE, otherwise
a file in your state folder. A database is a URL; its password is a reference to a variable:

  "store": "postgres://app:\${DB_PASSWORD}@db.example.com/toolweave"

Every machine needs the same key in $TOOLWEAVE_KEY. To replace it: toolweave db reseal --help.

Examples:
  $ toolweave db check
  $ toolweave db migrate --store 'postgres://app:\${DB_PASSWORD}@db.example.com/toolweave'
  $ toolweave db prune --config toolweave.json
  $ toolweave db reseal
`;

const checkHelp = `
Connects, and creates or changes no table. Settings of the server that can lose an approval are
problems: each has a line with what to do.

Examples:
  $ toolweave db check
  $ toolweave db check --json | jq '.problems[]'
  $ toolweave db check --store postgres://app@localhost/toolweave   # the password is in $PGPASSWORD
`;

const migrateHelp = `
Steps only add to the tables, under a lock, so that processes of the former version continue to
work. Without this command, the first call that needs the store does the same: use it if that
process may not create tables, or before a new version is deployed.

Examples:
  $ toolweave db migrate
  $ toolweave db migrate --json
`;

const pruneHelp = `
Running processes remove expired rows themselves, up to 1,000 of a table in a minute. This command
removes all of them, 1,000 of each table in a statement. Audit records and calls with an unknown
outcome are kept.

Examples:
  $ toolweave db prune
  $ toolweave db prune --json | jq .removed
`;

const resealHelp = `
Use it in step 3 of a key rotation. Tokens, tasks and outcomes of durable runs are sealed with the
key of the time at which they were stored; this command opens them and seals them with the new key:

  1. Restart all processes, one after the other, with the old key in $TOOLWEAVE_KEY and the new one
     in $TOOLWEAVE_OLD_KEYS: they can open values of both.
  2. Restart all of them with the new key in $TOOLWEAVE_KEY and the old one in $TOOLWEAVE_OLD_KEYS:
     they seal with the new one.
  3. Run this command once, on any machine, with the variables of step 2.
  4. Once no call waits that was made with the old key, restart all processes without it.

It works in batches beside running processes, and repeats until all values are sealed with the new
key. It may be interrupted and run again. Values that no key opens are left as they are.

Calls that wait and grants are not sealed again: toolweave approvals answers the calls with the old
key, and a person is asked again where a grant counted before.

Examples:
  $ toolweave db reseal
  $ toolweave db reseal --json | jq '{ok, resealed, unreadable}'
  $ TOOLWEAVE_KEY="$NEW_KEY" TOOLWEAVE_OLD_KEYS="$OLD_KEY" toolweave db reseal
`;

const unavailable = "the store cannot be used, or has been refused";

/** Registers `toolweave db`. */
export function addDb(program: Command, { io, output, end }: CommandContext): void {
  const db = program
    .command("db")
    .summary("check, update and tidy the database of a store, and rotate its key")
    .description(
      "Commands for a store that several machines use: a PostgreSQL database. A store on this machine is a file, and needs none of them.",
    )
    .addHelpText("after", dbHelp + exitCodesHelp({}));
  withStore(withConfig(db.command("check")))
    .summary("print the state of the store, and its problems")
    .description(
      "Prints the version of the server and of the tables, the latency, the rows and bytes of each table, and every problem with what to do.",
    )
    .option(
      "--json",
      "print {ok, kind, database, server, latencyMs, schema, tablesVersion, knownTablesVersion, canMigrate, keys, tables, problems}",
    )
    .addHelpText(
      "after",
      checkHelp +
        exitCodesHelp({
          0: "the store can be used, and has no problem; or it is a file",
          1: `there is a problem, or ${unavailable}`,
          3: "the configuration in this folder is not trusted; nothing was connected to",
        }),
    )
    .action(async (options: StoreOptions) => {
      const { checkDatabase } = await import("./check.ts");
      end(await checkDatabase(options, io, output));
    });
  withStore(withConfig(db.command("migrate")))
    .summary("create or update the tables")
    .description("Creates the tables of the store, or updates them to the version of this program.")
    .option("--json", "print {database, schema, from, to}; version 0: there were no tables")
    .addHelpText(
      "after",
      migrateHelp +
        exitCodesHelp({
          0: "the tables have the version of this program, or a later one",
          1: unavailable,
          3: "the configuration in this folder is not trusted; nothing was connected to",
        }),
    )
    .action(async (options: StoreOptions) => {
      const { migrateDatabase } = await import("./migrate.ts");
      end(await migrateDatabase(options, io, output));
    });
  withStore(withConfig(db.command("prune")))
    .summary("remove expired rows")
    .description("Removes all rows that have expired.")
    .option("--json", "print {database, removed, batches}")
    .addHelpText(
      "after",
      pruneHelp +
        exitCodesHelp({
          0: "no expired row is left, or another process removes them at the moment",
          1: unavailable,
          3: "the configuration in this folder is not trusted; nothing was connected to",
        }),
    )
    .action(async (options: StoreOptions) => {
      const { pruneDatabase } = await import("./prune.ts");
      end(await pruneDatabase(options, io, output));
    });
  withStore(withConfig(db.command("reseal")))
    .summary("seal all values with the new key")
    .description(
      "Seals all values again that were sealed with a key of $TOOLWEAVE_OLD_KEYS, with the one of $TOOLWEAVE_KEY.",
    )
    .option("--json", "print {ok, database, resealed, unreadable, passes, problems}")
    .addHelpText(
      "after",
      resealHelp +
        exitCodesHelp({
          0: "all values are sealed with $TOOLWEAVE_KEY",
          1: `there are values that no key opens, other processes still seal with a former key, or ${unavailable}`,
          3: "the configuration in this folder is not trusted; nothing was connected to",
        }),
    )
    .action(async (options: StoreOptions) => {
      const { resealDatabase } = await import("./reseal.ts");
      end(await resealDatabase(options, io, output));
    });
}
