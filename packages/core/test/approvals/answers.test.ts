import { describe, expect, test } from "vitest";
import {
  suspend,
  type Answer,
  type InterruptionRequest,
  type JsonObject,
  type Tool,
} from "@toolweave/core";
import {
  call,
  executorFor,
  foreignTool,
  guarded,
  recorded,
  tool,
} from "../support/executor-for.ts";
import { readCode, completed, failed, getInterruption, textFor } from "../support/outcomes.ts";
import { TestSource } from "../support/test-source.ts";

const yes = [{ type: "approve" }] as const;
const trusted = (tool: Tool): TestSource => new TestSource("s", [tool], { trusted: true });

describe("answers that cannot be used are rejected with the reason, and the call stays pending", () => {
  test.each<[string, unknown, string]>([
    ["are not a list", { type: "approve" }, "The answers are no list of answers"],
    ["hold nothing", [null], "The answers are no list of answers"],
    [
      "have a `by` that is not a string",
      [{ type: "approve", by: 7 }],
      "The by of an answer is no text",
    ],
    [
      "give a reason that is not a string",
      [{ type: "reject", reason: {} }],
      "The reason of an answer",
    ],
    [
      "grant without an end",
      [{ type: "approve", grant: "forever" }],
      'The grant of an answer is "session"',
    ],
    [
      "widen without a scope",
      [{ type: "approve", grant: { arguments: "any" } }],
      "The grant of an answer is",
    ],
    [
      "replace the arguments by a text",
      [{ type: "approve", arguments: "all" }],
      "The changed arguments cannot be used. The arguments of pay must be one JSON object",
    ],
    [
      "change the arguments and ask for a grant",
      [{ type: "approve", arguments: {}, grant: "always" }],
      "A grant is for what was shown",
    ],
    [
      "come from a proxy that throws",
      [
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("x");
            },
            ownKeys: () => {
              throw new Error("x");
            },
          },
        ),
      ],
      "no list of answers",
    ],
  ])("that %s", async (_, answers, message) => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const interruption = getInterruption(await executor.execute(call("pay")));
    const { error } = failed(await executor.resume(interruption, answers as Answer[]));
    expect([error.code, error.message]).toEqual([
      "approval_invalid",
      expect.stringContaining(message),
    ]);
    expect(ran).toEqual([]);
    completed(await executor.resume(interruption, yes));
  });

  test("input that does not match its schema", async () => {
    const question: InterruptionRequest = {
      id: "q",
      type: "input",
      message: "How many?",
      schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    };
    const executor = executorFor(
      tool("t", (_, { resumed }) =>
        resumed === undefined ? suspend([question], null) : resumed.answers.length,
      ),
    );
    const interruption = getInterruption(await executor.execute(call("t")));
    for (const value of [{ n: "7" }, {}, null, "7"]) {
      const { error } = failed(await executor.resume(interruption, [{ type: "input", value }]));
      expect([error.code, error.message]).toEqual([
        "approval_invalid",
        expect.stringContaining('The answer to "q" is not valid'),
      ]);
    }
    completed(await executor.resume(interruption, [{ type: "input", value: { n: 7 } }]));
  });

  test.each([
    ["for a request that does not exist", "typo", 'No request has the id "typo"'],
    ["beside an answer to the same request", "a", 'The request "a" has two answers'],
    [
      "without requestId beside answers to all requests",
      undefined,
      "An answer without requestId is for no request",
    ],
  ])("a rejection %s", async (_, requestId, message) => {
    const questions: InterruptionRequest[] = ["a", "b"].map((id) => ({
      id,
      type: "input",
      message: id,
    }));
    const executor = executorFor(
      tool("t", (_, { resumed }) =>
        resumed === undefined ? suspend(questions, null) : resumed.answers.length,
      ),
    );
    const interruption = getInterruption(await executor.execute(call("t")));
    const answers: Answer[] = ["a", "b"].map((id) => ({ type: "input", requestId: id, value: 1 }));
    const { error } = failed(
      await executor.resume(interruption, [
        ...answers,
        { type: "reject", ...(requestId === undefined ? {} : { requestId }) },
      ]),
    );
    expect([error.code, error.message]).toEqual([
      "approval_invalid",
      expect.stringContaining(message),
    ]);
    completed(await executor.resume(interruption, answers));
  });

  test.each<[string, object, string]>([
    ["a field of an approver's result", { type: "approve", approved: false }, 'has no "approved"'],
    ["arguments under another name", { type: "approve", args: { n: 1 } }, 'has no "args"'],
    ["an unknown type", { type: "deny" }, 'An answer of type "deny" does not answer'],
  ])("an answer with %s", async (_, answer, message) => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const interruption = getInterruption(await executor.execute(call("pay")));
    const { error } = failed(await executor.resume(interruption, [answer as Answer]));
    expect([error.code, error.message, ran]).toEqual([
      "approval_invalid",
      expect.stringContaining(message),
      [],
    ]);
  });

  test("input for an invalid schema; a rejection still ends the wait", async () => {
    const question: InterruptionRequest = {
      id: "q",
      type: "input",
      message: "?",
      schema: { type: "nonsense" },
    };
    const executor = executorFor(
      tool("t", (_, { resumed }) => (resumed === undefined ? suspend([question], null) : "ended")),
    );
    const interruption = getInterruption(await executor.execute(call("t")));
    expect(readCode(await executor.resume(interruption, [{ type: "input", value: 1 }]))).toBe(
      "approval_invalid",
    );
    completed(await executor.resume(interruption, [{ type: "reject" }]));
  });
});

describe("several requests", () => {
  const both = (): Tool =>
    foreignTool("t", {
      preflight: () =>
        ["process", "fs.write"].map((kind) => ({ kind, target: "x", summary: kind })),
    });

  test("are rejected by one rejection, with or without answers to the others", async () => {
    const executor = executorFor(trusted(both()));
    for (const more of [[], [{ type: "approve" }]] as const) {
      const interruption = getInterruption(await executor.execute(call("t")));
      const requestId = interruption.requests[1]?.id as string;
      const outcome = await executor.resume(interruption, [
        ...more,
        { type: "reject", requestId, reason: "not that" },
      ]);
      expect(readCode(outcome)).toBe("approval_rejected");
      expect(textFor(outcome)).toContain("not that");
    }
  });

  test("report the approver of each request", async () => {
    const executor = executorFor(trusted(both()));
    const events = recorded(executor);
    const interruption = getInterruption(await executor.execute(call("t")));
    const [a, b] = interruption.requests.map(({ id }) => id) as [string, string];
    completed(
      await executor.resume(interruption, [
        { type: "approve", requestId: a, by: "ada" },
        { type: "approve", requestId: b, by: "bob" },
      ]),
    );
    for (const type of ["tool.resumed", "tool.authorized"]) {
      expect(events.find((event) => event.type === type)).toMatchObject({ by: "ada, bob" });
    }
  });
});

describe("several pending calls of one tool", () => {
  test("are answered separately, in any order; a rejection of one does not affect the others", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran));
    const outcomes = await executor
      .startRun()
      .executeAll([1, 2, 3].map((n) => call("pay", { n }, `c${n}`)));
    const [first, second, third] = outcomes.map((outcome) => getInterruption(outcome));
    completed(await executor.resume(third as never, yes));
    expect(readCode(await executor.resume(first as never, [{ type: "reject" }]))).toBe(
      "approval_rejected",
    );
    completed(await executor.resume(second as never, yes));
    expect(ran).toEqual([{ n: 3 }, { n: 2 }]);
  });

  test("that the tool itself suspended receive their own state and answers", async () => {
    const executor = executorFor(
      tool("ask", ({ n }, { resumed }) =>
        resumed === undefined
          ? suspend([{ id: "q", type: "input", message: `${String(n)}?` }], n as number)
          : [resumed.state, ...resumed.answers.map((answer) => "value" in answer && answer.value)],
      ),
    );
    const outcomes = await executor.startRun().executeAll([1, 2].map((n) => call("ask", { n })));
    const [first, second] = outcomes.map((outcome) => getInterruption(outcome));
    const b = await executor.resume(second as never, [{ type: "input", value: "b" }]);
    const a = await executor.resume(first as never, [{ type: "input", value: "a" }]);
    expect([completed(a).result.value, completed(b).result.value]).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
  });
});

describe("arguments that a person has changed", () => {
  const paying = (ran: JsonObject[]): Tool =>
    tool("pay", (args) => void ran.push(args), {
      needsApproval: true,
      input: {
        type: "object",
        properties: { amount: { type: "integer" }, note: { type: "string" } },
        required: ["amount"],
        additionalProperties: false,
      },
    });

  test("are used for the call, once, without another approval", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(paying(ran));
    const interruption = getInterruption(await executor.execute(call("pay", { amount: 5000 })));
    completed(
      await executor.resume(interruption, [
        { type: "approve", arguments: { amount: 5 }, by: "ada" },
      ]),
    );
    expect(ran).toEqual([{ amount: 5 }]);
    expect(readCode(await executor.resume(interruption, yes))).toBe("approval_invalid");
  });

  test("are validated before the interruption is consumed, and the error names the problem", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(paying(ran));
    const interruption = getInterruption(await executor.execute(call("pay", { amount: 5000 })));
    const { error } = failed(
      await executor.resume(interruption, [{ type: "approve", arguments: { amount: "five" } }]),
    );
    expect(error.code).toBe("approval_invalid");
    expect(error.message).toContain("The changed arguments cannot be used.");
    expect(error.message).toContain('- amount must be integer (sent: "five")');
    completed(await executor.resume(interruption, [{ type: "approve", arguments: { amount: 5 } }]));
    expect(ran).toEqual([{ amount: 5 }]);
  });

  test("lose values that only the host supplies", async () => {
    const seen: unknown[] = [];
    const executor = executorFor(
      tool("pay", (args, { injected }) => void seen.push(args, injected), {
        needsApproval: true,
        injected: [{ name: "tenant" }],
      }),
    );
    const interruption = getInterruption(
      await executor.execute(call("pay", { n: 1 }), { injected: { tenant: "own" } }),
    );
    completed(
      await executor.resume(interruption, [{ type: "approve", arguments: { n: 2, tenant: "x" } }]),
    );
    expect(seen).toEqual([{ n: 2 }, { tenant: "own" }]);
  });

  test("that hooks change again need an approval of the result", async () => {
    const ran: JsonObject[] = [];
    const executor = executorFor(guarded(ran), {
      hooks: [{ beforeCall: ({ arguments: { n } }) => ({ arguments: { n: Number(n) + 1 } }) }],
    });
    const first = getInterruption(await executor.execute(call("pay", { n: 1 })));
    const second = getInterruption(
      await executor.resume(first, [{ type: "approve", arguments: { n: 10 } }]),
    );
    expect([second.call.arguments, ran]).toEqual([{ n: 11 }, []]);
    completed(await executor.resume(second, yes));
    expect(ran).toEqual([{ n: 11 }]);
  });

  test("AP01 that need a permission that was not displayed need another approval", async () => {
    const ran: JsonObject[] = [];
    const writing = foreignTool("write", {
      preflight: ({ path }) => [
        { kind: "fs.write", target: `${String(path)}`, summary: `Write ${String(path)}` },
      ],
      invoke: (args) => void ran.push(args),
    });
    const executor = executorFor(trusted(writing));
    const args = { path: "/safe/a", text: "x" };
    const first = getInterruption(await executor.execute(call("write", args)));
    const second = getInterruption(
      await executor.resume(first, [
        { type: "approve", arguments: { ...args, path: "/etc/passwd" } },
      ]),
    );
    expect(second.requests).toMatchObject([{ permission: { target: "/etc/passwd" } }]);
    expect(ran).toEqual([]);
    const third = getInterruption(await executor.execute(call("write", args)));
    completed(
      await executor.resume(third, [{ type: "approve", arguments: { ...args, text: "y" } }]),
    );
    expect(ran).toEqual([{ path: "/safe/a", text: "y" }]);
  });

  test("can be changed by one answer only", async () => {
    const executor = executorFor(
      trusted(
        foreignTool("t", {
          preflight: () =>
            ["process", "spend"].map((kind) => ({ kind, target: "x", summary: kind })),
        }),
      ),
    );
    const interruption = getInterruption(await executor.execute(call("t")));
    const [a, b] = interruption.requests.map(({ id }) => id) as [string, string];
    const { error } = failed(
      await executor.resume(interruption, [
        { type: "approve", requestId: a, arguments: { n: 1 } },
        { type: "approve", requestId: b, arguments: { n: 2 } },
      ]),
    );
    expect(error.message).toBe("Two answers change the arguments: let one of them do so.");
  });
});
