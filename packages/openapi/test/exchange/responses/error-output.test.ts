import type { ArtifactRef, ToolOutcome } from "@toolweave/core";
import { memoryArtifacts } from "@toolweave/core/stores";
import { describe, expect, test } from "vitest";
import { getStatusMeaning } from "../../../src/exchange/responses/error-output.ts";
import { respond } from "@toolweave/test-support/recording-server";
import { openApi, readTexts, type CalledApi } from "../../support/start-api.ts";

const json = { description: "ok", content: { "application/json": { schema: { type: "object" } } } };

const paths = {
  "/thing": {
    get: {
      operationId: "getThing",
      responses: {
        "200": { ...json, headers: { "X-Cost": { schema: { type: "integer" } } } },
        "4XX": { description: "no", headers: { "X-Reason": {} } },
      },
    },
    post: { operationId: "makeThing", responses: { "201": json } },
  },
  "/any": { get: { operationId: "any", responses: { "200": { description: "ok" } } } },
};

async function answering(...answer: Parameters<typeof respond>): Promise<CalledApi> {
  return openApi(paths, respond(...answer));
}

async function getArtifact(
  { executor }: CalledApi,
  outcome: ToolOutcome,
): Promise<ArtifactRef & { text: string }> {
  if (outcome.status === "interrupted") throw new Error("it waits for approval");
  const [ref] = outcome.result.artifacts;
  if (ref === undefined) throw new Error("nothing is kept");
  const read = await executor.execute({
    id: "read",
    name: "read_artifact",
    arguments: { key: ref.key },
  });
  return { ...ref, text: readTexts(read)[0] ?? "" };
}

describe("invalid JSON", () => {
  test("HT20: is an error with the position", async () => {
    const { call } = await answering(200, "application/json", "{");
    const outcome = await call("get_thing");
    expect(outcome).toMatchObject({ error: { code: "upstream", status: 200, body: "{" } });
    expect(readTexts(outcome)).toEqual([
      "200 OK, but the answer is not valid JSON (it ends too early, at position 1 (line 1, column 2)). It begins: {",
    ]);
  });

  test("HT20: that is long is stored completely", async () => {
    const body = `{"a": ${"x".repeat(5000)}`;
    const api = await answering(200, "application/json", body);
    const outcome = await api.call("get_thing");
    expect(readTexts(outcome)[0]).toContain(
      "is not valid JSON (at position 6 (line 1, column 7)).",
    );
    expect(await getArtifact(api, outcome)).toMatchObject({ mediaType: "text/plain", size: 5006 });
  });

  test("HT20: that is an HTML page is reported with the page's text", async () => {
    const page = "<!doctype html><title>Sign in</title>";
    const { call } = await answering(200, "application/json", page);
    expect(readTexts(await call("get_thing"))).toEqual([
      '200 OK, but the answer is an HTML page instead of JSON. It says: "Sign in"',
    ]);
  });
});

test("HT26: an infinite body stops at the limit, its beginning is stored, and the result is an error", async () => {
  let closed: Promise<unknown> | undefined;
  const api = await openApi(paths, (_request, response) => {
    closed = new Promise((resolve) => response.once("close", resolve));
    response.setHeader("content-type", "application/json");
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, "a")));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  });
  const outcome = await api.call("get_thing");
  await closed;
  expect(outcome).toMatchObject({ error: { code: "upstream" }, result: { isError: true } });
  const kept = await getArtifact(api, outcome);
  expect(kept).toMatchObject({ mediaType: "application/json", size: 10_485_760 });
  expect(readTexts(outcome)[0]).toBe(
    `200 OK, but the answer is larger than the maximum of 10485760 bytes: request less. Its beginning is stored as ${kept.key}.`,
  );
});

describe("bytes", () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));

  test("with a file name are stored under it, unchanged", async () => {
    const store = memoryArtifacts();
    const api = await openApi(
      paths,
      (_request, response) =>
        response
          .writeHead(200, {
            "content-type": "application/pdf",
            "content-disposition": 'attachment; filename="../r\u00e9port.pdf"',
          })
          .end(bytes),
      {},
      { artifacts: store },
    );
    const outcome = await api.call("any");
    if (outcome.status === "interrupted") throw new Error("interrupted");
    const [ref] = outcome.result.artifacts;
    expect(ref).toMatchObject({ mediaType: "application/pdf", size: 256, name: "réport.pdf" });
    expect(Buffer.from((await store.read(ref?.key ?? "", 0, 256)) ?? [])).toEqual(bytes);
    expect(readTexts(outcome)[0]).toBe('"réport.pdf": application/pdf, 256 bytes');
  });

  test.each([
    ["application/zip", 10, 1],
    ["application/zip", 300_000, 1],
  ])("of type %s, %i of them, are one artifact of that type", async (type, length, count) => {
    const api = await answering(200, type, Buffer.alloc(length, 200));
    const outcome = await api.call("any");
    if (outcome.status === "interrupted") throw new Error("interrupted");
    expect(outcome.result.artifacts).toHaveLength(count);
    expect(outcome.result.artifacts[0]).toMatchObject({ mediaType: type, size: length });
  });
});

describe("an answer of several parts", () => {
  test("is a list of them, each read by its own type", async () => {
    const body = Buffer.concat([
      Buffer.from(
        '--x\r\nContent-Disposition: form-data; name="about"\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n',
      ),
      Buffer.from("--x\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n\xe9\r\n", "latin1"),
      Buffer.from(
        '--x\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
      ),
      Buffer.from([0, 255, 13, 10]),
      Buffer.from("\r\n--x\r\nContent-Type: image/png\r\n\r\nPNG\r\n--x--\r\n"),
    ]);
    const { call } = await answering(200, "multipart/mixed; boundary=x", body);
    const outcome = await call("any");
    if (outcome.status === "interrupted") throw new Error("interrupted");
    const { value, artifacts } = outcome.result;
    expect(value).toEqual([
      { name: "about", mediaType: "application/json", value: { a: 1 } },
      { mediaType: "text/plain", value: "é" },
      {
        name: "f",
        fileName: "a.bin",
        mediaType: "application/octet-stream",
        artifact: artifacts[0]?.key,
      },
      { mediaType: "image/png" },
    ]);
    expect(artifacts).toMatchObject([{ name: "a.bin", size: 4 }]);
    expect(readTexts(outcome).slice(0, 4)).toEqual([
      '{"a":1}',
      "é",
      '"a.bin": application/octet-stream, 4 bytes',
      "image",
    ]);
  });

  test("that is cut off is bytes, and not a list", async () => {
    const { call } = await answering(200, "multipart/mixed; boundary=x", "--x\r\n\r\none");
    const outcome = await call("any");
    expect(outcome).toMatchObject({ result: { artifacts: [{ mediaType: "multipart/mixed" }] } });
    expect(outcome.status === "completed" && outcome.result.value).toBeUndefined();
  });
});

describe("data beside the body", () => {
  test("is returned to the host: the usual headers, and those that the document declares", async () => {
    const { call } = await openApi(paths, (_request, response) =>
      response
        .writeHead(200, {
          "content-type": "application/json",
          etag: '"7"',
          "x-cost": "3",
          "x-internal": "no",
          "set-cookie": "session=1",
        })
        .end("{}"),
    );
    expect(await call("get_thing")).toMatchObject({
      result: {
        details: {
          status: 200,
          headers: { "content-type": "application/json", etag: '"7"', "x-cost": "3" },
        },
      },
    });
    expect(JSON.stringify(await call("get_thing"))).not.toMatch(/x-internal|session/);
  });

  test("can be declared for a class of statuses, too", async () => {
    const { call } = await openApi(paths, (_request, response) =>
      response.writeHead(409, { "x-reason": "because" }).end(),
    );
    expect(await call("get_thing")).toMatchObject({
      result: { details: { status: 409, headers: { "x-reason": "because" } } },
    });
  });

  test.each([
    [201, "201 Created, location: /things/7"],
    [202, "202 Accepted, location: /things/7 (not complete yet: check that location)"],
  ])("of %i with a body names the location of the resource", async (status, said) => {
    const { call } = await openApi(paths, (_request, response) =>
      response
        .writeHead(status, { "content-type": "application/json", location: "/things/7" })
        .end('{"id":7}'),
    );
    const outcome = await call("make_thing");
    expect(outcome).toMatchObject({ result: { isError: false, value: { id: 7 } } });
    expect(readTexts(outcome)).toEqual(['{"id":7}', said]);
  });
});

describe("a status of failure", () => {
  const retryable = [408, 425, 429, 502, 503, 504, 520, 521, 522, 523, 524, 529];

  const credentialsMissing =
    "Credentials are missing, or those in the arguments are wrong: the host has to configure them as `auth` or `headers`. Repeating the call will not help.";

  test.each([
    400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418,
    421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 508,
    511, 520, 521, 522, 523, 524, 525, 526, 529, 530, 599,
  ])("HT37: %i is upstream, may be retried or not, and has advice", async (status) => {
    const { call } = await answering(status, "text/plain", "because");
    const outcome = await call("get_thing");
    const expected = status === 401 ? "auth_required" : "upstream";
    expect(outcome).toMatchObject({
      status: "completed",
      error: { code: expected, status, retryable: retryable.includes(status) },
      result: { isError: true },
    });
    const [text = ""] = readTexts(outcome);
    const { advice = status === 401 ? credentialsMissing : undefined } = getStatusMeaning(status);
    const [first, ...more] = text.split("\n");
    expect(first).toContain(": because");
    expect(more).toEqual(advice === undefined ? [] : [advice]);
  });

  test("has a reason phrase of at most one line, without hidden characters", async () => {
    const { call } = await openApi(paths, (_request, response) =>
      response.writeHead(404, `Not\u00e2\u0080\u00ae Found ${"x".repeat(9_000)}`).end(),
    );
    const outcome = await call("get_thing");
    expect(readTexts(outcome)[0]).toMatch(/^404 Not Found\s+x{80,90}$/);
  });

  test("HT37: contains the requested waiting time", async () => {
    const { call } = await openApi(paths, (_request, response) =>
      response.writeHead(429, { "retry-after": "7" }).end(),
    );
    const outcome = await call("get_thing");
    expect(outcome).toMatchObject({ error: { retryAfterMs: 7000 } });
    expect(readTexts(outcome)).toEqual([
      "429 Too Many Requests\nToo many requests were sent. The API asks to wait 7 s.",
    ]);
  });

  test("HT37: of the API after a write warns that the write may have had its effect", async () => {
    const { call } = await answering(502, "text/plain", "");
    expect(readTexts(await call("make_thing"))[0]).toContain(
      "The request may have taken effect anyway: check before repeating it.",
    );
    expect(readTexts(await call("get_thing"))[0]).not.toContain("taken effect");
  });

  test("has the texts of the problem details (RFC 9457)", async () => {
    const problem = { title: "Out of credit", detail: "Your balance is 30", balance: 30 };
    const { call } = await answering(403, "application/problem+json", JSON.stringify(problem));
    const outcome = await call("get_thing");
    expect(readTexts(outcome)).toEqual([
      '403 Forbidden: Out of credit. Your balance is 30. {"balance":30}',
    ]);
    expect(outcome).toMatchObject({ result: { value: problem }, error: { body: problem } });
  });
});
