import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, onTestFinished, test } from "vitest";
import { RecordingServer } from "@toolweave/test-support/recording-server";
import { createDocument, opened, modelView } from "../support/open-source.ts";

const content = "root-of-all-secrets";

/** A folder with a secret file beside the folder of the documents. */
function folder(): { readonly docs: string; readonly secret: string } {
  const root = tempFolder();
  const docs = join(root, "docs");
  mkdirSync(docs);
  const secret = join(root, "secret.json");
  writeFileSync(secret, JSON.stringify({ type: "string", description: content }));
  return { docs, secret };
}

async function server(): Promise<RecordingServer> {
  const started = await RecordingServer.start();
  onTestFinished(() => started.close());
  return started;
}

/** An operation whose body is a reference, beside one that needs none. */
const withReference = ($ref: string) =>
  createDocument({
    "/a": {
      post: {
        operationId: "refers",
        requestBody: { required: true, content: { "application/json": { schema: { $ref } } } },
        responses: {},
      },
    },
    "/b": { get: { operationId: "stands_alone", responses: {} } },
  });

/** The operation is absent, with a problem that has the reason; the other one exists. */
function expectRefused(source: Awaited<ReturnType<typeof opened>>["source"], why: RegExp): void {
  source.realize();
  expect(source.tools().map(({ spec }) => spec.name)).toEqual(["stands_alone"]);
  const problems = source.problems.filter(({ severity }) => severity !== "warning");
  expect(problems).toMatchObject([
    {
      subject: "POST /a",
      pointer: expect.stringMatching(/^\/paths\/~1a\/post\/.*\/schema/) as string,
    },
  ]);
  expect(problems[0]?.message).toMatch(why);
  expect(JSON.stringify(source.problems)).not.toContain(content);
}

test.each([
  ["OA01 a file outside the document's folder, by its path", (secret: string) => secret],
  ["OA01 one by its URL", (secret: string) => pathToFileURL(secret).href],
  ["OA01 one by way of ..", () => "../secret.json"],
  ["OA01 one by way of encoded dots", () => "%2e%2e/secret.json"],
])("%s is not opened by a local document, unless the host allows it", async (_, refer) => {
  const { docs, secret } = folder();
  const path = join(docs, "openapi.json");
  writeFileSync(path, JSON.stringify(withReference(refer(secret))));
  const { source, run } = await opened(path);
  const { error, text } = modelView(await run("refers", { body: "x" }));
  expect(error.code).toBe("unavailable");
  expect(text).not.toContain(content);
  expectRefused(source, /outside the document's folder; `allowReferences`/);

  const allowed = await opened(path, { allowReferences: [secret] });
  expect(JSON.stringify(allowed.spec("refers").inputSchema)).toContain(content);
});

test.each([
  ["OA02 a path", (secret: string) => secret, /outside the document's folder/],
  ["OA02 a file: URL", (secret: string) => pathToFileURL(secret).href, /from the web may not/],
  ["OA02 a file: URL of localhost", () => "file://localhost/etc/passwd", /from the web may not/],
])(
  "%s in a document from the web opens no file, whatever the host allows",
  async (_, refer, why) => {
    const { secret } = folder();
    const web = await server();
    web.answer = ({ path }, response) =>
      void (path === "/docs/openapi.json"
        ? response.end(JSON.stringify(withReference(refer(secret))))
        : response.writeHead(404).end());
    const { source } = await opened(`${web.origin}/docs/openapi.json`, {
      allowReferences: why.test("from the web may not") ? [secret] : [],
    });
    expectRefused(source, why);
    expect(web.requests.map(({ path }) => path)).toEqual(["/docs/openapi.json"]);
  },
);

test.each([
  ["OA03 a loopback server", (origin: string) => `${origin}/s.json`],
  [
    "OA03 it by another spelling",
    (origin: string) => `${origin.replace("127.0.0.1", "2130706433")}/s.json`,
  ],
  [
    "OA03 it by IPv6",
    (origin: string) => `${origin.replace("127.0.0.1", "[::ffff:127.0.0.1]")}/s.json`,
  ],
  ["OA03 a name of the intranet", () => "http://intranet/s.json"],
])(
  "%s is not requested for a reference, by a document that is a value or from the web",
  async (_, refer) => {
    const inner = await server();
    const web = await server();
    const document = withReference(refer(inner.origin));
    web.answer = (_recorded, response) => void response.end(JSON.stringify(document));
    expectRefused((await opened(document)).source, /cannot be followed: .*`allowReferences/);
    const fromWeb = await opened(`${web.origin}/openapi.json`);
    expectRefused(fromWeb.source, /outside the document's folder; `allowReferences/);
    expect(inner.requests).toEqual([]);
    expect(web.requests.map(({ path }) => path)).toEqual(["/openapi.json"]);
  },
);

test("OA03 an allowed reference must still not be a private address that the document chose", async () => {
  const inner = await server();
  const { source } = await opened(withReference(`${inner.origin}/s.json`), {
    allowReferences: [inner.origin],
  });
  expectRefused(source, /loopback address .* allowOrigins/);
  expect(inner.requests).toEqual([]);
});

test.each([
  ["OA04 another loopback server", (origin: string) => `${origin}/s.json`, /redirect|loopback/],
  ["OA04 the cloud's metadata", () => "http://169.254.169.254/latest/", /metadata|redirect/],
])("a reference that is redirected to %s cannot be followed there", async (_, to, why) => {
  const inner = await server();
  const web = await server();
  web.answer = ({ path }, response) =>
    void (path === "/openapi.json"
      ? response.end(JSON.stringify(withReference("s.json")))
      : response.writeHead(302, { location: to(inner.origin) }).end());
  const { source } = await opened(`${web.origin}/openapi.json`);
  expectRefused(source, why);
  expect(inner.requests).toEqual([]);
});
