import { randomUUID } from "node:crypto";
import {
  defineTool,
  displayLine,
  displayProse,
  text,
  ToolError,
  toolsSource,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolSource,
} from "@toolweave/core";
import { checkOptions, checks, specHashOf, type OptionChecks } from "@toolweave/core/adapter";
import { askStore } from "../session/ask-store.ts";
import { parseTime } from "../time/parse-time.ts";
import type { JobSchedule, ScheduleStore, StoredJob } from "@toolweave/core/stores";
import { firstSlots } from "./next-slot.ts";
import { isTimeZone } from "./zone-time.ts";

/** Options of `scheduleTools`. */
export interface ScheduleOptions {
  /** Where jobs are stored: `sqliteStore(path).schedules` of `@toolweave/stores`. `scheduleWorker` runs them from there. */
  readonly store: ScheduleStore;
  /** The time zone of expressions that name none, by IANA. Default: `UTC`. */
  readonly timeZone?: string;
  /** The id of the source. Default: `schedule`. */
  readonly id?: string;
}

const optionChecks: OptionChecks<ScheduleOptions> = {
  store: checks.required(checks.withMethods('sqliteStore("agent.sqlite").schedules', "claim")),
  timeZone: checks.valueThat(
    (value) => typeof value === "string" && isTimeZone(value),
    'the name of a time zone, such as "Europe/Berlin"',
  ),
  id: checks.filledText,
};

interface Schedules {
  readonly store: ScheduleStore;
  readonly timeZone: string;
}

/** The slots that are named when a job is added. */
const namedSlots = 3;

const access = { filesystem: "none", process: false, network: false } as const;

/**
 * The tools `schedule_add`, `schedule_list` and `schedule_remove`: calls that are made later, by `scheduleWorker`. A job
 * calls one tool with fixed arguments, for the caller who has added it, and only a tool that this caller could call
 * then. To add one needs the permission `custom.schedule`, for which `supervised` asks.
 *
 * @throws ToolError `invalid_configuration` for an invalid option.
 * @example
 * ```ts
 * const { schedules } = sqliteStore("agent.sqlite");
 * const registry = new ToolRegistry([scheduleTools({ store: schedules })]);
 * scheduleWorker({ executor: new ToolExecutor({ registry }), store: schedules }).start();
 * ```
 */
export function scheduleTools(options: ScheduleOptions): ToolSource {
  checkOptions("scheduleTools", options, optionChecks);
  const { store, timeZone = "UTC", id = "schedule" } = options;
  const schedules = { store, timeZone };
  return toolsSource(id, [addTool(schedules), listTool(schedules), removeTool(schedules)]);
}

interface Times {
  readonly cron?: string;
  readonly time_zone?: string;
  readonly at?: string;
  readonly after_s?: number;
  readonly every_s?: number;
}

function addTool(schedules: Schedules): Tool {
  return defineTool({
    name: "schedule_add",
    description:
      "Call a tool later, once or again and again. Give exactly one of cron, at, after_s and every_s.",
    input: {
      type: "object",
      properties: {
        tool: { type: "string", pattern: "\\S", description: "The name of the tool to call." },
        arguments: { type: "object", description: "Its arguments. Default: none." },
        name: { type: "string", minLength: 1, maxLength: 100, description: "For the list." },
        cron: {
          type: "string",
          minLength: 1,
          maxLength: 100,
          description: "Minute, hour, day, month, weekday: 30 9 * * 1-5.",
        },
        time_zone: {
          type: "string",
          minLength: 1,
          maxLength: 60,
          description: `For cron, such as Europe/Berlin. Default: ${schedules.timeZone}.`,
        },
        at: { type: "string", description: "Once: a time of RFC 3339 with its offset." },
        after_s: { type: "integer", minimum: 1, maximum: 31_536_000, description: "Once." },
        every_s: { type: "integer", minimum: 60, maximum: 31_536_000 },
        missed: {
          type: "string",
          enum: ["once", "skip"],
          description: "For times that were missed: run once, late, or not at all. Default: once.",
        },
        max_runs: { type: "integer", minimum: 1 },
      },
      required: ["tool"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, openWorldHint: false, access },
    preflight: (args) => [
      {
        kind: "custom.schedule",
        target: displayLine(args.tool),
        summary: displayProse(`Call ${args.tool} ${describeTimes(args, schedules.timeZone)}`, 200),
        details: { arguments: args.arguments ?? {} },
      },
    ],
    execute: async (args, ctx) => {
      const { tool, name, missed = "once", max_runs } = args;
      const now = ctx.scope.clock.now();
      const schedule = toSchedule(args, now, schedules.timeZone);
      const slots = await firstSlots(schedule, now, namedSlots);
      const job = {
        id: `job_${randomUUID().replaceAll("-", "").slice(0, 16)}`,
        owner: toOwner(ctx),
        ...(name === undefined ? {} : { name }),
        schedule,
        tool,
        arguments: (args.arguments ?? {}) as JsonObject,
        ...(ctx.caller === undefined ? {} : { caller: ctx.caller }),
        specHash: await specHashOf(findTool(ctx, tool)),
        missed,
        ...(max_runs === undefined ? {} : { maxRuns: max_runs }),
        createdAt: now,
      } as const;
      await askStore("scheduled calls", () => schedules.store.add(job, slots[0]));
      const zone = "cron" in schedule ? schedule.timeZone : schedules.timeZone;
      const named = slots.slice(0, max_runs).map((slot) => `- ${formatSlot(slot, zone)}`);
      return {
        content: [text([`Scheduled as ${job.id}. It runs at:`, ...named].join("\n"))],
        value: { id: job.id, next: slots.map((slot) => new Date(slot).toISOString()) },
      };
    },
  });
}

function listTool({ store, timeZone }: Schedules): Tool {
  return defineTool({
    name: "schedule_list",
    description: "List the scheduled calls, with their next and their last run.",
    input: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: true, openWorldHint: false, access },
    execute: async (_, ctx) => {
      const jobs = await askStore("scheduled calls", () => store.list(toOwner(ctx)));
      const lines = jobs.map((job) => describeJob(job, timeZone));
      return {
        content: [text(lines.length === 0 ? "Nothing is scheduled." : lines.join("\n"))],
        value: jobs.map(({ id, name, tool, nextAt, runs, lastRun }) => ({
          id,
          ...(name === undefined ? {} : { name }),
          tool,
          runs,
          ...(nextAt === undefined ? {} : { next: new Date(nextAt).toISOString() }),
          ...(lastRun === undefined ? {} : { lastRun: { ...lastRun } }),
        })),
      };
    },
  });
}

function removeTool({ store }: Schedules): Tool {
  return defineTool({
    name: "schedule_remove",
    description: "Remove a scheduled call. A run that has begun is not cancelled.",
    input: {
      type: "object",
      properties: { id: { type: "string", minLength: 1, maxLength: 100 } },
      required: ["id"],
      additionalProperties: false,
    },
    annotations: { destructiveHint: false, idempotentHint: true, openWorldHint: false, access },
    execute: async ({ id }, ctx) => {
      const isRemoved = await askStore("scheduled calls", () => store.remove(toOwner(ctx), id));
      const found = isRemoved
        ? `Removed ${displayLine(id)}.`
        : `There is no job ${displayLine(id)}.`;
      return { content: [text(found)], value: { id, isRemoved } };
    },
  });
}

function toOwner({ caller }: ToolContext): string {
  return JSON.stringify([caller?.id ?? null]);
}

/**
 * The tool of a job: one that the call itself may call.
 *
 * @throws ToolError `invalid_arguments`
 */
function findTool({ scope }: ToolContext, name: string): Tool {
  const found = scope.toolset.callable(name)?.tool;
  if (found === undefined) {
    throw new ToolError("invalid_arguments", `There is no tool ${displayLine(name)} to schedule.`);
  }
  if (name.startsWith("schedule_") || name.startsWith("cron_")) {
    throw new ToolError("invalid_arguments", "A scheduled call cannot change the schedule.");
  }
  return found;
}

/** @throws ToolError `invalid_arguments` */
function toSchedule(args: Times, now: number, defaultZone: string): JobSchedule {
  const { cron, at, after_s, every_s, time_zone } = args;
  const given = [cron, at, after_s, every_s].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new ToolError(
      "invalid_arguments",
      `Give exactly one of cron, at, after_s and every_s; there are ${given.length}.`,
    );
  }
  if (cron !== undefined) return { cron, timeZone: time_zone ?? defaultZone };
  if (every_s !== undefined) return { everyMs: every_s * 1_000, from: now + every_s * 1_000 };
  if (after_s !== undefined) return { at: now + after_s * 1_000 };
  const isDate = (at as string).length === "2026-03-01".length;
  const moment = isDate ? undefined : parseTime(at as string);
  if (moment === undefined) {
    throw new ToolError(
      "invalid_arguments",
      "at is no time of RFC 3339 that exists, with its offset, such as 2026-03-01T09:00:00+01:00.",
    );
  }
  return { at: moment };
}

function describeTimes({ cron, at, after_s, every_s, time_zone }: Times, zone: string): string {
  if (cron !== undefined) return `at ${cron} (${time_zone ?? zone})`;
  if (every_s !== undefined) return `every ${every_s} s`;
  return at === undefined ? `in ${after_s} s` : `at ${at}`;
}

function describeJob(job: StoredJob, zone: string): string {
  const { id, name, tool, nextAt, runs, lastRun } = job;
  const parts = [
    `${tool} ${displayLine(JSON.stringify(job.arguments)).slice(0, 100)}`,
    nextAt === undefined ? "has ended" : `next ${formatSlot(nextAt, zone)}`,
    `${runs} runs`,
    ...(lastRun === undefined ? [] : [`last ${lastRun.status}`]),
  ];
  return `- ${id}${name === undefined ? "" : ` ${displayLine(name)}`}: ${parts.join("; ")}`;
}

/** The moment in local time and in UTC. */
function formatSlot(slot: number, timeZone: string): string {
  const utc = new Date(slot).toISOString().replace(".000Z", "Z");
  if (timeZone === "UTC") return utc;
  const local = new Intl.DateTimeFormat("sv-SE", {
    timeZone,
    dateStyle: "short",
    timeStyle: "medium",
  }).format(slot);
  return `${local} ${timeZone} (${utc})`;
}
