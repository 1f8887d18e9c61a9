import { mkdtemp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  ToolExecutor,
  ToolRegistry,
  type JsonObject,
  type JsonValue,
  type Tool,
  type ToolOutcome,
} from "@toolweave/core";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  openApiSource,
  type OpenApiAuth,
  type OpenApiSource,
  type OperationOverride,
} from "../../src/index.ts";
import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";

/** A request as the specification prescribes it; absent parts are not sent. */
interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string;
  /** The content type. */
  readonly type?: string;
  readonly body?: string;
  readonly lines?: readonly string[];
  readonly base64?: string;
}

interface Row {
  readonly is: string;
  /** The section that decides, or the choice if none does. */
  readonly by: string;
  /** The document's version; default: 3.2.0. */
  readonly openapi?: string;
  readonly method?: string;
  readonly path?: string;
  readonly parameters?: readonly JsonObject[];
  readonly content?: JsonObject;
  readonly operation?: JsonObject;
  readonly item?: JsonObject;
  readonly servers?: JsonValue;
  readonly document?: JsonObject;
  /** Further files beside the document, by relative path. */
  readonly files?: Readonly<Record<string, JsonObject>>;
  /** The server's address of the document. */
  readonly served?: string;
  /** The host's settings of the operation. */
  readonly override?: OperationOverride;
  /** The host's credentials. */
  readonly auth?: OpenApiAuth;
  /** Default: the only tool. */
  readonly calls?: string;
  readonly with?: JsonObject;
  /** The value of the only argument, by its name in the document. */
  readonly as?: JsonObject;
  readonly sends?: Sent;
  /** The text of the error. */
  readonly refuses?: string;
  /** The text of a problem of the source; empty: there is none. */
  readonly warns?: string;
}

const folder = new URL("../fixtures/requests/", import.meta.url);
const tables = await Promise.all(
  (await readdir(folder))
    .toSorted()
    .map(async (file): Promise<[string, Row[]]> => [
      file.replace(".yaml", ""),
      load(await readFile(new URL(file, folder), "utf8")) as Row[],
    ]),
);

let server: RecordingServer;
let scratch: string;

beforeAll(async () => {
  server = await RecordingServer.start();
  scratch = await mkdtemp(join(tmpdir(), "toolweave-requests-"));
});

afterAll(async () => {
  await server.close();
  await rm(scratch, { recursive: true });
});

function createDocument(row: Row): JsonObject {
  const { openapi = "3.2.0", method = "get", path = "/x", content, servers } = row;
  const parameters = row.parameters?.map((one) => ({
    ...(one["in"] === "path" ? { required: true } : {}),
    ...(["schema", "content", "type"].some((key) => key in one) ? {} : { schema: {} }),
    ...one,
  }));
  const operation = {
    ...(parameters === undefined ? {} : { parameters }),
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: { 204: { description: "Done." } },
    ...row.operation,
  };
  const own = row.calls === undefined ? { [method]: operation } : {};
  return {
    ...(openapi === "2.0" ? { swagger: openapi } : { openapi }),
    info: { title: "Requests", version: "1" },
    ...(servers === undefined ? {} : { servers }),
    paths: { [path]: { ...own, ...row.item } },
    ...row.document,
  } as unknown as JsonObject;
}

async function openSource(row: Row): Promise<OpenApiSource> {
  const text = JSON.stringify(createDocument(row)).replaceAll("{origin}", server.origin);
  const { override, method = "get", path: at = "/x" } = row;
  const overrides =
    override === undefined ? {} : { overrides: { [`${method.toUpperCase()} ${at}`]: override } };
  if (row.served !== undefined) {
    server.answer = ({ path }, response) => {
      response.setHeader("content-type", "application/json");
      response.end(path === row.served ? text : "{}");
    };
    return openApiSource(server.origin + row.served);
  }
  const options = {
    ...(row.servers === undefined ? { baseUrl: server.origin } : { allowOrigins: [server.origin] }),
    ...overrides,
    ...(row.auth === undefined ? {} : { auth: row.auth }),
  };
  if (row.files === undefined) return openApiSource.fromString(text, options);
  for (const [path, value] of Object.entries({
    ...row.files,
    "openapi.json": JSON.parse(text) as JsonObject,
  })) {
    const file = join(scratch, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(value));
  }
  return openApiSource.fromFile(join(scratch, "openapi.json"), options);
}

const ownHeaders = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "user-agent",
]);

/** Everything that was sent, in the format of the table; boundaries have short names. */
function seen(
  { method, path, query, headers, body }: Recorded,
  expected: Sent,
): Sent & { named: JsonObject } {
  const boundaries = new Map<string, string>();
  const short = (text: string): string =>
    text.replace(/toolweave-[\da-f-]{36}/g, (found) => {
      if (!boundaries.has(found)) boundaries.set(found, `B${boundaries.size + 1}`);
      return boundaries.get(found) as string;
    });
  const { cookie, "content-type": type, ...others } = headers;
  const named = Object.fromEntries(
    Object.entries(others).filter(
      ([name]) => !ownHeaders.has(name) || expected.headers?.[name] !== undefined,
    ),
  ) as JsonObject;
  return {
    method,
    path,
    query,
    named,
    ...(cookie === undefined ? {} : { cookie }),
    ...(type === undefined ? {} : { type: short(type) }),
    body: expected.base64 === undefined ? short(body.toString()) : body.toString("base64"),
  };
}

function prescribed({
  method = "get",
  path = "/x",
  sends = {},
}: Row): Sent & { named: JsonObject } {
  const {
    headers = {},
    lines,
    base64,
    body = base64 ?? lines?.join("\r\n") ?? "",
    ...others
  } = sends;
  return { method: method.toUpperCase(), path, query: "", ...others, named: headers, body };
}

test("no row exists twice, and each names the deciding section", () => {
  const rows = tables.flatMap(([table, all]) => all.map((row) => `${table}: ${row.is}`));
  expect(new Set(rows).size).toBe(rows.length);
  expect(rows.length).toBeGreaterThan(190);
  for (const [, all] of tables) {
    for (const row of all) {
      expect(row.by).toMatch(/\d|WHATWG|HTML|our choice/);
      expect([row.sends, row.refuses].filter((one) => one !== undefined)).toHaveLength(1);
    }
  }
});

interface Called {
  readonly outcome: ToolOutcome;
  readonly requests: readonly Recorded[];
  /** The messages of the source's problems. */
  readonly problems: readonly string[];
}

async function called(row: Row): Promise<Called> {
  server.answer = (_recorded, response) => response.writeHead(204).end();
  const source = await openSource(row);
  const registry = new ToolRegistry([source]);
  await registry.ready;
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    onAsk: () => ({ approved: true }),
  });
  const tool = source
    .tools()
    .find(({ spec }) => row.calls === undefined || spec.name === row.calls) as Tool;
  const { name, inputSchema } = tool.spec;
  const [only = ""] = Object.keys((inputSchema["properties"] ?? {}) as JsonObject);
  const given =
    row.as === undefined ? (row.with ?? {}) : { [only]: Object.values(row.as)[0] as JsonValue };
  server.requests.length = 0;
  const outcome = await executor.execute({ id: "1", name, arguments: given });
  source.realize();
  const problems = source.problems.map(({ message }) => message);
  await registry.close();
  return { outcome, requests: [...server.requests], problems };
}

/** The problems that a row does not allow, and the text that it misses. */
function findDifferences({ warns }: Row, problems: readonly string[]): readonly string[] {
  if (warns === undefined) return [];
  if (warns === "") return problems;
  return problems.some((message) => message.includes(warns)) ? [] : [warns, ...problems];
}

const cases = tables.flatMap(([table, rows]) =>
  rows.map((row): [string, string, string, Row] => [table, row.is, row.by, row]),
);

test.each(cases.filter(([, , , row]) => row.sends !== undefined))(
  "%s: %s (%s)",
  async (_table, _is, _by, row) => {
    const { outcome, requests, problems } = await called(row);
    expect(outcome).toMatchObject({ status: "completed", result: { isError: false } });
    expect(requests.map((sent) => seen(sent, row.sends ?? {}))).toEqual([prescribed(row)]);
    expect(findDifferences(row, problems)).toEqual([]);
  },
);

test.each(cases.filter(([, , , row]) => row.refuses !== undefined))(
  "%s: %s (%s)",
  async (_table, _is, _by, row) => {
    const { outcome, requests, problems } = await called(row);
    const message = expect.stringContaining(row.refuses as string) as string;
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "invalid_arguments", message },
    });
    expect(requests).toEqual([]);
    expect(findDifferences(row, problems)).toEqual([]);
  },
);
