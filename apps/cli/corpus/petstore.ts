import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";

/** One request as it came over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** A server that is listening on loopback. */
export interface LiveServer {
  readonly url: string;
  readonly requests: WireRequest[];
  close(): Promise<void>;
}

type Answer = { readonly status: number; readonly json?: unknown };

/** Listens on loopback, keeps every request, and answers as `answer` says. */
export async function liveServer(answer: (request: WireRequest) => Answer): Promise<LiveServer> {
  const requests: WireRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks) };
      requests.push(request);
      const { status, json } = answer(request);
      response.statusCode = status;
      if (json === undefined) return response.end();
      response.setHeader("content-type", "application/json");
      return response.end(JSON.stringify(json));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly status?: string;
  readonly photoUrls: readonly string[];
  readonly tags?: readonly { readonly name: string }[];
}

/** The pet store of the document `swagger-petstore-3.0.yaml`: pets and orders live in a database. */
export async function petstore(): Promise<LiveServer> {
  const db = new DatabaseSync(":memory:");
  db.exec(
    "create table pets (id integer primary key, json text); create table orders (id integer primary key, json text)",
  );
  const save = (table: string, id: number, value: unknown): void => {
    db.prepare(`insert or replace into ${table} values (?, ?)`).run(id, JSON.stringify(value));
  };
  const find = (table: string, id: string | undefined): unknown => {
    const row = db.prepare(`select json from ${table} where id = ?`).get(Number(id));
    return row === undefined ? undefined : JSON.parse(String(row["json"]));
  };
  const all = (): Pet[] =>
    db
      .prepare("select json from pets order by id")
      .all()
      .map((row) => JSON.parse(String(row["json"])) as Pet);
  const missing = { status: 404, json: { code: 404, type: "error", message: "not found" } };
  const found = (value: unknown): Answer =>
    value === undefined ? missing : { status: 200, json: value };

  const server = await liveServer(({ method, url, body }) => {
    const { pathname, searchParams } = new URL(url, "http://petstore");
    const [, api, version, ...path] = pathname.split("/");
    if (api !== "api" || version !== "v3") return missing;
    const [kind, id, action] = path;
    const json = (): Record<string, unknown> =>
      JSON.parse(body.toString()) as Record<string, unknown>;
    switch (`${method} ${kind} ${id === undefined ? "" : /^\d+$/.test(id) ? "{id}" : id}`.trim()) {
      case "POST pet":
      case "PUT pet": {
        const pet = json();
        save("pets", Number(pet["id"]), pet);
        return { status: 200, json: pet };
      }
      case "GET pet {id}":
        return found(find("pets", id));
      case "POST pet {id}": {
        if (action !== undefined) return missing;
        const pet = find("pets", id) as Pet | undefined;
        if (pet === undefined) return missing;
        const changed = { ...pet, ...Object.fromEntries(searchParams) };
        save("pets", pet.id, changed);
        return { status: 200, json: changed };
      }
      case "DELETE pet {id}":
        if (find("pets", id) === undefined) return missing;
        db.prepare("delete from pets where id = ?").run(Number(id));
        return { status: 200 };
      case "GET pet findByStatus":
        return found(
          all().filter(({ status }) => searchParams.getAll("status").includes(status ?? "")),
        );
      case "GET pet findByTags":
        return found(
          all().filter(({ tags = [] }) =>
            tags.some(({ name }) => searchParams.getAll("tags").includes(name)),
          ),
        );
      case "POST store order": {
        const order = json();
        save("orders", Number(order["id"]), order);
        return { status: 200, json: order };
      }
      case "GET store order":
        return found(find("orders", action));
      default:
        return missing;
    }
  });
  return {
    ...server,
    close: async () => {
      await server.close();
      db.close();
    },
  };
}
