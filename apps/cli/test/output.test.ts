import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../src/program.ts";
import { captureIo } from "./support/captured-io.ts";
import { tempFolder } from "./support/temp-file.ts";

const pdf = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7) % 256));
const picture = Buffer.alloc(5_000_000, 9);
const long = "word ".repeat(40_000);
const token = `ghp_${"a1B2".repeat(9)}`;
let asked = 0;

const answers: Readonly<Record<string, readonly [string, string | Buffer]>> = {
  "/manual": ["application/pdf", pdf],
  "/picture": ["image/png", picture],
  "/long": ["text/plain", long],
  "/token": ["application/json", JSON.stringify({ token })],
  "/fails": ["text/plain", "no"],
};
const server = createServer(({ url = "" }, response) => {
  asked += 1;
  const [type, body] = answers[url] ?? ["text/plain", ""];
  response.writeHead(url === "/fails" ? 500 : 200, { "content-type": type }).end(body);
});
let document: string;
let folder: string;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = Object.fromEntries(
    Object.keys(answers).map((path) => [
      path,
      { get: { operationId: path.slice(1), responses: {} } },
    ]),
  );
  const openapi = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths };
  document = JSON.stringify({ ...openapi, servers: [{ url }] });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function call(tool: string, ...more: readonly string[]) {
  folder = tempFolder();
  const path = join(folder, "openapi.json");
  writeFileSync(path, document);
  const { io, stdout, stderr } = captureIo();
  const words = more.map((word) => word.replace("FOLDER", folder));
  const origin = (JSON.parse(document) as { servers: { url: string }[] }).servers[0]?.url ?? "";
  const argv = ["call", tool, ...words, "--openapi", path, "--allow-origin", origin];
  const code = await runCli(argv, io);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe("the answer of a call", () => {
  test("is printed completely, however long, including a token that the API has created", async () => {
    expect((await call("long")).stdout).toBe(`${long}\n`);
    expect(JSON.parse((await call("token")).stdout)).toEqual({ token });
  });

  test("is named if it is a file or a large image, and is complete in --json", async () => {
    const { stdout, stderr } = await call("manual");
    expect(stdout).toBe("");
    expect(stderr).toBe(
      "toolweave: The result contains a file (application/pdf, 3000000 bytes): save it with --output, or print it as base64 with --json.\n",
    );
    const { result } = JSON.parse((await call("picture", "--json")).stdout);
    expect(Buffer.from(result.content[0].data, "base64").equals(picture)).toBe(true);
  });
});

describe("--output", () => {
  test("saves a file, an image, and a text unchanged", async () => {
    for (const [tool, bytes] of [
      ["manual", pdf],
      ["picture", picture],
      ["long", Buffer.from(long)],
    ] as const) {
      const { code, stdout, stderr } = await call(tool, "--output", "FOLDER/answer");
      expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
      expect(stderr).toBe(`toolweave: ${bytes.length} bytes saved to ${folder}/answer.\n`);
      expect(readFileSync(join(folder, "answer")).equals(bytes)).toBe(true);
      expect(readdirSync(folder).toSorted()).toEqual(["answer", "openapi.json"]);
    }
  });

  test("replaces an existing file, and changes none if the call fails", async () => {
    const first = await call("long", "--output", "FOLDER/openapi.json");
    expect(first.code).toBe(0);
    expect(readFileSync(join(folder, "openapi.json"), "utf8")).toBe(long);
    const failed = await call("fails", "--output", "FOLDER/answer");
    expect(failed.code).toBe(1);
    expect(existsSync(join(folder, "answer"))).toBe(false);
  });

  test("can be combined with --json, which still prints the outcome", async () => {
    const { stdout } = await call("manual", "--json", "--output", "FOLDER/answer");
    expect(JSON.parse(stdout).status).toBe("completed");
    expect(readFileSync(join(folder, "answer")).equals(pdf)).toBe(true);
  });

  test("is refused before anything is sent if it cannot be written", async () => {
    const before = asked;
    const missing = await call("long", "--output", "FOLDER/no/answer");
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("there is no folder");
    const isFolder = await call("long", "--output", "FOLDER");
    expect(isFolder.code).toBe(2);
    expect(isFolder.stderr).toContain("is a folder");
    expect(asked).toBe(before);
  });

  test("prints a text that could not be saved", async () => {
    // The name is too long for a file, which is only detected when it is written.
    const { code, stdout, stderr } = await call("long", "--output", `FOLDER/${"x".repeat(300)}`);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${long}\n` });
    expect(stderr).toContain("could not be saved");
  });
});
