import assert from "node:assert/strict";

import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";

import { Guide } from "./guide.ts";
import { startMuseum } from "./service.ts";
import type { Museum } from "./service.ts";
import type { Terminal } from "./terminal.ts";
import { printTools } from "./tool-table.ts";

/**
 * Opens the museum, makes tools of its OpenAPI document and runs a scripted conversation with them.
 * Rejects when a step does not come out as it should; everything is closed in any case.
 */
export async function runDemo(terminal: Terminal): Promise<void> {
  const visitor = new AbortController();
  const museum = await startMuseum({
    onRequest: ({ url }) => {
      if (url.startsWith("/exhibits/tour")) visitor.abort();
    },
  });
  const registry = new ToolRegistry([openApiSource(museum.documentUrl)]);
  try {
    await registry.ready;
    assert.deepEqual(registry.problems, []);
    const executor = new ToolExecutor({ registry });

    terminal.line(
      terminal.paint("bold", "Toolweave: an API becomes tools, and every call takes one path."),
    );
    terminal.line();
    terminal.line(`A museum serves ${museum.documentUrl}; each of its operations is a tool now:`);
    terminal.line();
    printTools(terminal, executor.toolset.specs());
    terminal.line();
    terminal.line(
      "A model calls them below, by script. Each call takes the same stages: 1 resolve, 2 parse,\n" +
        "3 strip, 4 validate, 5 count, 6 hooks, 7 authorize, 8 run, 9 normalise, 10 bound, 11 events.",
    );
    await converse(new Guide(executor, museum, terminal), museum, visitor);
  } finally {
    await registry.close();
    await museum.close();
  }
  terminal.line();
  terminal.line(terminal.paint("green", "Every step came out as it should; everything is closed."));
  terminal.line();
  terminal.line("Your own API:  npx -y pnpm@12 start <openapi url or file>");
}

async function converse(guide: Guide, museum: Museum, visitor: AbortController): Promise<void> {
  guide.heading("A call that reads runs at once");
  await guide.call("list_events", { kind: "tour" }, { status: "completed" });

  guide.heading("An invalid argument never leaves the house, and the model reads how to repair it");
  await guide.call(
    "list_events",
    { kind: "opera", limit: 500 },
    { status: "failed", code: "invalid_arguments" },
  );

  guide.heading("A tool that does not exist is answered with the names that come near");
  await guide.call("get_events", {}, { status: "failed", code: "not_found" });

  guide.heading("An error of the API is an answer, too");
  const missing = await guide.call(
    "get_event",
    { eventId: 99 },
    { status: "completed", code: "upstream" },
  );
  assert(missing.status === "completed" && missing.error?.status === 404);

  guide.heading("A cancelled call ends at once, and the API notices");
  await guide.call(
    "take_tour",
    { seconds: 600 },
    { status: "failed", code: "cancelled" },
    visitor.signal,
  );
  const tour = museum.requests.at(-1);
  assert(tour !== undefined);
  assert.equal(await tour.finished, "disconnected");
  guide.note("the museum saw the visitor leave before the tour was over");

  guide.heading("A call that writes waits for a person, and goes on from there when approved");
  const creation = await guide.interrupted("create_event", {
    title: "Watercolour for Beginners",
    kind: "workshop",
    startsOn: "2027-06-05",
    capacity: 10,
  });
  await guide.resume(creation, { type: "approve" }, { status: "completed" });

  guide.heading("A person can say no, and the model reads why");
  const rejected = await guide.interrupted("delete_event", { eventId: 1 });
  await guide.resume(
    rejected,
    { type: "reject", reason: "The exhibition still runs." },
    { status: "failed", code: "approval_rejected" },
  );

  guide.heading("A delete waits, is approved, and the event is gone");
  const deletion = await guide.interrupted("delete_event", { eventId: 7 });
  await guide.resume(deletion, { type: "approve" }, { status: "completed" });
  const tours = await guide.call("list_events", { kind: "tour" }, { status: "completed" });
  assert(tours.status === "completed");
  const titles = titlesOf(tours.result.value);
  assert.deepEqual(titles, ["Lanterns After Dark"]);
  guide.note(`there were two tours; what is left is ${titles.join(", ")}`);
}

function titlesOf(value: unknown): string[] {
  return (value as { events: { title: string }[] }).events.map((event) => event.title);
}
