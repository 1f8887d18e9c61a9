import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { afterAll, beforeAll, expect, test } from "vitest";
// Only these rows need the package.
import { webTools } from "../../packages/builtin/src/index.ts";
import { findIncomplete, observeContent, readRows, type Report } from "./rows.ts";

/** One reported case: a page, and what a model reads of it. */
interface Row extends Report {
  /** The page, with `main` around it or not. */
  readonly html: string;
  /** Default: `text/html; charset=utf-8`. */
  readonly type?: string;
  readonly whole?: boolean;
}

const cases = await readRows<Row>("pages");

let html = "";
let type = "";
const server = createServer((_, response) => {
  response.setHeader("content-type", type);
  response.end(html);
});
let host: string;

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.close();
});

test("each row names its reports, its verdict, its source and what is expected", () => {
  expect(findIncomplete(cases)).toEqual([]);
  expect(cases.filter(({ row }) => row.text === undefined)).toEqual([]);
});

test.each(cases)("$table: $row.is", async ({ row }) => {
  html = row.html;
  type = row.type ?? "text/html; charset=utf-8";
  const registry = new ToolRegistry([webTools({ allowPrivate: [host] })]);
  const outcome = await new ToolExecutor({ registry }).execute({
    id: "1",
    name: "web_fetch",
    arguments: { url: `http://${host}/`, whole: row.whole ?? false },
  });
  await registry.close();
  const { text, lacks } = row;
  expect(observeContent(row, outcome)).toEqual({
    text,
    ...(lacks === undefined ? {} : { lacks }),
  });
});
