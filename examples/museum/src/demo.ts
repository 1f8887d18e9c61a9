import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";

import { ToolExecutor, ToolRegistry, type ToolEvent, type ToolSpec } from "@toolweave/core";
import { openApiSource } from "@toolweave/openapi";

import { showAgent } from "./agent-step.ts";
import { chosenModel } from "./chosen-model.ts";
import { showCoding } from "./coding-step.ts";
import { curator, curatorScript, task } from "./curator.ts";
import { printField } from "./fields.ts";
import { Guide } from "./guide.ts";
import { Person, type Seat } from "./person.ts";
import { startMuseum } from "./service.ts";
import type { Museum } from "./service.ts";
import { offerStudio } from "./studio-step.ts";
import type { Terminal } from "./terminal.ts";
import { printTools } from "./tool-table.ts";
import { visitorFiles } from "./visitor-files.ts";

/**
 * Opens the museum, a folder with an MCP server and an agent, puts the tools of all three into one
 * registry, and runs a scripted conversation with them. Rejects if a step has an unexpected result,
 * and with the reason of `signal` when that fires; everything is closed in any case.
 *
 * @param seat where a person is asked about the agent's calls.
 */
export async function runDemo(terminal: Terminal, seat: Seat, signal: AbortSignal): Promise<void> {
  const { model, label } = await chosenModel(process.env, curatorScript);
  const visitor = new AbortController();
  const museum = await startMuseum({
    onRequest: ({ url }) => {
      if (url.startsWith("/exhibits/tour")) visitor.abort();
    },
  });
  const files = await visitorFiles();
  const registry = new ToolRegistry([
    openApiSource(museum.documentUrl),
    files.source,
    curator(model),
  ]);
  const person = new Person(seat);
  try {
    await unlessAborted(registry.ready, signal);
    assert.deepEqual(registry.problems, []);
    const executor = new ToolExecutor({ registry, eventPayloads: true });
    const events: ToolEvent[] = [];
    executor.on((event) => void events.push(event));

    terminal.line(
      terminal.paint(
        "bold",
        "Toolweave: one registry for every tool, and every call takes one path.",
      ),
    );
    terminal.line();
    terminal.line(
      `A museum serves ${museum.documentUrl}: each of its operations is a tool.\n` +
        "An MCP server from npm works in a folder, and an agent works with the tools of both:",
    );
    terminal.line();
    printTools(terminal, [...executor.toolset.specs()].sort(byKind));
    terminal.line();
    terminal.line(
      "A model calls them below, by script. Each call takes the same stages: 1 resolve, 2 parse,\n" +
        "3 strip, 4 validate, 5 count, 6 hooks, 7 authorize, 8 run, 9 normalise, 10 bound, 11 events.",
    );
    const guide = new Guide(executor, museum, terminal, signal);
    await converse(guide, museum, visitor);

    guide.heading(
      "An agent is a tool, too: it calls the others, and you decide what it may change",
    );
    printField(terminal, "model", label);
    const approved = await showAgent({ terminal, executor, museum, person, signal }, "curator", {
      task,
    });
    const names = await readdir(files.folder);
    assert(approved.includes("files__write_file") || names.length === 1, "nothing else is written");
    guide.note(`the folder has ${names.sort().join(" and ")}`);

    guide.heading("A coding agent has its tools ready made: files, commands in a sandbox, a plan");
    await showCoding({ terminal, museum, person, signal });
    await offerStudio({ terminal, registry, events, person, signal });
  } finally {
    person.close();
    await registry.close();
    await Promise.all([museum.close(), files.remove()]);
  }
  terminal.line();
  terminal.line(terminal.paint("green", "Every step came out as it should; everything is closed."));
  terminal.line();
  terminal.line("Your own API:  npx -y pnpm@12 start <openapi url or file>");
  terminal.line("In a browser:  npx toolweave studio <openapi url, file or toolweave.json>");
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
  assert(missing.error?.status === 404);

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

  guide.heading("A call that writes waits for a person, and is resumed when approved");
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
}

/** The API's tools first, then the server's, and the agent that uses them. */
function byKind(a: ToolSpec, b: ToolSpec): number {
  const kinds = ["openapi", "mcp", "subagent"];
  return kinds.indexOf(a.provenance.adapter) - kinds.indexOf(b.provenance.adapter);
}

/** Resolves with the awaited value, unless `signal` fires before. */
async function unlessAborted<T>(awaited: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    awaited.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
