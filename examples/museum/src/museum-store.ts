import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";

import { seedEvents } from "./museum-event.ts";
import type { EventKind, MuseumEvent, NewEvent } from "./museum-event.ts";

/** The events to list. Every filter narrows. */
export interface EventFilter {
  /** Events that end on this day or later. */
  readonly from?: string;
  /** Events that start on this day or earlier. */
  readonly to?: string;
  readonly kind?: EventKind;
  /** Events that carry all of these. */
  readonly tags: readonly string[];
  readonly limit: number;
}

/** A ticket that was sold. */
interface Ticket {
  readonly id: number;
  readonly eventId: number;
  readonly visitor: string;
  readonly quantity: number;
  readonly totalCents: number;
}

/** The result of buying tickets: the ticket, or the reason why there is none. */
export type TicketSale =
  | { readonly status: "sold"; readonly ticket: Ticket }
  | { readonly status: "no_event" }
  | { readonly status: "too_few_left"; readonly left: number };

const schema = `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    startsOn TEXT NOT NULL,
    endsOn TEXT NOT NULL CHECK (endsOn >= startsOn),
    room TEXT NOT NULL,
    capacity INTEGER NOT NULL CHECK (capacity > 0),
    priceCents INTEGER NOT NULL CHECK (priceCents >= 0),
    tags TEXT NOT NULL CHECK (json_valid(tags))
  ) STRICT;
  CREATE INDEX events_by_day ON events (startsOn, id);
  CREATE TABLE tickets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    eventId INTEGER NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    visitor TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0)
  ) STRICT;
  CREATE INDEX tickets_by_event ON tickets (eventId);
`;

/** The museum's state: events and tickets in an SQLite database in memory. */
export class MuseumStore {
  readonly #db = new DatabaseSync(":memory:");

  /** A new store with the seed programme. */
  constructor() {
    this.#db.exec("PRAGMA foreign_keys = ON");
    this.#db.exec(schema);
    for (const event of seedEvents) this.create(event);
  }

  /** Events by their first day, and the total number of matches. */
  list(filter: EventFilter): { events: MuseumEvent[]; total: number } {
    const where = `
      WHERE (:from IS NULL OR endsOn >= :from)
        AND (:to IS NULL OR startsOn <= :to)
        AND (:kind IS NULL OR kind = :kind)
        AND NOT EXISTS (
          SELECT 1 FROM json_each(:tags) AS wanted
          WHERE wanted.value NOT IN (SELECT value FROM json_each(events.tags)))`;
    const values = {
      from: filter.from ?? null,
      to: filter.to ?? null,
      kind: filter.kind ?? null,
      tags: JSON.stringify(filter.tags),
    };
    const rows = this.#db
      .prepare(`SELECT * FROM events ${where} ORDER BY startsOn, id LIMIT :limit`)
      .all({ ...values, limit: filter.limit });
    const count = this.#db.prepare(`SELECT count(*) AS total FROM events ${where}`).get(values);
    return { events: rows.map(toEvent), total: Number(count?.["total"]) };
  }

  /** The event with this id, if there is one. */
  get(id: number): MuseumEvent | undefined {
    const row = this.#db.prepare("SELECT * FROM events WHERE id = ?").get(id);
    return row === undefined ? undefined : toEvent(row);
  }

  /** Adds an event. Ids are never used twice. */
  create(event: NewEvent): MuseumEvent {
    const { lastInsertRowid } = this.#db
      .prepare(
        `INSERT INTO events (title, kind, startsOn, endsOn, room, capacity, priceCents, tags)
         VALUES (:title, :kind, :startsOn, :endsOn, :room, :capacity, :priceCents, :tags)`,
      )
      .run(toRow(event));
    return { id: Number(lastInsertRowid), ...event };
  }

  /** Replaces the fields of the event with this id. */
  replace(event: MuseumEvent): void {
    this.#db
      .prepare(
        `UPDATE events SET title = :title, kind = :kind, startsOn = :startsOn, endsOn = :endsOn,
         room = :room, capacity = :capacity, priceCents = :priceCents, tags = :tags WHERE id = :id`,
      )
      .run({ id: event.id, ...toRow(event) });
  }

  /** Removes an event and its tickets; false if there was none. */
  delete(id: number): boolean {
    return this.#db.prepare("DELETE FROM events WHERE id = ?").run(id).changes > 0;
  }

  /** Sells tickets if the event has enough left. */
  sell(eventId: number, visitor: string, quantity: number): TicketSale {
    const event = this.get(eventId);
    if (event === undefined) return { status: "no_event" };
    const sold = this.#db
      .prepare("SELECT coalesce(sum(quantity), 0) AS sold FROM tickets WHERE eventId = ?")
      .get(eventId);
    const left = event.capacity - Number(sold?.["sold"]);
    if (left < quantity) return { status: "too_few_left", left };
    const { lastInsertRowid } = this.#db
      .prepare("INSERT INTO tickets (eventId, visitor, quantity) VALUES (?, ?, ?)")
      .run(eventId, visitor, quantity);
    const totalCents = event.priceCents * quantity;
    return {
      status: "sold",
      ticket: { id: Number(lastInsertRowid), eventId, visitor, quantity, totalCents },
    };
  }

  /** Frees the database. */
  close(): void {
    this.#db.close();
  }
}

function toRow(event: NewEvent): Record<string, SQLInputValue> {
  const { title, kind, startsOn, endsOn, room, capacity, priceCents } = event;
  const tags = JSON.stringify(event.tags);
  return { title, kind, startsOn, endsOn, room, capacity, priceCents, tags };
}

function toEvent(row: Record<string, SQLOutputValue>): MuseumEvent {
  return {
    id: Number(row["id"]),
    title: String(row["title"]),
    kind: String(row["kind"]) as EventKind,
    startsOn: String(row["startsOn"]),
    endsOn: String(row["endsOn"]),
    room: String(row["room"]),
    capacity: Number(row["capacity"]),
    priceCents: Number(row["priceCents"]),
    tags: JSON.parse(String(row["tags"])) as string[],
  };
}
