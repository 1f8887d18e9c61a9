import { setTimeout as wait } from "node:timers/promises";

import { HttpProblem } from "./http-problem.ts";
import { museumDocument } from "./museum-document.ts";
import type { MuseumEvent } from "./museum-event.ts";
import type { MuseumStore } from "./museum-store.ts";
import { posterPng } from "./poster-png.ts";
import {
  readChangedEvent,
  readDate,
  readEventFilter,
  readInteger,
  readNewEvent,
  readTicketOrder,
} from "./request-input.ts";

/** The key that `POST /tickets` requires. Everything here is an example, and so is the key. */
export const museumKey = "museum-example-key";

/** The input of a route's handler. */
interface RouteRequest {
  /** The path's parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON body. */
  readonly body: unknown;
  readonly store: MuseumStore;
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal;
}

/** The answer of a route's handler. */
export interface RouteAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

/** One operation of the service. */
export interface Route {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path in the document, such as `/events/{eventId}`. */
  readonly path: string;
  handle(request: RouteRequest): RouteAnswer | Promise<RouteAnswer>;
}

/** Every operation of the service. */
export const routes: readonly Route[] = [
  {
    method: "GET",
    path: "/openapi.json",
    handle: () => ({ status: 200, body: museumDocument }),
  },
  {
    method: "GET",
    path: "/events",
    handle: ({ store, query }) => ({ status: 200, body: store.list(readEventFilter(query)) }),
  },
  {
    method: "POST",
    path: "/events",
    handle: ({ store, body }) => {
      const event = store.create(readNewEvent(body));
      return { status: 201, headers: { Location: `/events/${event.id}` }, body: event };
    },
  },
  {
    method: "GET",
    path: "/events/{eventId}",
    handle: (request) => ({ status: 200, body: findEvent(request) }),
  },
  {
    method: "PATCH",
    path: "/events/{eventId}",
    handle: (request) => {
      const event = readChangedEvent(findEvent(request), request.body);
      request.store.replace(event);
      return { status: 200, body: event };
    },
  },
  {
    method: "DELETE",
    path: "/events/{eventId}",
    handle: (request) => {
      request.store.delete(findEvent(request).id);
      return { status: 204 };
    },
  },
  {
    method: "GET",
    path: "/events/{eventId}/poster",
    handle: (request) => ({
      status: 200,
      headers: { "Content-Type": "image/png" },
      body: posterPng(findEvent(request)),
    }),
  },
  {
    method: "GET",
    path: "/hours",
    handle: ({ query }) => ({ status: 200, body: hoursOn(readDate(query, "date")) }),
  },
  { method: "POST", path: "/tickets", handle: buyTickets },
  {
    method: "GET",
    path: "/exhibits/live",
    handle: () => {
      throw new HttpProblem(
        503,
        "Camera offline",
        "The gallery camera is being serviced. Try again in two minutes.",
        { headers: { "Retry-After": "120" } },
      );
    },
  },
  { method: "GET", path: "/exhibits/tour", handle: giveTour },
];

function findEvent({ params, store }: RouteRequest): MuseumEvent {
  const id = params["eventId"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) {
    throw new HttpProblem(400, "Invalid parameters", "eventId must be a whole number from 1.", {
      errors: [{ pointer: "eventId", detail: "must be a whole number from 1" }],
    });
  }
  const event = store.get(Number(id));
  if (event === undefined) {
    throw new HttpProblem(
      404,
      "No such event",
      `There is no event ${id}. GET /events lists the events there are.`,
    );
  }
  return event;
}

function hoursOn(date: string): Readonly<Record<string, unknown>> {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  if (weekday === 1) return { date, open: false, note: "The museum is closed on Mondays." };
  return { date, open: true, opensAt: "10:00", closesAt: weekday === 4 ? "21:00" : "18:00" };
}

function buyTickets({ headers, body, store }: RouteRequest): RouteAnswer {
  if (headers["x-api-key"] !== museumKey) {
    throw new HttpProblem(
      401,
      "Key missing or wrong",
      "Tickets are sold only with a valid key in the X-Api-Key header.",
      { headers: { "WWW-Authenticate": 'ApiKey header="X-Api-Key"' } },
    );
  }
  const order = readTicketOrder(body);
  const sale = store.sell(order.eventId, order.visitor, order.quantity);
  switch (sale.status) {
    case "sold":
      return { status: 201, body: sale.ticket };
    case "no_event":
      throw new HttpProblem(404, "No such event", `There is no event ${order.eventId}.`);
    case "too_few_left":
      throw new HttpProblem(
        409,
        "Too few tickets left",
        `Event ${order.eventId} has ${sale.left} tickets left, not ${order.quantity}.`,
      );
  }
}

async function giveTour({ query, signal }: RouteRequest): Promise<RouteAnswer> {
  const seconds = readInteger(query, "seconds", { min: 0, max: 600, fallback: 30 });
  await wait(seconds * 1000, undefined, { signal });
  return { status: 200, body: { seconds, rooms: ["Gallery 1", "Gallery 2", "Great Hall"] } };
}
