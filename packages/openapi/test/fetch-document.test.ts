import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from "@toolweave/http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDocumentFetcher, type FetchOptions } from "../src/fetch-document.ts";
import { SourceSecrets } from "../src/auth/source-secrets.ts";

const clients: HttpClientOptions[] = [];
const sent: HttpRequest[] = [];
let tookMs = 0;
let bytes = 2;

vi.mock("@toolweave/http", async (original) => ({
  ...(await original<object>()),
  httpClient: (options: HttpClientOptions): Partial<HttpClient> => ({
    request: (request) => {
      clients.push(options);
      sent.push(request);
      vi.advanceTimersByTime(tookMs);
      return Promise.resolve({
        status: 200,
        statusText: "",
        method: request.method,
        url: String(request.url),
        headers: {},
        body: { length: bytes } as Uint8Array,
        mediaType: "application/json",
        text: () => "{}",
      } satisfies HttpResponse);
    },
  }),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "setTimeout"] });
  clients.length = 0;
  sent.length = 0;
  tookMs = 0;
  bytes = 2;
});
afterEach(() => {
  vi.useRealTimers();
});

const root = "https://docs.example/v1/openapi.json?format=json";

function fetcher(given: Partial<FetchOptions> = {}): ReturnType<typeof createDocumentFetcher> {
  return createDocumentFetcher({
    source: "museum",
    secrets: new SourceSecrets(),
    documentUrl: root,
    reach: {},
    timeoutMs: undefined,
    signal: new AbortController().signal,
    auth: { bearer: "SECRET" },
    headers: {},
    mayAuthorize: (origin) => origin === "https://docs.example",
    ...given,
  });
}

test("the host's headers are not sent with a redirect to another origin, whatever their names", async () => {
  await fetcher({ headers: { "user-agent": "SECRET", "x-key": "SECRET" } })(root);
  expect(sent[0]?.credentials).toEqual(["authorization", "user-agent", "x-key"]);
});

describe("a document and its referenced files", () => {
  test("share one deadline", async () => {
    const fetch = fetcher({ timeoutMs: 1000 });
    tookMs = 400;
    for (const name of ["a", "b"]) await fetch(`https://docs.example/v1/${name}`);
    await fetch("https://docs.example/v1/c");
    await expect(fetch("https://docs.example/v1/d")).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("1000 ms") as string,
    });
    expect(clients.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 600, 200]);
  });

  test("have no deadline with timeoutMs 0", async () => {
    const fetch = fetcher({ timeoutMs: 0 });
    tookMs = 1e9;
    for (const name of ["a", "b"]) await fetch(`https://docs.example/v1/${name}`);
    expect(clients.map(({ timeoutMs }) => timeoutMs)).toEqual([0, 0]);
  });

  test("share one limit of bytes, of which a reference gets a part", async () => {
    const fetch = fetcher();
    const MiB = 1024 * 1024;
    bytes = 240 * MiB;
    await fetch(root);
    bytes = 16 * MiB;
    await fetch("https://docs.example/v1/a");
    await expect(fetch("https://docs.example/v1/b")).rejects.toMatchObject({
      code: "upstream",
      message: expect.stringContaining("256 MiB") as string,
    });
    expect(clients.map(({ maxBytes }) => maxBytes)).toEqual([256 * MiB, 16 * MiB]);
    await fetcher()("https://docs.example/v1/a");
    expect(clients.at(-1)?.maxBytes).toBe(32 * MiB);
  });

  test("are requested with the credentials of their origin, except references with a query", async () => {
    const fetch = fetcher();
    for (const url of [
      root,
      "https://docs.example/v1/pet.json",
      "https://docs.example/v1/pet.json?delete=all",
      "https://other.example/pet.json",
    ])
      await fetch(url);
    expect(sent.map(({ headers }) => headers?.["authorization"])).toEqual([
      "Bearer SECRET",
      "Bearer SECRET",
      undefined,
      undefined,
    ]);
  });
});
