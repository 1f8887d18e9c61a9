import { conformance, type Manifest } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { afterAll, beforeAll } from "vitest";
import { mcpSource } from "../../src/index.ts";
import { transportRules } from "../support/conforming-library.ts";
import { fixtureHttp, type FixtureHttp } from "../support/fixture-server-http.ts";
import { fixtureStdio } from "../support/fixture-server-options.ts";

/** A server whose tools run as tasks, and require input in every way. */
function taskManifest(
  name: string,
  era: "legacy" | "modern",
  create: Manifest["create"],
  named: (tool: string) => string,
  more: Pick<Manifest, "change" | "without">,
): Manifest {
  const task = (plan: object) => ({ tool: named("task_required"), arguments: { ...plan } });
  const person = { tool: named("ask_form"), arguments: {} };
  const page = { tool: named("ask_url"), arguments: {} };
  return {
    name,
    create,
    samples: {
      succeedingCalls: [
        task({}),
        { tool: named("task_optional"), arguments: { steps: 1 } },
        { tool: named("echo"), arguments: { text: "hello" } },
        { tool: named("add"), arguments: { a: 1, b: 2 } },
        { tool: named("show_everything"), arguments: {} },
        { tool: named("any_json"), arguments: { value: [null, 1] } },
      ],
      failingCalls: [
        task({ outcome: "error" }),
        task({ outcome: "fail" }),
        { tool: named("fail"), arguments: {} },
        { tool: named("refuse"), arguments: {} },
      ],
      slowCalls: [
        task({ outcome: "never" }),
        { tool: named("wait"), arguments: { label: "slow" } },
      ],
      ...(era === "modern"
        ? {
            suspendingCalls: [
              {
                ...person,
                answer: ({ id }) => ({ type: "input", requestId: id, value: { name: "Emma" } }),
              },
              {
                ...person,
                arguments: { rounds: 3 },
                answer: ({ id }) => ({ type: "input", requestId: id, value: { name: "Jane" } }),
              },
              { ...page, answer: ({ id }) => ({ type: "approve", requestId: id }) },
            ],
          }
        : {}),
      updatingCalls: [task({ steps: 3 }), { tool: named("count"), arguments: { steps: 3 } }],
      largeCalls: [{ tool: named("large"), arguments: { characters: 300_000 }, bytes: 300_000 }],
    },
    generatedCalls: [named("echo"), named("add"), named("any_json"), named("show_everything")],
    ...more,
    without: {
      effectCalls: "its changes are inside the server",
      state: "its changes are inside the server",
      secrets: "it receives none",
      ...(era === "modern"
        ? {}
        : { suspendingCalls: "a question over this connection is answered at once, or declined" }),
      ...(more.without as object),
    },
  };
}

conformance(
  taskManifest(
    "an MCP server whose tools are tasks and require input",
    "modern",
    () => mcpSource(fixtureStdio),
    (tool) => `fixture__${tool}`,
    {
      change: async (source) => {
        const change = source.tools().find(({ spec }) => spec.name === "fixture__change");
        await change?.invoke({ what: "tools", times: 3 }, {
          signal: new AbortController().signal,
          progress() {},
          idempotencyKey: async () => "k",
        } as never);
      },
      without: { outage: "each source has its own process" },
    },
  ),
  transportRules,
);

let served: FixtureHttp;
beforeAll(async () => {
  served = await fixtureHttp({ era: "legacy" });
});
afterAll(() => served.close());

conformance(
  taskManifest(
    "an MCP server of the older protocol whose tools are tasks, with a prefix and a filter",
    "legacy",
    () =>
      prefix(
        filter(
          mcpSource({
            name: "fixture",
            url: served.url,
          }),
          ({ spec }) => spec.name !== "fixture__ask_endlessly",
        ),
        "town",
      ),
    (tool) => `town__fixture__${tool}`,
    {
      without: {
        change: "all sources have one server: a change would also affect the next of them",
        outage: "a task outlives it: its call waits for longer than the kit does",
      },
    },
  ),
  transportRules,
);
