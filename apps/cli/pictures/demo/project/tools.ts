import { setTimeout as wait } from "node:timers/promises";
import { defineTool, suspend, type Interruption, type JsonValue } from "@toolweave/core";

const day = { type: "string", format: "date" } as const;

/** Looks at the programme, and adds an event to it. */
export const planEvent = defineTool({
  name: "plan_event",
  title: "Plan an event",
  description: "Finds a free evening in a period, and adds an event to the programme.",
  input: {
    type: "object",
    properties: {
      title: { type: "string", description: "What visitors read." },
      from: { ...day, description: "The first day of the period." },
      to: { ...day, description: "The last day of the period." },
    },
    required: ["title", "from", "to"],
    additionalProperties: false,
  },
  execute: async ({ title, from, to }, { scope, resumed }) => {
    if (resumed === undefined) {
      await scope.executeAll([
        { id: "tours", name: "list_events", arguments: { from, to, kind: "tour" } },
        { id: "concerts", name: "list_events", arguments: { from, to, kind: "concert" } },
        { id: "letters", name: "letters__list_directory", arguments: { path: "." } },
      ]);
      await scope.execute({ id: "hours", name: "get_hours", arguments: { date: to } });
    }
    const event = { title, kind: "tour", startsOn: to, capacity: 25, tags: ["evening"] };
    const added =
      resumed === undefined
        ? await scope.execute({ id: "event", name: "create_event", arguments: event })
        : await scope.resume(resumed.state as unknown as Interruption);
    if (added.status === "interrupted") {
      return suspend(added.interruption.requests, added.interruption as unknown as JsonValue);
    }
    await scope.execute({
      id: "note",
      name: "notes__create_entities",
      arguments: {
        entities: [{ name: title, entityType: "event", observations: [`It is on ${to}.`] }],
      },
    });
    return { planned: title, day: to };
  },
});

/** Makes a catalogue in the background. */
export const buildCatalogue = defineTool({
  name: "build_catalogue",
  title: "Build the catalogue",
  description: "Builds the catalogue of a season as pages for the printer. Takes some minutes.",
  input: {
    type: "object",
    properties: {
      season: { enum: ["spring", "summer", "autumn", "winter"] },
      pages: { type: "integer", minimum: 1, maximum: 200, default: 64 },
    },
    required: ["season"],
    additionalProperties: false,
  },
  execution: "task",
  timeoutMs: 600_000,
  execute: async ({ season, pages = 64 }, { progress, signal }) => {
    for (let page = 1; page <= pages; page++) {
      progress({ message: `Page ${page}`, done: page, total: pages });
      await wait(pages > 100 ? 3_000 : 2, undefined, { signal });
    }
    if (season === "winter") throw new Error("The printer has no paper of this size");
    return { season, pages, file: `catalogue-${season}.pdf` };
  },
});

const rooms = ["Gallery 1", "Gallery 2", "Great Hall", "Studio", "Restoration Workshop"];
const names = ["Amber", "Woodblock", "Compass", "Fossil", "Lantern", "Atlas", "Loom", "Globe"];

/** Returns more than a model can read at once. */
export const exportInventory = defineTool({
  name: "export_inventory",
  title: "Export the inventory",
  description: "Exports all objects of the collection with their rooms.",
  input: { type: "object", properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
  execute: () =>
    Array.from({ length: 4_000 }, (_, index) => {
      const number = `M-${String(index + 1).padStart(5, "0")}`;
      const name = `${names[(index * 5) % names.length]} of ${1480 + ((index * 13) % 460)}`;
      return `${number}  ${name.padEnd(20)}${rooms[(index * 7) % rooms.length]}`;
    }).join("\n"),
});
