import { museumScripts } from "./museum-scripts.ts";

/** A task that a model solves with one script, in which calls wait for a person. */
export interface ScriptTask {
  readonly name: string;
  readonly script: string;
  /** The first days of events that are there before. */
  readonly events?: readonly string[];
  /** The calls that a person has to approve, in their order. */
  readonly approvals: readonly string[];
  /** The result. */
  readonly result: unknown;
  /** The requests that change something, in their order. */
  readonly writes: readonly string[];
}

/** Tasks over the museum with approvals in the middle. */
export const scriptTasks: readonly ScriptTask[] = [
  {
    name: "replace the smallest workshop",
    script: `
small = sorted(list_events(kind="workshop")["events"], key=lambda e: e["capacity"])[0]
delete_event(eventId=small["id"])
new = create_event(title="Printing for Families", kind="workshop", startsOn=small["startsOn"], capacity=30, room=small["room"])
left = list_events(kind="workshop")["events"]
[new["id"], [e["title"] for e in left]]
`,
    approvals: ["delete_event", "create_event"],
    result: [8, ["Printing for Families"]],
    writes: ["DELETE /events/4", "POST /events"],
  },
  {
    name: "a discount for all tours",
    script: `
changed = {}
for tour in list_events(kind="tour")["events"]:
    price = tour["priceCents"] * 8 // 10
    after = update_event(eventId=tour["id"], body={"priceCents": price})
    changed[after["title"]] = [tour["priceCents"], after["priceCents"]]
result = changed
`,
    approvals: ["update_event", "update_event"],
    result: { "Lanterns After Dark": [1800, 1440], "The Conservator's Eye": [2000, 1600] },
    writes: ["PATCH /events/2", "PATCH /events/7"],
  },
  {
    name: "a talk on the first open day",
    script: `
day = 0
for number in range(5, 12):
    date = "2027-07-" + ("0" + str(number))[-2:]
    if get_hours(date=date)["open"]:
        day = date
        break
talk = create_event(title="Open Doors", kind="talk", startsOn=day, capacity=50)
hours = get_hours(date=talk["startsOn"])
f"{talk['title']} on {day}, {hours['opensAt']} to {hours['closesAt']}"
`,
    approvals: ["create_event"],
    result: "Open Doors on 2027-07-06, 10:00 to 18:00",
    writes: ["POST /events"],
  },
  {
    name: "tickets for the cheapest family event with a price",
    script: `
family = [e for e in list_events(tags=["family"])["events"] if e["priceCents"] > 0]
cheapest = sorted(family, key=lambda e: e["priceCents"])[0]
print("cheapest:", cheapest["title"])
ticket = buy_tickets(eventId=cheapest["id"], visitor="Ada", quantity=2)
total = ticket["totalCents"] + sum([e["priceCents"] for e in family if e["id"] != cheapest["id"]])
result = {"ticket": ticket["totalCents"], "with one of each other": total}
`,
    approvals: ["buy_tickets"],
    result: {
      result: { ticket: 3000, "with one of each other": 8300 },
      printed: "cheapest: Dinosaurs of the Alps",
    },
    writes: ["POST /tickets"],
  },
  {
    name: "more room for what is nearly full, and a note of each refusal",
    script: `
notes = []
for event in list_events(limit=20)["events"]:
    if event["capacity"] > 30:
        continue
    sold = call_tool("buy_tickets", {"eventId": event["id"], "visitor": "Group", "quantity": 10})
    if not sold["ok"]:
        notes.append(sold["code"])
    else:
        notes.append(update_event(eventId=event["id"], body={"capacity": event["capacity"] + 10})["capacity"])
notes
`,
    approvals: [
      "buy_tickets",
      "update_event",
      "buy_tickets",
      "update_event",
      "buy_tickets",
      "update_event",
    ],
    result: [22, 35, 25],
    writes: [
      "POST /tickets",
      "PATCH /events/4",
      "POST /tickets",
      "PATCH /events/2",
      "POST /tickets",
      "PATCH /events/7",
    ],
  },
  {
    name: "the benchmark: a discount for all tours",
    script: museumScripts.discount,
    approvals: ["update_event", "update_event"],
    result: { "Lanterns After Dark": 1440, "The Conservator's Eye": 1600 },
    writes: ["PATCH /events/2", "PATCH /events/7"],
  },
  {
    name: "the benchmark: cancel small workshops",
    script: museumScripts.cancellations,
    approvals: ["delete_event"],
    result: 0,
    writes: ["DELETE /events/4"],
  },
  {
    name: "the benchmark: a talk on every first open day",
    script: museumScripts.talks,
    approvals: ["create_event", "create_event", "create_event"],
    result: ["2027-07-01", "2027-08-01", "2027-09-01"],
    writes: ["POST /events", "POST /events", "POST /events"],
  },
  {
    name: "the benchmark: tickets for a family",
    script: museumScripts.tickets,
    approvals: ["buy_tickets", "buy_tickets", "buy_tickets"],
    result: ["Dinosaurs of the Alps", 4500],
    writes: ["POST /tickets", "POST /tickets", "POST /tickets"],
  },
  {
    name: "the benchmark: events on closed days",
    script: museumScripts.closedDays,
    events: ["2027-07-05", "2027-07-06", "2027-07-12"],
    approvals: ["update_event", "update_event"],
    result: [8, 10],
    writes: ["PATCH /events/8", "PATCH /events/10"],
  },
];
