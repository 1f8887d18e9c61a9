import type { Approval, ListedGrant, ToolRow } from "@toolweave/console";
import * as data from "./fake-data.ts";
import * as runs from "./fake-runs.ts";

/** A request of the page, after it was authenticated. */
interface FakeRequest {
  /** The `{id}` of the path. */
  readonly id: string;
  /** The `{span}` of the path. */
  readonly span: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Returns the body of the response; `undefined`: 204. */
type Handler = (request: FakeRequest) => unknown;

/** Method, path and handler. */
export type FakeRoute = readonly [string, string, Handler];

/** The data behind the API, which tests change. */
export interface FakeState {
  readonly tools: readonly ToolRow[];
  readonly approvals: Approval[];
  readonly grants: ListedGrant[];
  /** The bodies of the answers to approvals, in order. */
  readonly answers: { id: string; body: unknown }[];
  /** The number of spans of each run. */
  readonly spans: number;
  emit(event: Readonly<Record<string, unknown>>): void;
}

/** A request that is refused with a problem document. */
export class Refused {
  readonly status: number;
  readonly code: string;
  readonly detail: string;

  constructor(status: number, code: string, detail: string) {
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

/** The operations of the API with made-up data. */
export function createFakeRoutes(state: FakeState): readonly FakeRoute[] {
  const { tools, approvals, grants, answers, emit } = state;
  const calls = new Map<string, Record<string, unknown>>();
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
  return [
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
    ...["openai", "anthropic", "gemini", "bedrock", "mcp"].map((provider): FakeRoute => [
      "GET",
      `/api/tools/{id}/as/${provider}`,
      ({ id }) => {
        const { spec, tokens } = data.makeDetails(findTool(id));
        const { name, inputSchema } = spec;
        const definition = { type: "function", function: { name, parameters: inputSchema } };
        const problems = provider === "gemini" ? ["uniqueItems is omitted."] : [];
        return { provider, name, definition, tokens, problems, omitted: false };
      },
    ]),
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
          runs.makeRuns(tools).filter(({ failed }) => query.get("failed") === null || failed > 0),
          query,
        ),
    ],
    ["GET", "/api/runs/{id}", ({ id }) => runs.makeRun(id, tools, state.spans)],
    [
      "GET",
      "/api/runs/{id}/spans/{span}",
      ({ id, span }) => runs.makeRun(id, tools, state.spans).spans.find((each) => each.id === span),
    ],
    ["GET", "/api/tasks", ({ query }) => page(runs.makeTasks(tools), query)],
    ["GET", "/api/tasks/{id}", ({ id }) => runs.makeTasks(tools).find((task) => task.id === id)],
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
    ["GET", "/api/memory", ({ query }) => page(runs.findMemory(query), query)],
    [
      "GET",
      "/api/memory/{id}",
      ({ id, query }) => {
        const found = runs.findMemory(query).find((entry) => entry.id === id);
        if (found === undefined) throw new Refused(404, "not_found", "There is no such memory.");
        return found;
      },
    ],
    [
      "GET",
      "/api/memory-owners",
      () => ({ items: [{}, { caller: "maria" }, { caller: "maria", agent: "billing-agent" }] }),
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
    [
      "GET",
      "/api/audit",
      ({ query }) => {
        const who = query.get("who") ?? "";
        const rows = runs.makeAudit(tools);
        return page(
          rows.filter(({ caller, by }) => who === "" || caller === who || by === who),
          query,
        );
      },
    ],
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
}
