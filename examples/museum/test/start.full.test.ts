import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { startMuseum } from "../src/service.ts";
import { runStart, type Ended } from "./support/running-start.ts";

function start(...args: string[]): Promise<Ended> {
  const { child, ended } = runStart(args);
  child.stdin.end();
  return ended;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "museum-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function writeDocument(name: string, paths: object): Promise<string> {
  const path = join(folder, name);
  const info = { title: "Test", version: "1" };
  await writeFile(path, JSON.stringify({ openapi: "3.1.0", info, paths }));
  return path;
}

const operation = (operationId: string): object => ({
  operationId,
  summary: `Does ${operationId}`,
  responses: {},
});

describe("start without an argument", () => {
  it("runs the whole conversation, each step as expected", async () => {
    const { code, stdout, stderr } = await start();
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).not.toContain("\u001b");
    const steps = stdout.split(/\n\n(?=\d\. )/);
    expect(steps).toHaveLength(10);
    const [intro, listed, invalid, unknown, missing, cancelled, created, rejected, agent, coding] =
      steps;

    expect(intro).toMatch(/delete_event +DELETE \/events\/\{eventId\} +Delete an event +\(destr/);
    expect(intro).toMatch(/files__write_file +MCP server files +Write File +\(destructive/);
    expect(intro).toMatch(/curator +agent +An agent/);
    expect(listed).toMatch(/outcome +completed\n/);
    expect(listed).toMatch(/museum +received GET \/events\?kind=tour\n/);

    expect(invalid).toMatch(/outcome +failed, invalid_arguments\n +stopped +4 validate/);
    expect(invalid).toMatch(/museum +received nothing/);
    expect(invalid).toContain('kind must be one of "exhibition"');

    expect(unknown).toMatch(/outcome +failed, not_found\n +stopped +1 resolve/);
    expect(unknown).toContain("Did you mean get_event, list_events?");

    expect(missing).toMatch(/outcome +completed, upstream 404\n/);
    expect(missing).toContain("There is no event 99.");

    expect(cancelled).toMatch(/outcome +failed, cancelled\n +stopped +8 run/);
    expect(cancelled).toContain("the museum saw the visitor leave");

    expect(created).toMatch(/outcome +interrupted\n +stopped +7 authorize/);
    expect(created).toMatch(/answer +approve\n +outcome +completed\n/);
    expect(created).toMatch(/museum +received POST \/events\n/);

    expect(rejected).toMatch(/outcome +failed, approval_rejected\n +stopped +7 authorize/);
    expect(rejected).toContain("Reason: The exhibition still runs.");
    expect(rejected).not.toContain("received DELETE");

    expect(agent).toMatch(/model +a script/);
    expect(coding).toMatch(/bash \{"command":"node --test"\}: completed\n/);
    expect(coding).toMatch(/program +is repaired\n/);
    expect(coding).toContain("Every step came out as it should; everything is closed.");
  });
});

describe("start with a document", () => {
  it("lists the tools of a URL and the exact command to call one", async () => {
    const museum = await startMuseum();
    try {
      const { code, stdout, stderr } = await start(museum.documentUrl);
      expect(stderr).toBe("");
      expect(code).toBe(0);
      expect(stdout).toContain(`${museum.documentUrl}: 10 tools\n`);
      expect(stdout).toMatch(/get_hours +GET \/hours +Opening hours of a day +\(read-only\)\n/);
      expect(stdout).toContain(
        `  npx -y pnpm@12 -s toolweave call list_events --openapi ${museum.documentUrl}\n`,
      );
    } finally {
      await museum.close();
    }
  });

  it("lists the first twenty of a file's tools and the number of the others", async () => {
    const paths = Array.from({ length: 23 }, (_, index) => [
      `/things/${index}`,
      { post: operation(`make${index + 10}`) },
    ]);
    const { code, stdout } = await start(
      await writeDocument("many.json", Object.fromEntries(paths)),
    );
    expect(code).toBe(0);
    expect(stdout).toContain("many.json: 23 tools\n");
    expect(stdout.match(/POST \/things/g)).toHaveLength(20);
    expect(stdout).toContain("… and 3 more\n");
  });

  it("displays operations that could not become a tool", async () => {
    const { code, stdout } = await start(
      await writeDocument("broken.json", {
        "/fine": { get: operation("isFine") },
        "/broken": { $ref: "#/components/pathItems/Nowhere" },
      }),
    );
    expect(code).toBe(0);
    expect(stdout).toContain("broken.json: 1 tool\n");
    expect(stdout).toMatch(/1 problem\n.*\/broken/);
  });

  it("suggests a read-only call, with its required arguments, quoted for a shell", async () => {
    const document = await writeDocument("it's mine.json", {
      "/a": { delete: operation("anyway") },
      "/b/{kind}/{id}": {
        get: {
          ...operation("readB"),
          parameters: [
            { name: "kind", in: "path", required: true, schema: { enum: ["x y"] } },
            { name: "id", in: "path", required: true, schema: { type: "integer" } },
          ],
        },
      },
    });
    const { stdout } = await start(document);
    const quoted = document.replace("'", String.raw`'\''`);
    expect(stdout).toContain(`toolweave call read_b --openapi '${quoted}' 'kind=x y' id=ID\n`);
  });

  it("answers a wrong path with one sentence and code 4", async () => {
    const { code, stdout, stderr } = await start(join(folder, "nowhere.json"));
    expect(code).toBe(4);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain("nowhere.json");
  });

  it("answers more than one argument, or an option, with its usage and code 2", async () => {
    for (const args of [["a.json", "b.json"], ["--json"]]) {
      const { code, stdout, stderr } = await start(...args);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^Usage: npx -y pnpm@12 start \[openapi url or file\]/);
    }
  });
});
