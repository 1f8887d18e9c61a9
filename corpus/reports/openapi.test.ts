import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ToolExecutor, ToolRegistry, type JsonObject, type JsonValue } from "@toolweave/core";
import { openApiSource, type OpenApiOptions, type OpenApiSource } from "@toolweave/openapi";
import { RecordingServer, type Recorded } from "@toolweave/test-support/recording-server";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findIncomplete, observeContent, pickPresent, readRows, type Report } from "./rows.ts";

/** How a document reaches the source. A row holds in all forms, if it does not name some. */
const forms = ["text", "object", "file", "url"] as const;
type Form = (typeof forms)[number];

/** A request: its first line, the expected headers, and the body, whose boundary is `B`. */
interface Sent {
  readonly line: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
}

/** One reported case. */
interface Row extends Report {
  readonly forms?: readonly Form[];
  /** The document; `{origin}` stands for the server. */
  readonly document: string;
  /** Further files beside the document, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: OpenApiOptions;
  /** The tool; default: the only one. */
  readonly calls?: string;
  /** The arguments; a text is sent as a model would write it. Without them, nothing is called. */
  readonly with?: JsonObject | string;
  readonly reply?: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string | string[]>>;
    readonly body?: string;
    readonly base64?: string;
  };
  readonly sends?: Sent;
  /** The structured result. */
  readonly value?: JsonValue;
  /** A text of a problem; empty: there is none. */
  readonly problem?: string;
  /** The names of the tools. */
  readonly tools?: readonly string[];
  /** The input schema of the tool. */
  readonly input?: JsonObject;
  /** The files that were fetched beside the document, if it comes from a URL. */
  readonly fetched?: readonly string[];
}

const cases = await readRows<Row>("openapi");

let server: RecordingServer;
let scratch: string;

beforeAll(async () => {
  server = await RecordingServer.start();
  scratch = await mkdtemp(join(tmpdir(), "toolweave-reports-"));
});

afterAll(async () => {
  await server.close();
  await rm(scratch, { recursive: true });
});

/** Opens the document of a row. The server answers with the row's files first, and with its reply otherwise. */
async function openSource(row: Row, form: Form, path: string): Promise<OpenApiSource> {
  const withOrigin = (text: string): string => text.replaceAll("{origin}", server.origin);
  const text = withOrigin(row.document);
  const options = { baseUrl: `${server.origin}/api`, ...row.options };
  const served = new Map(
    Object.entries({ ...row.files, "openapi.yaml": text }).map(([name, content]) => [
      `${path}/${name}`,
      withOrigin(content),
    ]),
  );
  server.answer = ({ path }, response) => {
    const file = served.get(path);
    if (file !== undefined) {
      response.end(file);
      return;
    }
    const { status = 200, headers = {}, body = "{}", base64 } = row.reply ?? {};
    const all = { "content-type": "application/json", ...headers };
    response
      .writeHead(status, all)
      .end(base64 === undefined ? body : Buffer.from(base64, "base64"));
  };
  if (form === "text") return openApiSource.fromString(text, options);
  if (form === "object") return openApiSource.fromDocument(load(text) as object, options);
  if (form === "url") return openApiSource.fromUrl(`${server.origin}${path}/openapi.yaml`, options);
  for (const [name, content] of served) {
    const file = join(scratch, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return openApiSource.fromFile(join(scratch, path, "openapi.yaml"), options);
}

/** The request in the format of a row. */
function toSent({ method, path, query, headers, body }: Recorded, expected: Sent): Sent {
  const boundary = /boundary="?([^";]+)/.exec(headers["content-type"] ?? "")?.[1] ?? "\0";
  const shorten = (text: string): string => text.replaceAll(boundary, "B");
  const named = Object.keys(expected.headers ?? {}).map((name) => {
    const value = headers[name];
    return [name, value === undefined ? null : shorten(value)];
  });
  return {
    line: `${method} ${path.replace("/api", "")}${query === "" ? "" : `?${query}`}`,
    ...(expected.headers === undefined ? {} : { headers: Object.fromEntries(named) as {} }),
    ...(expected.body === undefined
      ? {}
      : { body: shorten(body.toString()).replaceAll("\r\n", "\n").trimEnd() }),
  };
}

/** Loads the document of a row and calls its tool. Returns what the row expects, as it was observed. */
async function observe(row: Row, form: Form, path: string): Promise<Partial<Row>> {
  server.requests.length = 0;
  await using source = await openSource(row, form, path);
  const registry = new ToolRegistry([source]);
  await registry.ready;
  source.realize();
  const problems = source.problems.map(({ message }) => message).join("\n");
  const names = source.tools().map(({ spec }) => spec.name);
  const tool = source.tools().find(({ spec }) => (row.calls ?? names[0]) === spec.name);
  const fetched = server.requests
    .map((request) => request.path.slice(path.length + 1))
    .filter((name) => name !== "openapi.yaml");
  const loaded = {
    ...(row.problem === undefined
      ? {}
      : { problem: row.problem !== "" && problems.includes(row.problem) ? row.problem : problems }),
    ...(row.tools === undefined ? {} : { tools: names }),
    ...(row.input === undefined ? {} : { input: tool?.spec.inputSchema }),
    ...(form === "url" ? { fetched: fetched.toSorted() } : {}),
  };
  if (row.with === undefined) return loaded as Partial<Row>;

  server.requests.length = 0;
  const executor = new ToolExecutor({
    registry,
    policy: "autonomous",
    onAsk: () => ({ approved: true }),
  });
  const call = { id: "1", name: tool?.spec.name ?? "", arguments: row.with };
  const outcome = await executor.execute(call);
  const result = outcome.status === "interrupted" ? undefined : outcome.result;
  const { sends } = row;
  const requests = server.requests.map((request) => toSent(request, sends ?? { line: "" }));
  return {
    ...loaded,
    ...(sends === undefined ? {} : { sends: requests.length === 1 ? requests[0] : requests }),
    ...(row.value === undefined ? {} : { value: result?.value }),
    ...observeContent(row, outcome),
  } as Partial<Row>;
}

/** The expectations of a row in a form. */
function getExpected(row: Row, form: Form): Partial<Row> {
  return {
    ...pickPresent(row, [
      "sends",
      "value",
      "text",
      "lacks",
      "refuses",
      "problem",
      "tools",
      "input",
    ]),
    ...(form === "url" ? { fetched: (row.fetched ?? []).toSorted() } : {}),
  };
}

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => Object.keys(getExpected(row, "text")).length === 0)).toEqual([]);
});

const each = cases.flatMap(({ table, index, row }) =>
  (row.forms ?? forms).map((form) => ({
    row,
    form,
    path: `/${table}-${index}`,
    table,
    is: row.is,
  })),
);

test.each(each)("$table: $is, as $form", async ({ row, path, form }) => {
  expect(await observe(row, form, path)).toEqual(getExpected(row, form));
});
