import { HttpProblem } from "./http-problem.ts";
import type { FieldProblem } from "./http-problem.ts";
import { eventKinds } from "./museum-event.ts";
import type { EventKind, MuseumEvent, NewEvent } from "./museum-event.ts";
import type { EventFilter } from "./museum-store.ts";

/** The request of a buyer of tickets. */
export interface TicketOrder {
  readonly eventId: number;
  readonly visitor: string;
  readonly quantity: number;
}

type Fields = Readonly<Record<string, unknown>>;
type Check<T> = (value: unknown) => T | undefined;

const eventFields = [
  "title",
  "kind",
  "startsOn",
  "endsOn",
  "room",
  "capacity",
  "priceCents",
  "tags",
] as const;

/**
 * The event in a request body, with the defaults of omitted fields.
 *
 * @throws HttpProblem 422 with every invalid field
 */
export function readNewEvent(body: unknown): NewEvent {
  return readEvent({ endsOn: readStart(body), room: "Main Hall", priceCents: 0, tags: [] }, body);
}

/**
 * `event` with the changes of a request body.
 *
 * @throws HttpProblem 422 with every invalid field
 */
export function readChangedEvent(event: MuseumEvent, body: unknown): MuseumEvent {
  const { id, ...current } = event;
  return { id, ...readEvent(current, body) };
}

/**
 * The order in a request body.
 *
 * @throws HttpProblem 422 with every invalid field
 */
export function readTicketOrder(body: unknown): TicketOrder {
  const form = new Form(readObject(body), "/");
  const order = {
    eventId: form.read("eventId", "a whole number from 1", integer(1)),
    visitor: form.read("visitor", "a name of 1 to 80 characters", shortText(80)),
    quantity: form.read("quantity", "a whole number from 1 to 10", integer(1, 10)),
  };
  form.rejectOthers(["eventId", "visitor", "quantity"]);
  form.finish(422, "Invalid order");
  return order;
}

/**
 * The filter in a query string.
 *
 * @throws HttpProblem 400 with every invalid parameter
 */
export function readEventFilter(query: URLSearchParams): EventFilter {
  const form = new Form(Object.fromEntries(query), "");
  const filter = {
    ...(query.has("from") ? { from: form.read("from", dateText, date) } : {}),
    ...(query.has("to") ? { to: form.read("to", dateText, date) } : {}),
    ...(query.has("kind") ? { kind: form.read("kind", kindText, kind) } : {}),
    tags: query.getAll("tags"),
    limit: query.has("limit")
      ? form.read("limit", "a whole number from 1 to 100", numberText(integer(1, 100)))
      : 20,
  };
  form.finish(400, "Invalid parameters");
  return filter;
}

/**
 * One date of a query string.
 *
 * @throws HttpProblem 400
 */
export function readDate(query: URLSearchParams, name: string): string {
  const form = new Form(Object.fromEntries(query), "");
  const value = form.read(name, dateText, date);
  form.finish(400, "Invalid parameters");
  return value;
}

/**
 * One whole number of a query string.
 *
 * @throws HttpProblem 400
 */
export function readInteger(
  query: URLSearchParams,
  name: string,
  range: { min: number; max: number; fallback: number },
): number {
  if (!query.has(name)) return range.fallback;
  const form = new Form(Object.fromEntries(query), "");
  const expected = `a whole number from ${range.min} to ${range.max}`;
  const value = form.read(name, expected, numberText(integer(range.min, range.max)));
  form.finish(400, "Invalid parameters");
  return value;
}

/** Reads fields one by one and collects all errors, so that one answer names all of them. */
class Form {
  readonly #fields: Fields;
  readonly #pointerPrefix: string;
  readonly #errors: FieldProblem[] = [];

  constructor(fields: Fields, pointerPrefix: string) {
    this.#fields = fields;
    this.#pointerPrefix = pointerPrefix;
  }

  /** The field's value; if it is invalid, a value that `finish` prevents from being used. */
  read<T>(name: string, expected: string, check: Check<T>): T {
    const given = this.#fields[name];
    const value = check(given);
    if (value === undefined) {
      this.fail(name, given === undefined ? `is missing: ${expected}` : `must be ${expected}`);
    }
    return value as T;
  }

  fail(name: string, detail: string): void {
    this.#errors.push({ pointer: this.#pointerPrefix + name, detail });
  }

  rejectOthers(known: readonly string[]): void {
    for (const name of Object.keys(this.#fields)) {
      if (!known.includes(name)) this.fail(name, "is not a field of this request");
    }
  }

  finish(status: number, title: string): void {
    if (this.#errors.length === 0) return;
    const detail = this.#errors.map((error) => `${error.pointer} ${error.detail}`).join("; ");
    throw new HttpProblem(status, title, `${detail}.`, { errors: this.#errors });
  }
}

function readEvent(defaults: Partial<NewEvent>, body: unknown): NewEvent {
  const fields = readObject(body);
  const form = new Form({ ...defaults, ...fields }, "/");
  const event = {
    title: form.read("title", "a text of 1 to 120 characters", shortText(120)),
    kind: form.read("kind", kindText, kind),
    startsOn: form.read("startsOn", dateText, date),
    endsOn: form.read("endsOn", dateText, date),
    room: form.read("room", "a text of 1 to 80 characters", shortText(80)),
    capacity: form.read("capacity", "a whole number from 1 to 5000", integer(1, 5000)),
    priceCents: form.read("priceCents", "a whole number from 0 to 100000", integer(0, 100_000)),
    tags: form.read("tags", "at most 10 different texts of 1 to 30 characters", tagList),
  };
  if (event.endsOn < event.startsOn) form.fail("endsOn", "must not be before startsOn");
  form.rejectOthers(eventFields);
  form.finish(422, "Invalid event");
  return event;
}

function readObject(body: unknown): Fields {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) return body as Fields;
  throw new HttpProblem(422, "Invalid body", "The request body must be a JSON object.");
}

/** An event without `endsOn` lasts one day. */
function readStart(body: unknown): string {
  return date(readObject(body)["startsOn"]) ?? "9999-12-31";
}

const dateText = "a date such as 2027-03-14";
const kindText = `one of ${eventKinds.join(", ")}`;

const date: Check<string> = (value) => {
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(value)) return undefined;
  const parsed = new Date(`${value}T00:00:00Z`);
  // `Date` reads 2027-02-30 as the second of March.
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(value)
    ? value
    : undefined;
};

const kind: Check<EventKind> = (value) => eventKinds.find((known) => known === value);

const tagList: Check<readonly string[]> = (value) => {
  if (!Array.isArray(value) || value.length > 10) return undefined;
  const tags = value.map(shortText(30));
  return tags.every((tag) => tag !== undefined) && new Set(tags).size === tags.length
    ? tags
    : undefined;
};

function shortText(maxLength: number): Check<string> {
  return (value) =>
    typeof value === "string" && value.trim() !== "" && value.length <= maxLength
      ? value
      : undefined;
}

function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): Check<number> {
  return (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= min && value <= max
      ? value
      : undefined;
}

function numberText(check: Check<number>): Check<number> {
  return (value) =>
    typeof value === "string" && /^\d+$/.test(value) ? check(Number(value)) : undefined;
}
