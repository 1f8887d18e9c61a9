import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Approval } from "../../src/contract/approval.ts";
import type { ToolRow } from "../../src/contract/contract.ts";
import type { PageFile } from "../../src/page-files/index.ts";
import { matchRoute } from "../../src/navigation/routes.ts";
import * as data from "./fake-data.ts";

/** The headers with which a server sends the page (design of Studio, section 3). */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

/** A server with the page and made-up data, for tests of the page alone. */
export interface FakeServer {
  /** Such as `http://127.0.0.1:4000`. */
  readonly url: string;
  /** The start link, which works once. */
  startLink(): string;
  /** The bodies of the answers to approvals, in order. */
  readonly answers: readonly { readonly id: string; readonly body: unknown }[];
  /** Adds an approval, and emits the event of it. */
  addApproval(approval: Approval): void;
  /** Replaces an approval, and emits an event. */
  changeApproval(id: string, changes: Partial<Approval>): void;
  emit(event: Readonly<Record<string, unknown>>): void;
  /** Ends all sessions. */
  endSessions(): void;
  close(): Promise<void>;
}

/** Settings of the made-up data. */
export interface FakeOptions {
  readonly files: ReadonlyMap<string, PageFile>;
  /** Default: 10,000 tools. */
  readonly tools?: readonly ToolRow[];
  /** The number of spans of each run. Default: 120. */
  readonly spans?: number;
  /** Default: the system chooses. */
  readonly port?: number;
  /** Changes each body before it is sent, for texts of an attacker. */
  readonly transform?: (path: string, body: unknown) => unknown;
}

type Handler = (request: {
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}) => unknown;

class Refused {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  constructor(status: number, code: string, detail: string) {
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

/** Starts the server on 127.0.0.1. */
export async function startFakeServer(options: FakeOptions): Promise<FakeServer> {
  const tools = options.tools ?? data.makeTools(10_000);
  const approvals = [...data.makeApprovals(tools)];
  const grants = [...data.makeGrants(tools)];
  const answers: { id: string; body: unknown }[] = [];
  const calls = new Map<string, Record<string, unknown>>();
  const streams = new Set<ServerResponse>();
  const codes = new Set<string>();
  const tokens = new Set<string>();
  let seq = 0;

  const emit = (event: Readonly<Record<string, unknown>>): void => {
    seq += 1;
    const text = JSON.stringify({ stream: "live", seq, time: Date.now(), ...event });
    for (const stream of streams) stream.write(`id: live:${seq}\ndata: ${text}\n\n`);
  };
  const findTool = (name: string): ToolRow => {
    const found = tools.find((tool) => tool.name === name);
    if (found === undefined) throw new Refused(404, "not_found", "There is no tool of this name.");
    return found;
  };
  const page = <Item>(items: readonly Item[], query: URLSearchParams) => {
    const start = Number(query.get("cursor") ?? 0);
    const limit = Number(query.get("limit") ?? 50);
    const end = start + limit;
    return {
      items: items.slice(start, end),
      ...(end < items.length ? { nextCursor: String(end) } : {}),
    };
  };
  const explain = (name: string) => ({
    tool: name,
    advertised: true,
    effect: findTool(name).effect,
    requests: [
      {
        permission: {
          kind: "network",
          target: "DELETE https://billing.example.com/v1/invoices/4711",
          summary: "Delete the invoice 4711 at billing.example.com",
        },
        effect: findTool(name).effect,
        rule: "rules[1]",
        layer: "policy",
        reason: "Calls that destroy something are asked about.",
        remedy: `Add { "tools": ["${name}"], "effect": "allow" } before rules[1].`,
        considered: [
          {
            effect: "ask",
            rule: "rules[1]",
            layer: "policy",
            reason: "Calls that destroy something.",
          },
          { effect: "allow", rule: "preset:supervised", layer: "team", reason: "The preset." },
        ],
      },
    ],
  });
  const startCall: Handler = ({ body }) => {
    const name = String(body["name"]);
    findTool(name);
    const callId = String(body["id"]);
    const args = body["arguments"] as Record<string, unknown>;
    const state = { callId, runId: "run_0", name, status: "running", startedAt: Date.now() };
    calls.set(callId, state);
    const end = (changes: Record<string, unknown>, type: string): void => {
      if (calls.get(callId)?.["status"] !== "running") return;
      calls.set(callId, { ...state, ...changes, endedAt: Date.now() });
      emit({ type, callId, tool: name, runId: "run_0" });
    };
    if (args["slow"] === true) {
      setTimeout(() => {
        emit({
          type: "tool.progressed",
          callId,
          progress: { message: "Copies", done: 3, total: 10 },
        });
        emit({ type: "tool.updated", callId, output: { content: [], value: { copied: 3 } } });
      }, 60);
    } else if (args["ask"] === true) {
      setTimeout(() => end({ status: "interrupted", approvalId: "apr_0" }, "tool.interrupted"), 40);
    } else {
      const png =
        "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
      const outcome = {
        status: "completed",
        ok: true,
        result: {
          isError: false,
          content: [
            { type: "text", text: "Deleted the invoice 4711.\nThe customer was notified." },
            {
              type: "image",
              mediaType: "image/png",
              bytes: 90,
              dataUrl: `data:image/png;base64,${png}`,
            },
            {
              type: "resource_link",
              uri: "https://billing.example.com/i/4711",
              name: "The invoice",
            },
          ],
          value: { id: 4711, state: "deleted", lines: [{ sku: "A-1", amount: 12.5 }] },
          artifacts: [{ key: "art_1", mediaType: "text/plain", size: 40_000, name: "report.txt" }],
        },
      };
      setTimeout(() => end({ status: "completed", outcome }, "tool.completed"), 40);
    }
    return { callId, runId: "run_0" };
  };
  const answer: Handler = ({ id, body }) => {
    const index = approvals.findIndex((each) => each.id === id);
    const found = approvals[index];
    if (found === undefined)
      throw new Refused(404, "not_found", "There is no approval with this id.");
    if (found.digest !== body["digest"]) {
      throw new Refused(409, "approval_changed", "The approval is not the one that was displayed.");
    }
    answers.push({ id, body });
    approvals.splice(index, 1);
    emit({ type: "tool.resumed", callId: found.call?.id });
    const [first] = body["answers"] as { type: string }[];
    if (first?.type === "reject") {
      return {
        status: "failed",
        result: { isError: true, content: [], artifacts: [] },
        error: { code: "approval_rejected", message: "A person rejected it.", retryable: false },
      };
    }
    return {
      status: "completed",
      answeredBy: "person",
      answeredAt: Date.now(),
      result: { isError: false, content: [{ type: "text", text: "Done." }], artifacts: [] },
    };
  };
  const routes: readonly (readonly [string, string, Handler])[] = [
    ["GET", "/api/status", () => data.makeStatus(tools, approvals.length, data.problems.length)],
    ["GET", "/api/problems", () => ({ items: data.problems })],
    ["GET", "/api/tools", () => ({ items: tools, version: 1, total: tools.length })],
    ["GET", "/api/tools/{id}", ({ id }) => data.makeDetails(findTool(id))],
    [
      "GET",
      "/api/search",
      ({ query }) => ({
        items: tools
          .filter(({ line }) => line.toLowerCase().includes(query.get("q") ?? ""))
          .slice(0, 20)
          .map(({ name, line }, index) => ({ name, line, score: 9.5 / (index + 1) })),
      }),
    ],
    ["POST", "/api/calls", startCall],
    [
      "GET",
      "/api/calls/{id}",
      ({ id }) => {
        const found = calls.get(id);
        if (found === undefined) throw new Refused(404, "not_found", "There is no such call.");
        return found;
      },
    ],
    [
      "POST",
      "/api/calls/{id}/cancel",
      ({ id }) => {
        const found = calls.get(id) ?? {};
        const error = { code: "cancelled", message: "The caller cancelled the call." };
        calls.set(id, {
          ...found,
          status: "cancelled",
          outcome: { status: "failed", ok: false, error },
          endedAt: Date.now(),
        });
        emit({ type: "tool.failed", callId: id, code: "cancelled" });
        return {};
      },
    ],
    [
      "POST",
      "/api/tools/{id}/check",
      ({ id, body }) => ({
        problems:
          typeof (body["arguments"] as Record<string, unknown>)["id"] === "number"
            ? []
            : [{ pointer: "/id", message: "is required and must be an integer" }],
        explanation: explain(id),
      }),
    ],
    ["GET", "/api/approvals", () => ({ approvals })],
    [
      "GET",
      "/api/approvals/{id}",
      ({ id }) => {
        const found = approvals.find((each) => each.id === id);
        if (found === undefined) throw new Refused(404, "not_found", "There is no such approval.");
        return found;
      },
    ],
    ["POST", "/api/approvals/{id}/answers", answer],
    ["GET", "/api/grants", () => ({ grants })],
    [
      "DELETE",
      "/api/grants/{id}",
      ({ id }) => {
        grants.splice(
          grants.findIndex((grant) => grant.id === id),
          1,
        );
        return undefined;
      },
    ],
    [
      "GET",
      "/api/runs",
      ({ query }) =>
        page(
          data.makeRuns(tools).filter(({ failed }) => query.get("failed") === null || failed > 0),
          query,
        ),
    ],
    ["GET", "/api/runs/{id}", ({ id }) => data.makeRun(id, tools, options.spans ?? 120)],
    ["GET", "/api/tasks", ({ query }) => page(data.makeTasks(tools), query)],
    ["GET", "/api/tasks/{id}", ({ id }) => data.makeTasks(tools).find((task) => task.id === id)],
    ["POST", "/api/tasks/{id}/cancel", () => ({})],
    [
      "GET",
      "/api/artifacts/{id}",
      ({ id, query }) => {
        const text = "A line of the report with some words in it.\n".repeat(2000);
        const offset = Number(query.get("offset") ?? 0);
        const end = offset + Number(query.get("length") ?? 1000);
        return {
          key: id,
          mediaType: "text/plain",
          bytes: text.length,
          createdAt: data.now - 60_000,
          offset,
          text: text.slice(offset, end),
          ...(end < text.length ? { nextOffset: end } : {}),
        };
      },
    ],
    [
      "GET",
      "/api/artifacts/{id}/search",
      () => ({ items: [{ line: 12, offset: 528, text: "A line of the report" }] }),
    ],
    [
      "GET",
      "/api/policy",
      () => ({
        layers: [
          {
            name: "policy",
            preset: "supervised",
            rules: [
              {
                id: "rules[0]",
                text: "tools github_* → allow",
                effect: "allow",
                remark: "read-only",
              },
              { id: "rules[1]", text: "tools *_delete_* → ask, every time", effect: "ask" },
              { id: "rules[2]", text: "network outside example.com → deny", effect: "deny" },
            ],
          },
          { name: "team", rules: [] },
        ],
        warnings: ["The rule rules[2] has no effect."],
      }),
    ],
    ["POST", "/api/policy/explain", ({ body }) => explain(String(body["name"]))],
    [
      "POST",
      "/api/policy/try",
      () => ({
        changes: tools
          .filter(({ name }) => name.includes("delete"))
          .map(({ name, effect }) => ({ tool: name, before: effect, after: "deny" })),
        unchanged: tools.filter(({ name }) => !name.includes("delete")).length,
        problems: [],
      }),
    ],
    ["GET", "/api/audit", ({ query }) => page(data.makeAudit(tools), query)],
    [
      "GET",
      "/api/lock/diff",
      () => ({
        file: "toolweave.lock.json",
        added: tools.slice(0, 3).map(({ name }) => name),
        removed: ["github_close_issue"],
        changed: [
          { tool: tools[4]?.name, changes: data.makeDetails(tools[4] as ToolRow).lock?.changes },
        ],
        command: "toolweave lock --config toolweave.json",
      }),
    ],
  ];

  const handleApi = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    response.setHeader("cache-control", "no-store");
    const body = request.method === "POST" ? await readJson(request) : {};
    if (url.pathname === "/session" && request.method === "POST") {
      if (!codes.delete(String(body["code"]))) {
        throw new Refused(401, "unauthenticated", "The link was used before, or has expired.");
      }
      const token = crypto.randomUUID();
      tokens.add(token);
      return {
        token,
        scopes: ["read", "call", "decide"],
        expiresAt: Date.now() + 3_600_000,
        caller: { id: "person" },
      };
    }
    if (!tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))) {
      throw new Refused(401, "unauthenticated", "The session has ended.");
    }
    if (url.pathname === "/api/events") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": connected\n\n");
      streams.add(response);
      request.once("close", () => streams.delete(response));
      return openStream;
    }
    const view = /^\/api\/tools\/([^/]+)\/as\/([^/]+)$/.exec(url.pathname);
    if (view !== null) {
      const { spec, tokens } = data.makeDetails(findTool(decodeURIComponent(view[1] ?? "")));
      const definition = {
        type: "function",
        function: { name: spec.name, parameters: spec.inputSchema },
      };
      const problems = view[2] === "gemini" ? ["uniqueItems is omitted."] : [];
      return { provider: view[2], name: spec.name, definition, tokens, problems, omitted: false };
    }
    for (const [method, path, handler] of routes) {
      const pattern = new RegExp(`^${path.replace("{id}", "([^/]+)")}$`);
      const found = request.method === method ? pattern.exec(url.pathname) : null;
      if (found === null) continue;
      return handler({ id: decodeURIComponent(found[1] ?? ""), query: url.searchParams, body });
    }
    throw new Refused(404, "not_found", "There is no such resource.");
  };
  const openStream = Symbol("open stream");

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
    if (url.pathname.startsWith("/api/") || url.pathname === "/session") {
      handleApi(request, response, url).then(
        (result) => {
          if (result === openStream) return;
          if (result === undefined) response.writeHead(204).end();
          else {
            const body = options.transform?.(url.pathname, result) ?? result;
            response.writeHead(200, { "content-type": "application/json" });
            response.end(JSON.stringify(body));
          }
        },
        (error: unknown) => {
          const problem =
            error instanceof Refused ? error : new Refused(500, "internal", String(error));
          response.writeHead(problem.status, { "content-type": "application/problem+json" });
          response.end(JSON.stringify(problem));
        },
      );
      return;
    }
    const isScreen = matchRoute(url.pathname) !== undefined;
    const file = options.files.get(isScreen ? "/" : url.pathname);
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": file.mediaType,
      "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-store",
    });
    response.end(file.bytes);
  });
  await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    startLink() {
      const code = crypto.randomUUID();
      codes.add(code);
      return `${url}/#code=${code}`;
    },
    answers,
    addApproval(approval) {
      approvals.push(approval);
      emit({ type: "tool.interrupted", interruptionId: approval.id });
    },
    changeApproval(id, changes) {
      const index = approvals.findIndex((each) => each.id === id);
      const found = approvals[index];
      if (found !== undefined) approvals[index] = { ...found, ...changes };
      emit({ type: "tool.interrupted", interruptionId: id });
    },
    emit,
    endSessions: () => tokens.clear(),
    close() {
      for (const stream of streams) stream.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
}

async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
