import { museumScripts } from "../../../examples/museum/test/scripts/museum-scripts.ts";
import type { Read, Task } from "../task.ts";

const events = async (turn: Parameters<Task["plain"]>[0], args = {}): Promise<Read[]> => {
  const [list] = await turn(["list_events", { limit: 100, ...args }]);
  return (list as Read).events as Read[];
};

const dates = (month: string, days: number): readonly string[] =>
  Array.from({ length: days }, (_, day) => `2027-${month}-${String(day + 1).padStart(2, "0")}`);

/** Tasks over the museum, with a programme of 47 events. The scripts of the five that wait for a person are those of the test that kills their process. */
export const museumTasks: readonly Task[] = [
  {
    name: "average price by kind",
    source: "museum",
    prompt: "What does an event of each kind cost on average, in cents, rounded down?",
    plain: async (turn) => {
      const byKind: Record<string, number[]> = {};
      for (const { kind, priceCents } of await events(turn)) (byKind[kind] ??= []).push(priceCents);
      return Object.fromEntries(
        Object.entries(byKind)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([kind, all]) => [kind, Math.floor(all.reduce((a, b) => a + b) / all.length)]),
      );
    },
    describe: ["list_events"],
    scripts: [
      `kinds = {}
for e in list_events(limit=100)["events"]:
    kinds.setdefault(e["kind"], []).append(e["priceCents"])
{k: sum(kinds[k]) // len(kinds[k]) for k in sorted(kinds)}`,
    ],
  },
  {
    name: "closed days of July",
    source: "museum",
    prompt:
      "On which days of July 2027 is the museum closed, and on which is it open in the evening (after 20:00)?",
    plain: async (turn) => {
      const hours = (await turn(
        ...dates("07", 31).map((date) => ["get_hours", { date }] as const),
      )) as Read[];
      return {
        closed: hours.filter(({ open }) => !open).map(({ date }) => date),
        evening: hours.filter(({ closesAt }) => closesAt > "20:00").map(({ date }) => date),
      };
    },
    describe: ["get_hours"],
    scripts: [
      `result = {"closed": [], "evening": []}
for n in range(1, 32):
    h = get_hours(date="2027-07-" + ("0" + str(n))[-2:])
    if not h["open"]:
        result["closed"].append(h["date"])
    elif h["closesAt"] > "20:00":
        result["evening"].append(h["date"])`,
    ],
  },
  {
    name: "a discount for all tours",
    source: "museum",
    asks: true,
    prompt: "Make every tour 20 % cheaper and tell me the new prices.",
    plain: async (turn) => {
      const tours = await events(turn, { kind: "tour" });
      const changed = (await turn(
        ...tours.map(({ id, priceCents }) => {
          const body = { priceCents: Math.floor((priceCents * 8) / 10) };
          return ["update_event", { eventId: id, body }] as const;
        }),
      )) as Read[];
      return Object.fromEntries(changed.map(({ title, priceCents }) => [title, priceCents]));
    },
    describe: ["list_events", "update_event"],
    scripts: [museumScripts.discount],
  },
  {
    name: "cancel small workshops",
    source: "museum",
    asks: true,
    prompt:
      "Cancel all workshops with fewer than 15 places, and tell me how many workshops are left.",
    plain: async (turn) => {
      const all = await events(turn, { kind: "workshop" });
      const small = all.filter(({ capacity }) => capacity < 15);
      await turn(...small.map(({ id }) => ["delete_event", { eventId: id }] as const));
      return all.length - small.length;
    },
    describe: ["list_events"],
    scripts: [museumScripts.cancellations],
  },
  {
    name: "a talk on every first open day",
    source: "museum",
    asks: true,
    prompt:
      "Add a free talk 'Open Doors' for 50 visitors on the first open day of each month from July to September 2027. On which days are they?",
    plain: async (turn) => {
      const found: string[] = [];
      for (const month of ["07", "08", "09"]) {
        const hours = (await turn(
          ...dates(month, 2).map((date) => ["get_hours", { date }] as const),
        )) as Read[];
        found.push(hours.find(({ open }) => open).date);
      }
      const talk = { title: "Open Doors", kind: "talk", capacity: 50, priceCents: 0 };
      await turn(...found.map((startsOn) => ["create_event", { ...talk, startsOn }] as const));
      return found;
    },
    describe: ["get_hours", "create_event"],
    scripts: [museumScripts.talks],
  },
  {
    name: "tickets for a family",
    source: "museum",
    asks: true,
    prompt:
      "Buy one ticket for each of Ada, Alan and Grace for the cheapest event with the tag family that is not free. What do they cost together?",
    plain: async (turn) => {
      const family = await events(turn, { tags: ["family"] });
      const [cheapest] = family
        .filter(({ priceCents }) => priceCents > 0)
        .sort((a, b) => a.priceCents - b.priceCents);
      const sold = (await turn(
        ...["Ada", "Alan", "Grace"].map((visitor) => {
          return ["buy_tickets", { eventId: cheapest.id, visitor, quantity: 1 }] as const;
        }),
      )) as Read[];
      return [cheapest.title, sold.reduce((sum, { totalCents }) => sum + totalCents, 0)];
    },
    describe: ["list_events", "buy_tickets"],
    scripts: [museumScripts.tickets],
  },
  {
    name: "events on closed days",
    source: "museum",
    asks: true,
    prompt:
      "Move each event of one day that starts on a day on which the museum is closed to the next day. Which events did you move?",
    plain: async (turn) => {
      const single = (await events(turn)).filter(({ startsOn, endsOn }) => startsOn === endsOn);
      const days = [...new Set(single.map(({ startsOn }) => startsOn))];
      const hours = (await turn(...days.map((date) => ["get_hours", { date }] as const))) as Read[];
      const closed = new Set(hours.filter(({ open }) => !open).map(({ date }) => date));
      const moved = single.filter(({ startsOn }) => closed.has(startsOn));
      await turn(
        ...moved.map(({ id, startsOn }) => {
          const next = `${startsOn.slice(0, 8)}${String(Number(startsOn.slice(8)) + 1).padStart(2, "0")}`;
          return ["update_event", { eventId: id, body: { startsOn: next, endsOn: next } }] as const;
        }),
      );
      return moved.map(({ id }) => id);
    },
    describe: ["list_events", "get_hours", "update_event"],
    scripts: [museumScripts.closedDays],
  },
];
