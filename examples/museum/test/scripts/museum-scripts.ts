/** Scripts of a model over the museum, in which calls wait for a person. `bench/scripts` counts their tokens, too. */
export const museumScripts = {
  discount: `result = {}
for t in list_events(kind="tour", limit=100)["events"]:
    e = update_event(eventId=t["id"], body={"priceCents": t["priceCents"] * 8 // 10})
    result[e["title"]] = e["priceCents"]`,
  cancellations: `left = 0
for e in list_events(kind="workshop", limit=100)["events"]:
    if e["capacity"] < 15:
        delete_event(eventId=e["id"])
    else:
        left += 1
left`,
  talks: `result = []
for month in ["07", "08", "09"]:
    for day in range(1, 8):
        date = f"2027-{month}-0{day}"
        if get_hours(date=date)["open"]:
            create_event(title="Open Doors", kind="talk", startsOn=date, capacity=50, priceCents=0)
            result.append(date)
            break`,
  tickets: `paid = [e for e in list_events(tags=["family"], limit=100)["events"] if e["priceCents"] > 0]
e = sorted(paid, key=lambda e: e["priceCents"])[0]
[e["title"], sum([buy_tickets(eventId=e["id"], visitor=v, quantity=1)["totalCents"] for v in ["Ada", "Alan", "Grace"]])]`,
  closedDays: `result = []
open_on = {}
for e in list_events(limit=100)["events"]:
    day = e["startsOn"]
    if day != e["endsOn"]:
        continue
    if day not in open_on:
        open_on[day] = get_hours(date=day)["open"]
    if not open_on[day]:
        next = day[:8] + ("0" + str(int(day[8:]) + 1))[-2:]
        update_event(eventId=e["id"], body={"startsOn": next, "endsOn": next})
        result.append(e["id"])`,
} as const;
