import { eventKinds } from "./museum-event.ts";

type Component = Readonly<Record<string, unknown>>;

const date = (description: string): Component => ({
  type: "string",
  format: "date",
  description,
  examples: ["2027-03-14"],
});

const problemAnswer = (description: string): Component => ({
  description,
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
});

const eventProperties: Component = {
  title: { type: "string", minLength: 1, maxLength: 120, description: "What visitors read." },
  kind: { $ref: "#/components/schemas/EventKind" },
  startsOn: date("The first day."),
  endsOn: date("The last day. The same as startsOn for an event of one day."),
  room: { type: "string", minLength: 1, maxLength: 80, description: "Where it takes place." },
  capacity: { type: "integer", minimum: 1, maximum: 5000, description: "Tickets in all." },
  priceCents: {
    type: "integer",
    minimum: 0,
    maximum: 100_000,
    description: "The price of one ticket in euro cents; 0 is free.",
  },
  tags: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 30 },
    maxItems: 10,
    uniqueItems: true,
    description: "Short labels such as family or geology.",
  },
};

const schemas: Component = {
  EventKind: { type: "string", enum: eventKinds, description: "What kind of thing an event is." },
  Event: {
    type: "object",
    description: "An event of the museum.",
    required: ["id", ...Object.keys(eventProperties)],
    properties: { id: { type: "integer", minimum: 1 }, ...eventProperties },
  },
  NewEvent: {
    type: "object",
    description: "An event to add. The room defaults to Main Hall and the price to nothing.",
    required: ["title", "kind", "startsOn", "capacity"],
    properties: eventProperties,
    additionalProperties: false,
  },
  EventChanges: {
    type: "object",
    description: "The fields to change; what is left out stays as it is.",
    minProperties: 1,
    properties: eventProperties,
    additionalProperties: false,
  },
  EventList: {
    type: "object",
    required: ["events", "total"],
    properties: {
      events: { type: "array", items: { $ref: "#/components/schemas/Event" } },
      total: { type: "integer", description: "How many events match, listed or not." },
    },
  },
  Hours: {
    type: "object",
    required: ["date", "open"],
    properties: {
      date: date("The day asked for."),
      open: { type: "boolean" },
      opensAt: { type: "string", description: "Local time, such as 10:00." },
      closesAt: { type: "string", description: "Local time, such as 18:00." },
      note: { type: "string" },
    },
  },
  TicketOrder: {
    type: "object",
    required: ["eventId", "visitor", "quantity"],
    properties: {
      eventId: { type: "integer", minimum: 1 },
      visitor: {
        type: "string",
        minLength: 1,
        maxLength: 80,
        description: "The name on the ticket.",
      },
      quantity: { type: "integer", minimum: 1, maximum: 10 },
    },
    additionalProperties: false,
  },
  Ticket: {
    type: "object",
    required: ["id", "eventId", "visitor", "quantity", "totalCents"],
    properties: {
      id: { type: "integer" },
      eventId: { type: "integer" },
      visitor: { type: "string" },
      quantity: { type: "integer" },
      totalCents: { type: "integer", description: "What the tickets cost, in euro cents." },
    },
  },
  Tour: {
    type: "object",
    required: ["seconds", "rooms"],
    properties: {
      seconds: { type: "integer" },
      rooms: { type: "array", items: { type: "string" } },
    },
  },
  Problem: {
    type: "object",
    description: "What went wrong (RFC 9457).",
    required: ["type", "title", "status", "detail"],
    properties: {
      type: { type: "string" },
      title: { type: "string" },
      status: { type: "integer" },
      detail: { type: "string" },
      errors: {
        type: "array",
        items: {
          type: "object",
          required: ["pointer", "detail"],
          properties: {
            pointer: { type: "string", description: "A JSON pointer, or a parameter's name." },
            detail: { type: "string" },
          },
        },
      },
    },
  },
};

/** The `components` of the museum's OpenAPI document. */
export const museumComponents: Component = {
  schemas,
  parameters: {
    EventId: {
      name: "eventId",
      in: "path",
      required: true,
      description: "The event's id, as listEvents gives it.",
      schema: { type: "integer", minimum: 1 },
    },
  },
  responses: {
    InvalidParameters: problemAnswer("A parameter or the body cannot be read."),
    InvalidBody: problemAnswer("A field of the body is wrong; errors names each."),
    KeyMissing: problemAnswer("The key is missing or wrong."),
    NoSuchEvent: problemAnswer("There is no such event."),
    TooFewLeft: problemAnswer("The event has too few tickets left."),
    CameraOffline: {
      ...problemAnswer("The camera is being serviced."),
      headers: {
        "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
      },
    },
  },
  securitySchemes: {
    museumKey: {
      type: "apiKey",
      in: "header",
      name: "X-Api-Key",
      description: "The key of the ticket office.",
    },
  },
};
