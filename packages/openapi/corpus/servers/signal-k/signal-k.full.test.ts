import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, ToolExecutor, ToolRegistry, type ToolResult } from "@toolweave/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiSource } from "../../../src/index.ts";
import type { RunningServer } from "../server-program.ts";
import {
  awaitResult,
  serverTools,
  readText,
  type CallTool,
  type ServerTools,
} from "../server-tools.ts";
import { startSignalK } from "./signal-k.ts";

const apis = [
  "apps",
  "autopilot",
  "course",
  "discovery",
  "history",
  "notifications",
  "radar",
  "resources",
  "security",
  "weather",
];
const documents = Object.fromEntries(apis.map((api) => [api, `/skServer/openapi/${api}/`]));
const account = { userId: "ada", password: "correct horse", type: "admin" };
const login = { username: "ada", password: "correct horse" };

let server: RunningServer;
// Ada's token is sent in a cookie, Bob's in a header: the document allows both.
let withCookie: ServerTools;
let withHeader: ServerTools;
let ada: CallTool;
let bob: CallTool;

beforeAll(async () => {
  server = await startSignalK();
  withCookie = await serverTools(server, { documents, scheme: "cookieAuth", token: "token" });
  withHeader = await serverTools(server, { documents, scheme: "bearerAuth", token: "token" });
  ada = withCookie.as("ada");
  bob = withHeader.as("bob");
  // The request that its administration page sends to create the first account; no document
  // describes it.
  const response = await fetch(`${server.origin}/skServer/enableSecurity`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(account),
  });
  if (!response.ok) throw new Error(await response.text());
}, 400_000);

afterAll(async () => {
  await withCookie?.close();
  await withHeader?.close();
  await server?.stop();
});

const place = (name: string): JsonObject => ({
  name,
  description: 'Fortress: "Sveaborg" & sea, 60° N',
  feature: {
    type: "Feature",
    geometry: { type: "Point", coordinates: [24.987_5, 60.143_5] },
    properties: { depth: -1.5, berths: 0, open: true, tags: ["a/b", "ä,ö"] },
  },
});

async function waypoints(call: CallTool): Promise<JsonObject> {
  return (await awaitResult(call("resources__get_resources_waypoints"))).value as JsonObject;
}

/** The files in which the server stores waypoints. */
function stored(): readonly JsonObject[] {
  const folder = join(
    server.home,
    "data/plugin-config-data/resources-provider/resources/waypoints",
  );
  return readdirSync(folder).map(
    (file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as JsonObject,
  );
}

// One server, one sequence: each test continues after the previous one.
describe("Signal K", () => {
  test("has a tool for every operation of its ten documents", async () => {
    for (const source of withCookie.sources) {
      const response = await fetch(`${server.origin}${documents[source.id]}`);
      const { paths } = (await response.json()) as { paths: Record<string, JsonObject> };
      const methods = /^(get|put|post|delete|patch)$/;
      const operations = Object.values(paths).flatMap((item) =>
        Object.keys(item).filter((key) => methods.test(key)),
      );
      source.realize();
      expect([source.id, source.tools().length]).toEqual([source.id, operations.length]);
    }
    const problems = withCookie.sources.flatMap((source) => source.problems);
    expect(problems.map(({ pointer, message }) => [pointer, message])).toEqual([
      [
        "/components/schemas/apAction",
        expect.stringMatching(/^Values of enum are not lists, and are read as those of its items:/),
      ],
      ...["cookieAuth", "bearerAuth"].map((name, index) => [
        `/paths/~1auth~1logout/put/security/${index}`,
        `The security requirement "${name}" is treated as {"${name}": []}.`,
      ]),
      [
        "/components/schemas/WeatherDataModel/properties/water/properties/levelTendency",
        expect.stringMatching(/^Values of enum are not of the type of the schema \(number\)/),
      ],
    ]);
    expect(problems.filter(({ severity }) => severity !== "warning")).toEqual([]);
  });

  test("lets only signed-in callers write, and the error names the option for credentials", async () => {
    const refused = await awaitResult(ada("resources__post_resources_waypoints", place("A")));
    expect(readText(refused)).toMatch(
      /^403 Forbidden: .*\nCredentials are missing: .* \(the document asks for cookieAuth, .+ or bearerAuth, .+\)/,
    );
  });

  test("signs people in: a wrong password is an error of the arguments, a right one returns a token", async () => {
    const wrong = { ...login, password: "a guess" };
    expect(readText(await awaitResult(ada("security__post_auth_login", wrong)))).toMatch(
      /^401 Unauthorized: .*Invalid username\/password.*\n.*those in the arguments are wrong/,
    );
    for (const [call, tools, caller] of [
      [ada, withCookie, "ada"],
      [bob, withHeader, "bob"],
    ] as const) {
      const { value } = await awaitResult(call("security__post_auth_login", login));
      expect(value).toEqual({ token: "[redacted]" });
      const kept = await tools.store.get(tools.key("resources", caller));
      expect(kept).toEqual({ type: "secret", secret: expect.stringMatching(/^ey/) as string });
    }
  });

  test.each([
    ["a cookie", () => ada],
    ["a header", () => bob],
  ])("creates, lists, updates and deletes, signed in by %s", async (_, who) => {
    const call = who();
    const made = await awaitResult(
      call("resources__post_resources_waypoints", place("Suomenlinna")),
    );
    expect(made).toMatchObject({ value: { state: "COMPLETED" }, details: { status: 201 } });
    const { id } = made.value as { id: string };
    expect(await waypoints(call)).toEqual({ [id]: expect.objectContaining(place("Suomenlinna")) });
    expect(stored()).toEqual([expect.objectContaining(place("Suomenlinna"))]);

    await awaitResult(
      call("resources__put_resources_waypoints_id", { id, ...place("Sveaborg 💡") }),
    );
    const read = await awaitResult(call("resources__get_resources_waypoints_id", { id }));
    expect(read.value).toMatchObject(place("Sveaborg 💡"));

    const gone = await awaitResult(call("resources__delete_resources_waypoints_id", { id }));
    expect(gone.isError).toBe(false);
    expect(await waypoints(call)).toEqual({});
    expect(stored()).toEqual([]);
  });

  test("refuses an invalid id before anything is sent", async () => {
    const outcome = await ada("resources__get_resources_waypoints_id", { id: "../../plugins" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "invalid_arguments" } });
  });

  test("filters by the query of its document", async () => {
    await awaitResult(ada("resources__post_resources_waypoints", place("One")));
    await awaitResult(ada("resources__post_resources_waypoints", place("Two")));
    const limited = await awaitResult(ada("resources__get_resources_waypoints", { limit: 1 }));
    expect(Object.keys(limited.value as JsonObject)).toHaveLength(1);
  });

  test("sends arrays as in its document, which it does not accept itself", async () => {
    // The document has `explode: false`; the server expects the name before each number.
    const refused = await awaitResult(
      ada("resources__get_resources_waypoints", { bbox: [24, 60, 25, 61] }),
    );
    expect(readText(refused)).toMatch(/^400 Bad Request: .*query\.bbox/);
  });

  test("returns answers that violate its own document; the host receives a warning", async () => {
    const id = Object.keys(await waypoints(bob))[0] ?? "";
    const before = withHeader.warnings.length;
    const gone = await awaitResult(bob("resources__delete_resources_waypoints_id", { id }));
    expect(gone).toMatchObject({ isError: false, value: { state: "COMPLETED", message: id } });
    expect(withHeader.warnings.slice(before)).toEqual([expect.stringContaining("id is required")]);
  });

  test("calls a function of the host if a document does not declare credentials", async () => {
    const asked: (string | undefined)[] = [];
    await using registry = new ToolRegistry([
      openApiSource(`${server.origin}${documents["apps"]}`, {
        auth: {
          bearer: async ({ caller }) => {
            asked.push(caller?.id);
            const kept = caller && (await withHeader.store.get(withHeader.key("apps", caller.id)));
            return kept?.type === "secret" ? kept.secret : undefined;
          },
        },
      }),
    ]);
    await registry.ready;
    const executor = new ToolExecutor({ registry });
    const list = (caller: string): Promise<ToolResult> =>
      awaitResult(
        executor.execute(
          { id: caller, name: "get_plugins", arguments: {} },
          { caller: { id: caller } },
        ),
      );
    expect(readText(await list("ada"))).toMatch(/^401 Unauthorized: /);
    const { value } = await list("bob");
    expect(value).toEqual([expect.objectContaining({ id: "resources-provider" })]);
    expect(asked).toEqual([undefined, "ada", "bob"]);
  });
});
