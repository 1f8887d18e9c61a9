import { createHash } from "node:crypto";
import type { Database } from "../database/database.ts";

/** Milliseconds for which changes are collected, so that many of them are one notification. */
const collectMs = 10;
/** A notification of PostgreSQL has less than 8,000 bytes; a topic has 22 characters. */
const maxTopics = 300;

/** The channel of a schema. */
export function toChannel(schema: string): string {
  return `toolweave:${schema}`;
}

/** The name of a row in a notification. Every role of the database can listen, so it contains no id. */
export function toTopic(kind: string, name: string): string {
  return createHash("sha256").update(`${kind}:${name}`).digest("base64url").slice(0, 22);
}

/**
 * Notifies other processes of rows that have changed. A notification in the transaction of the change would make all
 * transactions of the database wait for each other when they commit, so it is a statement of its own after the commit.
 * If it is lost, the others find the change when they read the row again.
 */
export class ChangeNotifier {
  readonly #db: Database;
  readonly #topics = new Set<string>();
  #isCollecting = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns at once. */
  notify(topic: string): void {
    this.#topics.add(topic);
    if (this.#isCollecting) return;
    this.#isCollecting = true;
    setTimeout(() => {
      this.#isCollecting = false;
      this.#send().catch(() => {});
    }, collectMs);
  }

  async #send(): Promise<void> {
    const topics = [...this.#topics];
    this.#topics.clear();
    const payloads: string[] = [];
    for (let at = 0; at < topics.length; at += maxTopics) {
      payloads.push(topics.slice(at, at + maxTopics).join(" "));
    }
    // There is nothing in it that must survive a crash.
    await this.#db.run(
      `SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payloads (payload),
         set_config('synchronous_commit', 'off', true)`,
      [toChannel(this.#db.schema), payloads],
    );
  }
}
