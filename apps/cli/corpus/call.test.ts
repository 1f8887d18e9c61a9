import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isFullRun } from "@toolweave/test-support";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { specs } from "../../../packages/openapi/corpus/documents.ts";
import { liveServer, petstore, type LiveServer, type WireRequest } from "./petstore.ts";

const cli = join(import.meta.dirname, "../src/main.ts");
const state = mkdtempSync(join(tmpdir(), "toolweave-corpus-"));
const store = join(state, "approvals.sqlite");

interface Called {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function call(document: string, server: string, ...args: readonly string[]): Promise<Called> {
  const [tool = "", ...rest] = args;
  const child = spawn(
    process.execPath,
    [
      "--conditions=@toolweave/source",
      cli,
      "call",
      tool,
      "--openapi",
      join(specs, document),
      "--base-url",
      server,
      ...rest,
    ],
    { env: { ...process.env, TEST_TOKEN: "t0ken", TOOLWEAVE_STORE: store } },
  );
  child.stdin.end();
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk));
  return new Promise((done) => child.on("close", (code) => done({ code, stdout, stderr })));
}

function wire({ method, url, body }: WireRequest): string {
  return body.length === 0 ? `${method} ${url}` : `${method} ${url} ${body.toString()}`;
}

afterAll(() => rmSync(state, { recursive: true }));

let server: LiveServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("toolweave call against live servers", () => {
  it.runIf(isFullRun)("creates, finds, changes and deletes in a stateful pet store", async () => {
    const store = (server = await petstore());
    const api = `${store.url}/api/v3`;
    const petCall = (...args: readonly string[]): Promise<Called> =>
      call("swagger-petstore-3.0.yaml", api, ...args);

    const refused = await petCall("add_pet", "name=Rex", "photoUrls=x");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(store.requests).toEqual([]);

    const added = await petCall(
      "add_pet",
      "--yes",
      "--args",
      '{"id":7,"name":"Rex & Söhne","photoUrls":["a b"],"tags":[{"name":"big"}],"status":"available"}',
    );
    expect(added.code).toBe(0);
    expect(JSON.parse(added.stdout)).toMatchObject({ id: 7, name: "Rex & Söhne" });

    const available = await petCall("find_pets_by_status", "status=available");
    expect(JSON.parse(available.stdout)).toHaveLength(1);
    const tagged = await petCall("find_pets_by_tags", "tags=big", "tags=a&b");
    expect(JSON.parse(tagged.stdout)).toHaveLength(1);

    const sold = await petCall("update_pet_with_form", "petId=7", "status=sold", "--yes");
    expect(JSON.parse(sold.stdout)).toMatchObject({ status: "sold" });
    const ordered = await petCall("place_order", "id=1", "petId=7", "quantity=2", "--yes");
    expect(ordered.code).toBe(0);
    expect(await petCall("delete_pet", "petId=7", "--yes")).toMatchObject({ code: 0 });
    const gone = await petCall("get_pet_by_id", "petId=7");
    expect(gone.code).toBe(1);
    expect(gone.stdout + gone.stderr).toContain("404 Not Found");

    expect(store.requests.map(wire)).toEqual([
      'POST /api/v3/pet {"id":7,"name":"Rex & Söhne","photoUrls":["a b"],"tags":[{"name":"big"}],"status":"available"}',
      "GET /api/v3/pet/findByStatus?status=available",
      "GET /api/v3/pet/findByTags?tags=big&tags=a%26b",
      "POST /api/v3/pet/7?status=sold",
      'POST /api/v3/store/order {"id":1,"petId":7,"quantity":2}',
      "DELETE /api/v3/pet/7",
      "GET /api/v3/pet/7",
    ]);
    expect(store.requests[0]?.headers["content-type"]).toBe("application/json");
  });

  it("sends what GitHub's document says", async () => {
    const github = (server = await liveServer(() => ({ status: 200, json: { ok: true } })));
    const calls = [
      [
        "issues_create",
        "owner=octo org",
        "repo=hello/world",
        "title=It broke",
        'labels=["bug"]',
        "--yes",
      ],
      ["issues_list_for_repo", "owner=o", "repo=r", "state=all", "per_page=5", "labels=bug,ui"],
      ["repos_get_content", "owner=o", "repo=r", "path=docs/read me.md", "ref=v1+2"],
      [
        "issues_add_labels",
        "owner=o",
        "repo=r",
        "issue_number=3",
        "--args",
        '{"body":{"labels":["a"]}}',
        "--yes",
      ],
    ];
    for (const args of calls) {
      const { code, stderr } = await call(
        "github-api-3.0.json",
        github.url,
        ...args,
        "--auth",
        "bearer:$TEST_TOKEN",
      );
      expect({ tool: args[0], code, stderr }).toEqual({ tool: args[0], code: 0, stderr: "" });
    }
    expect(github.requests.map(wire)).toEqual([
      'POST /repos/octo%20org/hello%2Fworld/issues {"title":"It broke","labels":["bug"]}',
      "GET /repos/o/r/issues?state=all&labels=bug%2Cui&per_page=5",
      "GET /repos/o/r/contents/docs%2Fread%20me.md?ref=v1%2B2",
      'POST /repos/o/r/issues/3/labels {"labels":["a"]}',
    ]);
    for (const { headers } of github.requests) expect(headers.authorization).toBe("Bearer t0ken");
  });

  it("sends what Stripe's document says: forms with nested keys", async () => {
    const stripe = (server = await liveServer(() => ({ status: 200, json: { id: "cus_1" } })));
    const calls = [
      [
        "post_customers",
        "--args",
        '{"email":"a+b@example.com","address":{"city":"Zürich","line1":"1 & 2"},"preferred_locales":["de","fr"],"metadata":{"k":"v w"}}',
        "--yes",
      ],
      ["get_customers", "limit=3", "--args", '{"created":{"gte":5},"expand":["data.source"]}'],
    ];
    for (const args of calls) {
      const { code, stderr } = await call("stripe-2023-09.yaml", stripe.url, ...args);
      expect({ tool: args[0], code, stderr }).toEqual({ tool: args[0], code: 0, stderr: "" });
    }
    const [created, listed] = stripe.requests as [WireRequest, WireRequest];
    expect(created.method).toBe("POST");
    expect(created.url).toBe("/v1/customers");
    expect(created.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    expect([...new URLSearchParams(created.body.toString())].sort()).toEqual([
      ["address[city]", "Zürich"],
      ["address[line1]", "1 & 2"],
      ["email", "a+b@example.com"],
      ["metadata[k]", "v w"],
      ["preferred_locales[0]", "de"],
      ["preferred_locales[1]", "fr"],
    ]);
    expect([...new URL(listed.url, stripe.url).searchParams].sort()).toEqual([
      ["created[gte]", "5"],
      ["expand[0]", "data.source"],
      ["limit", "3"],
    ]);
  });
});
