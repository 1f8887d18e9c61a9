import { inflateSync } from "node:zlib";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { museumDocument } from "../src/museum-document.ts";
import { museumKey, routes } from "../src/routes.ts";
import { startMuseum } from "../src/service.ts";
import type { Museum, SeenRequest } from "../src/service.ts";

let museum: Museum;
let onRequest: ((request: SeenRequest) => void) | undefined;

beforeEach(async () => {
  museum = await startMuseum({ onRequest: (request) => onRequest?.(request) });
});
afterEach(async () => {
  onRequest = undefined;
  await museum.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(museum.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

const wishes = {
  title: "Watercolour for Beginners",
  kind: "workshop",
  startsOn: "2027-06-05",
  capacity: 10,
};

describe("the document", () => {
  it("is served as OpenAPI 3.1", async () => {
    const { status, body } = await ask("GET", "/openapi.json");
    expect(status).toBe(200);
    expect(museum.documentUrl).toBe(`${museum.url}/openapi.json`);
    expect(body).toEqual(museumDocument);
    expect(body).toMatchObject({ openapi: "3.1.1", servers: [{ url: "/" }] });
  });

  it("names exactly the operations that the service routes", () => {
    const documented = Object.entries(museumDocument["paths"] as Record<string, object>).flatMap(
      ([path, item]) =>
        Object.keys(item)
          .filter((key) => key !== "parameters")
          .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routed = routes
      .map((route) => `${route.method} ${route.path}`)
      .filter((operation) => operation !== "GET /openapi.json");
    expect(documented.toSorted()).toEqual(routed.toSorted());
  });

  it("resolves every reference within itself", () => {
    const references = JSON.stringify(museumDocument).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, pointer] of references) {
      let target: unknown = museumDocument;
      for (const key of (pointer ?? "").split("/"))
        target = (target as Record<string, unknown>)[key];
      expect(target).toBeTypeOf("object");
    }
  });
});

describe("events", () => {
  it("are listed by their first day, with the number of matches", async () => {
    const { body } = await ask("GET", "/events?limit=2");
    expect(body).toMatchObject({
      events: [{ title: "Maps of the Silk Road" }, { title: "Dinosaurs of the Alps" }],
      total: 7,
    });
  });

  it.each([
    ["from=2027-05-01", ["Maps of the Silk Road", "Dinosaurs of the Alps"]],
    ["to=2027-02-28", ["Maps of the Silk Road"]],
    ["from=2027-03-12&to=2027-03-12&kind=talk", ["How Amber Forms"]],
    ["tags=family&tags=geology", ["Dinosaurs of the Alps"]],
    ["tags=nonesuch", []],
  ])("are filtered by %s", async (query, titles) => {
    const { body } = await ask("GET", `/events?${query}`);
    const { events, total } = body as { events: { title: string }[]; total: number };
    expect(events.map((event) => event.title)).toEqual(titles);
    expect(total).toBe(titles.length);
  });

  it.each(["limit=0", "limit=ten", "from=2027-02-30", "kind=opera"])(
    "are not listed for %s",
    async (query) => {
      const { status, headers, body } = await ask("GET", `/events?${query}`);
      expect(status).toBe(400);
      expect(headers.get("content-type")).toBe("application/problem+json");
      expect(body).toMatchObject({ status: 400, errors: [{ pointer: query.split("=")[0] }] });
    },
  );

  it("are created, read, changed and deleted", async () => {
    const created = await ask("POST", "/events", wishes);
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe("/events/8");
    const event = { id: 8, ...wishes, endsOn: wishes.startsOn, room: "Main Hall", priceCents: 0 };
    expect(created.body).toEqual({ ...event, tags: [] });

    const changed = await ask("PATCH", "/events/8", { capacity: 12, tags: ["art"] });
    expect(changed.body).toEqual({ ...event, capacity: 12, tags: ["art"] });
    expect((await ask("GET", "/events/8")).body).toEqual(changed.body);

    const deleted = await ask("DELETE", "/events/8");
    expect(deleted.status).toBe(204);
    expect(deleted.body).toBeUndefined();
    expect((await ask("GET", "/events/8")).status).toBe(404);
    expect((await ask("POST", "/events", wishes)).body).toMatchObject({ id: 9 });
  });

  it("are not created from an invalid body, and the answer names all errors", async () => {
    const { status, body } = await ask("POST", "/events", {
      title: " ",
      kind: "workshop",
      startsOn: "2027-06-05",
      endsOn: "2027-06-01",
      tags: ["art", "art"],
      colour: "blue",
    });
    expect(status).toBe(422);
    const { errors } = body as { errors: { pointer: string }[] };
    expect(errors.map((error) => error.pointer).toSorted()).toEqual([
      "/capacity",
      "/colour",
      "/endsOn",
      "/tags",
      "/title",
    ]);
  });

  it("keep their end after their start when changed", async () => {
    const { status, body } = await ask("PATCH", "/events/7", { startsOn: "2027-05-01" });
    expect(status).toBe(422);
    expect(body).toMatchObject({ detail: "/endsOn must not be before startsOn." });
  });

  it.each([
    ["[1]", "application/json", 422],
    ["{not json", "application/json", 400],
    ["title=x", "application/x-www-form-urlencoded", 415],
    [JSON.stringify({ title: "x".repeat(70_000) }), "application/json", 413],
  ])("refuse the body %.20s as %s with %i", async (body, type, expected) => {
    const { status } = await ask("POST", "/events", body, { "Content-Type": type });
    expect(status).toBe(expected);
  });

  it("have a poster that is a PNG, the same each time", async () => {
    const response = await fetch(`${museum.url}/events/6/poster`);
    const png = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("content-type")).toBe("image/png");
    expect(png.subarray(0, 8)).toEqual(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"));
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([96, 128]);
    const data = png.subarray(41, 41 + png.readUInt32BE(33));
    expect(inflateSync(data)).toHaveLength(128 * (1 + 96 * 3));
    const again = await (await fetch(`${museum.url}/events/6/poster`)).arrayBuffer();
    expect(Buffer.from(again)).toEqual(png);
  });
});

describe("visits", () => {
  it.each([
    ["2027-03-15", { open: false }],
    ["2027-03-18", { open: true, closesAt: "21:00" }],
    ["2027-03-19", { open: true, closesAt: "18:00" }],
  ])("have the hours of %s", async (date, hours) => {
    expect((await ask("GET", `/hours?date=${date}`)).body).toMatchObject({ date, ...hours });
  });

  it("need a date for the hours", async () => {
    expect((await ask("GET", "/hours")).status).toBe(400);
  });

  it("sell tickets with the key, until none are left", async () => {
    const order = { eventId: 4, visitor: "Ada Byron", quantity: 8 };
    const key = { "X-Api-Key": museumKey };
    const sold = await ask("POST", "/tickets", order, key);
    expect(sold.status).toBe(201);
    expect(sold.body).toEqual({ id: 1, ...order, totalCents: 28_000 });

    const tooMany = await ask("POST", "/tickets", order, key);
    expect(tooMany.status).toBe(409);
    expect(tooMany.body).toMatchObject({ detail: "Event 4 has 4 tickets left, not 8." });
    expect((await ask("POST", "/tickets", { ...order, eventId: 99 }, key)).status).toBe(404);
    expect((await ask("POST", "/tickets", { ...order, quantity: 11 }, key)).status).toBe(422);
  });

  it.each([{}, { "X-Api-Key": "guess" }] as Record<string, string>[])(
    "sell nothing with the headers %j",
    async (headers) => {
      const order = { eventId: 4, visitor: "Ada Byron", quantity: 1 };
      const { status, body } = await ask("POST", "/tickets", order, headers);
      expect(status).toBe(401);
      expect(body).toMatchObject({ title: "Key missing or wrong" });
    },
  );
});

describe("exhibits", () => {
  it("cannot be watched live, and the answer has the time to try again", async () => {
    const { status, headers } = await ask("GET", "/exhibits/live");
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("120");
  });

  it("are described on a tour", async () => {
    expect((await ask("GET", "/exhibits/tour?seconds=0")).body).toMatchObject({ seconds: 0 });
  });

  it("end the tour when the visitor disconnects", async () => {
    const arrived = new Promise<SeenRequest>((resolve) => (onRequest = resolve));
    const visitor = new AbortController();
    const tour = fetch(`${museum.url}/exhibits/tour?seconds=600`, { signal: visitor.signal });
    const seen = await arrived;
    visitor.abort();
    await expect(tour).rejects.toThrow("aborted");
    await expect(seen.finished).resolves.toBe("disconnected");
  });
});

describe("the service", () => {
  it("records every request with method, url, headers and body", async () => {
    await ask("PATCH", "/events/7?x=1", { capacity: 5 }, { "X-Trace": "abc" });
    const [request] = museum.requests;
    expect(request).toMatchObject({
      method: "PATCH",
      url: "/events/7?x=1",
      body: '{"capacity":5}',
    });
    expect(request?.headers["x-trace"]).toBe("abc");
    await expect(request?.finished).resolves.toBe("answered");
  });

  it("answers unknown requests with a problem", async () => {
    expect((await ask("GET", "/cafe")).status).toBe(404);
    expect((await ask("GET", "/events/seven")).status).toBe(400);
    expect((await ask("GET", "/events/%E0%A4%A")).status).toBe(400);
    const wrongMethod = await ask("PUT", "/events/7");
    expect(wrongMethod.status).toBe(405);
    expect(wrongMethod.headers.get("allow")).toBe("GET, PATCH, DELETE");
  });

  it("disconnects and stops listening when it closes, and may be closed twice", async () => {
    const arrived = new Promise<SeenRequest>((resolve) => (onRequest = resolve));
    const tour = fetch(`${museum.url}/exhibits/tour?seconds=600`);
    const ended = tour.catch((error: unknown) => String(error));
    const seen = await arrived;
    await museum.close();
    await museum.close();
    await expect(ended).resolves.toBe("TypeError: fetch failed");
    await expect(seen.finished).resolves.toBe("disconnected");
    await expect(fetch(museum.url)).rejects.toThrow("fetch failed");
  });

  it("names the reason if its port is in use", async () => {
    const port = Number(new URL(museum.url).port);
    await expect(startMuseum({ port })).rejects.toThrow("EADDRINUSE");
  });
});
