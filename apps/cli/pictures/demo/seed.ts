import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { loadConfig, lockOf, writeLock } from "@toolweave/config";
import {
  ToolExecutor,
  type Answer,
  type JsonObject,
  type ToolOutcome,
  type ToolRun,
} from "@toolweave/core";
import { memoryOwner } from "@toolweave/core/stores";
import { auditFile, eventFile, sqliteStore } from "@toolweave/stores";
import type { DemoFolder } from "./demo-folder.ts";

const minute = 60_000;
const person = "Mira Okafor";
const concierge = { id: "front-desk", agent: "concierge" };
const planner = { id: "programme", agent: "planner" };

/** Locks the tools as they are. */
export async function lockTools({ folder, env }: DemoFolder): Promise<void> {
  const config = await loadConfig(join(folder, "toolweave.json"), { env });
  try {
    await config.registry.ready;
    const lock = lockOf(config.registry.toolset().entries(), { details: true });
    await writeLock(join(folder, "toolweave.lock.json"), lock);
  } finally {
    await config.close();
  }
}

/** Makes the calls of an afternoon as a gateway does: it records them, and leaves a store and an audit. */
export async function makeCalls({ folder, env, files }: DemoFolder): Promise<void> {
  const config = await loadConfig(join(folder, "toolweave.json"), { env });
  await config.registry.ready;
  const store = sqliteStore(files.store);
  const recorder = eventFile(files.events);
  const clock = new EarlierClock();
  const executor = new ToolExecutor({
    registry: config.registry,
    ...config.executorOptions,
    key: env["TOOLWEAVE_KEY"] ?? "",
    pendingCalls: store.pendingCalls,
    grants: store.grants,
    tasks: store.tasks,
    artifacts: store.artifacts,
    audit: auditFile(files.audit),
    eventPayloads: true,
    clock,
  });
  executor.on(recorder);
  const afternoon = new Afternoon(executor, clock);
  try {
    await afternoon.answerLetter();
    await afternoon.planEvening();
    await afternoon.lookThroughCamera();
    await afternoon.buildCatalogues();
    await afternoon.tidyProgramme();
    await afternoon.exportInventory();
    await afternoon.leaveWaiting();
    rememberFacts(folder, clock);
    await recorder.flush();
  } finally {
    await recorder.close();
    await executor.drain({ graceMs: 1_000 });
    await config.close();
    store.close();
  }
}

/** What the agents remember, in the file of the built-in tools. */
function rememberFacts(folder: string, clock: EarlierClock): void {
  const store = sqliteStore({ path: join(folder, "state", "builtin.sqlite"), clock });
  const facts = [
    [
      planner,
      51,
      "rooms",
      "The Great Hall is being painted until 2 April: use the Lecture Theatre.",
    ],
    [
      planner,
      32,
      "delete events",
      "Events are never deleted: ask for a change of the date instead.",
    ],
    [concierge, 8, "school classes", "Classes of more than 20 are split into two groups."],
    [
      concierge,
      3,
      "opening of the shop",
      "The museum shop opens one hour after the museum, and closes half an hour before it.\nIt is closed on Mondays, also when the museum is open.",
    ],
  ] as const;
  for (const [caller, minutesAgo, key, content] of facts) {
    clock.goTo(minutesAgo);
    void store.memory.set(memoryOwner(caller), { key, content, category: "core" });
  }
  store.close();
}

/** The time of day of an earlier moment, which passes as usual. */
class EarlierClock {
  readonly setTimeout = (callback: () => void, ms: number): NodeJS.Timeout =>
    setTimeout(callback, ms);
  readonly clearTimeout = (timer: unknown): void => clearTimeout(timer as NodeJS.Timeout);
  #offset = 0;

  now(): number {
    return Date.now() - this.#offset;
  }

  goTo(minutesAgo: number): void {
    this.#offset = minutesAgo * minute;
  }

  /** As if time had passed. */
  advance(ms: number): void {
    this.#offset -= ms;
  }
}

class Afternoon {
  readonly #executor: ToolExecutor;
  readonly #clock: EarlierClock;

  constructor(executor: ToolExecutor, clock: EarlierClock) {
    this.#executor = executor;
    this.#clock = clock;
  }

  async answerLetter(): Promise<void> {
    this.#clock.goTo(186);
    const run = this.#executor.startRun({ id: "letter-from-noor-haddad", caller: concierge });
    const read = "letters__read_text_file";
    await call(run, "files", "letters__list_directory", { path: "." });
    await run.executeAll([
      { id: "letter", name: read, arguments: { path: "lantern-tour.txt" } },
      { id: "tours", name: "list_events", arguments: { kind: "tour", from: "2027-04-01" } },
    ]);
    await wait(300);
    await call(run, "event", "get_event", { eventId: 7 });
    const order = { eventId: 7, visitor: "Noor Haddad", quantity: 4 };
    await this.#approve(await call(run, "tickets", "buy_tickets", order), 74_000);
    const answer = {
      path: "answer-noor-haddad.txt",
      content: "Four places on the tour of 17 April are yours. The tickets are enclosed.\n",
    };
    const always = { scope: "always", arguments: "any" } as const;
    await this.#approve(await call(run, "answer", "letters__write_file", answer), 21_000, always);
  }

  async planEvening(): Promise<void> {
    this.#clock.goTo(121);
    const run = this.#executor.startRun({ id: "spring-evenings", caller: planner });
    const plan = { title: "Lanterns After Dark, Again", from: "2027-04-12", to: "2027-04-24" };
    await this.#approve(await call(run, "plan", "plan_event", plan), 26_000);
    await call(run, "check", "list_events", { from: plan.from, to: plan.to });
  }

  async lookThroughCamera(): Promise<void> {
    this.#clock.goTo(64);
    const run = this.#executor.startRun({ id: "gallery-camera", caller: concierge });
    await call(run, "camera", "watch_exhibits", {});
    await call(run, "hours", "get_hours", { date: "2027-03-15" });
  }

  async buildCatalogues(): Promise<void> {
    this.#clock.goTo(52);
    const run = this.#executor.startRun({ id: "catalogues", caller: planner });
    for (const season of ["spring", "winter"]) {
      const started = await call(run, season, "build_catalogue", { season, pages: 48 });
      const taskId = started.result?.taskId;
      if (taskId !== undefined) await this.#executor.tasks.result(taskId, { caller: planner });
    }
  }

  async tidyProgramme(): Promise<void> {
    this.#clock.goTo(33);
    const run = this.#executor.startRun({ id: "tidy-the-programme", caller: planner });
    await call(run, "list", "list_events", { to: "2027-03-15" });
    const tags = { eventId: 6, body: { tags: ["geology", "family", "schools"] } };
    await this.#approve(await call(run, "tags", "update_event", tags), 12_000, "always");
    await call(run, "delete", "delete_event", { eventId: 3 });
    await call(run, "poster", "get_event_poster", { eventId: 2 });
    const change = { eventId: 3, body: { room: "Great Hall", capacity: 180 } };
    const asked = await call(run, "move", "update_event", change);
    this.#clock.advance(38_000);
    await this.#answer(asked, {
      type: "reject",
      by: person,
      reason: "The Great Hall is being painted.",
    });
  }

  async exportInventory(): Promise<void> {
    this.#clock.goTo(18);
    const run = this.#executor.startRun({ id: "inventory", caller: planner });
    await call(run, "export", "export_inventory", {});
  }

  async leaveWaiting(): Promise<void> {
    this.#clock.goTo(9);
    const visit = this.#executor.startRun({ id: "school-visit", caller: concierge });
    await call(visit, "letter", "letters__read_text_file", { path: "school-visit.txt" });
    await call(visit, "event", "create_event", {
      title: "Fossils for Beginners",
      kind: "workshop",
      startsOn: "2027-05-13",
      room: "Studio",
      capacity: 20,
      tags: ["family", "geology"],
    });
    this.#clock.goTo(4);
    const order = { eventId: 5, visitor: "Jonas Lindqvist", quantity: 2 };
    const tickets = this.#executor.startRun({ id: "concert-tickets", caller: concierge });
    await call(tickets, "tickets", "buy_tickets", order);
  }

  /** A person approves a call a while after it has asked. */
  async #approve(
    outcome: ToolOutcome,
    afterMs: number,
    grant?: Extract<Answer, { type: "approve" }>["grant"],
  ): Promise<void> {
    this.#clock.advance(afterMs);
    await this.#answer(outcome, {
      type: "approve",
      by: person,
      ...(grant === undefined ? {} : { grant }),
    });
  }

  async #answer(outcome: ToolOutcome, answer: Answer): Promise<void> {
    if (outcome.status !== "interrupted") {
      throw new Error(`The call does not wait for a person: ${JSON.stringify(outcome)}`);
    }
    await this.#executor.resume(outcome.interruption, [answer]);
  }
}

/** A call after the time that a model takes to decide on it. */
async function call(
  run: ToolRun,
  id: string,
  name: string,
  args: JsonObject,
): Promise<ToolOutcome> {
  await wait(180);
  return run.execute({ id, name, arguments: args });
}
