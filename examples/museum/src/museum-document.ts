import { museumComponents } from "./museum-components.ts";

type Part = Readonly<Record<string, unknown>>;

const json = (schema: string): Part => ({
  "application/json": { schema: { $ref: `#/components/schemas/${schema}` } },
});
const answer = (description: string, schema: string): Part => ({
  description,
  content: json(schema),
});
const shared = (response: string): Part => ({ $ref: `#/components/responses/${response}` });
const eventId: Part = { $ref: "#/components/parameters/EventId" };

const eventPaths: Part = {
  "/events": {
    get: {
      operationId: "listEvents",
      tags: ["events"],
      summary: "List events",
      description:
        "Lists the museum's events by their first day. Every filter narrows; without any, the whole programme.",
      parameters: [
        {
          name: "from",
          in: "query",
          description: "Only events that end on this day or later.",
          schema: { type: "string", format: "date" },
        },
        {
          name: "to",
          in: "query",
          description: "Only events that start on this day or earlier.",
          schema: { type: "string", format: "date" },
        },
        {
          name: "kind",
          in: "query",
          description: "Only events of this kind.",
          schema: { $ref: "#/components/schemas/EventKind" },
        },
        {
          name: "tags",
          in: "query",
          description: "Only events that carry all of these tags.",
          schema: { type: "array", items: { type: "string" } },
        },
        {
          name: "limit",
          in: "query",
          description: "How many events to list at most.",
          schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
        },
      ],
      responses: {
        "200": answer("The events that match.", "EventList"),
        "400": shared("InvalidParameters"),
      },
    },
    post: {
      operationId: "createEvent",
      tags: ["events"],
      summary: "Add an event",
      description: "Adds an event to the programme and answers with it and its id.",
      requestBody: { required: true, content: json("NewEvent") },
      responses: {
        "201": {
          ...answer("The event that was added.", "Event"),
          headers: {
            Location: { description: "Where the event is now.", schema: { type: "string" } },
          },
        },
        "400": shared("InvalidParameters"),
        "422": shared("InvalidBody"),
      },
    },
  },
  "/events/{eventId}": {
    parameters: [eventId],
    get: {
      operationId: "getEvent",
      tags: ["events"],
      summary: "Get one event",
      description: "Everything about one event.",
      responses: {
        "200": answer("The event.", "Event"),
        "400": shared("InvalidParameters"),
        "404": shared("NoSuchEvent"),
      },
    },
    patch: {
      operationId: "updateEvent",
      tags: ["events"],
      summary: "Change an event",
      description: "Changes the fields that are sent and leaves the others as they are.",
      requestBody: { required: true, content: json("EventChanges") },
      responses: {
        "200": answer("The event as it is now.", "Event"),
        "400": shared("InvalidParameters"),
        "404": shared("NoSuchEvent"),
        "422": shared("InvalidBody"),
      },
    },
    delete: {
      operationId: "deleteEvent",
      tags: ["events"],
      summary: "Delete an event",
      description: "Removes an event and all of its tickets. This cannot be undone.",
      responses: {
        "204": { description: "The event is gone." },
        "400": shared("InvalidParameters"),
        "404": shared("NoSuchEvent"),
      },
    },
  },
  "/events/{eventId}/poster": {
    parameters: [eventId],
    get: {
      operationId: "getEventPoster",
      tags: ["events"],
      summary: "Get an event's poster",
      description: "The poster of an event as a small PNG image.",
      responses: {
        "200": { description: "The poster.", content: { "image/png": {} } },
        "400": shared("InvalidParameters"),
        "404": shared("NoSuchEvent"),
      },
    },
  },
};

const visitPaths: Part = {
  "/hours": {
    get: {
      operationId: "getHours",
      tags: ["visit"],
      summary: "Opening hours of a day",
      description: "When the museum opens and closes on a day. It is closed on Mondays.",
      parameters: [
        {
          name: "date",
          in: "query",
          required: true,
          description: "The day to ask about.",
          schema: { type: "string", format: "date" },
        },
      ],
      responses: {
        "200": answer("The opening hours.", "Hours"),
        "400": shared("InvalidParameters"),
      },
    },
  },
  "/tickets": {
    post: {
      operationId: "buyTickets",
      tags: ["visit"],
      summary: "Buy tickets for an event",
      description: "Buys up to ten tickets for one visitor. Needs the key of the ticket office.",
      security: [{ museumKey: [] }],
      requestBody: { required: true, content: json("TicketOrder") },
      responses: {
        "201": answer("The tickets that were bought.", "Ticket"),
        "400": shared("InvalidParameters"),
        "401": shared("KeyMissing"),
        "404": shared("NoSuchEvent"),
        "409": shared("TooFewLeft"),
        "422": shared("InvalidBody"),
      },
    },
  },
  "/exhibits/live": {
    get: {
      operationId: "watchExhibits",
      tags: ["exhibits"],
      summary: "Look through the gallery camera",
      description: "What the gallery camera sees now. The camera is being serviced.",
      responses: { "503": shared("CameraOffline") },
    },
  },
  "/exhibits/tour": {
    get: {
      operationId: "takeTour",
      tags: ["exhibits"],
      summary: "Take a guided tour",
      description: "Walks through the exhibits and answers when the tour is over.",
      parameters: [
        {
          name: "seconds",
          in: "query",
          description: "How long the tour takes.",
          schema: { type: "integer", minimum: 0, maximum: 600, default: 30 },
        },
      ],
      responses: {
        "200": answer("Where the tour led.", "Tour"),
        "400": shared("InvalidParameters"),
      },
    },
  },
};

/**
 * The museum's OpenAPI document, as `GET /openapi.json` serves it.
 *
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export const museumDocument: Part = {
  openapi: "3.1.1",
  info: {
    title: "Museum",
    version: "1.0.0",
    summary: "The programme of a small museum.",
    description: "Events, opening hours, tickets and exhibits of a museum that does not exist.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/" }],
  tags: [
    { name: "events", description: "The museum's programme." },
    { name: "visit", description: "What a visitor needs." },
    { name: "exhibits", description: "The exhibits from afar." },
  ],
  paths: { ...eventPaths, ...visitPaths },
  components: museumComponents,
};
