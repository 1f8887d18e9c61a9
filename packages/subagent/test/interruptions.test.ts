import { describe, expect, test } from "vitest";
import { suspend, type Answer, type Interruption } from "@toolweave/core";
import { memoryPendingCalls } from "@toolweave/core/stores";
import { resumeAgent, runAgent, subAgentTool, type AgentState } from "@toolweave/subagent";
import { ended, executorFor, resultsIn, tool } from "./support/executor-for.ts";
import { bossOptions, office } from "./support/office.ts";
import { inTurn, scriptedModel } from "./support/scripted-model.ts";

const key = new Uint8Array(32).fill(7);
const yes: readonly Answer[] = [{ type: "approve", by: "eve" }];

/** An office in which both payments are pending; and another one with the same store. */
async function atWork() {
  const ran: string[] = [];
  const note = (what: string, args: object): void =>
    void ran.push(`${what} ${Object.values(args).join(" ")}`);
  const pendingCalls = memoryPendingCalls();
  const here = office(note, { key, pendingCalls });
  const there = office(note, { key, pendingCalls });
  const first = ended(
    await runAgent({ ...bossOptions(here), system: "Boss.", prompt: "Pay both." }),
    "interrupted",
  );
  const state = JSON.parse(JSON.stringify(first.state)) as AgentState;
  const [a, b] = first.interruptions as readonly [Interruption, Interruption];
  return { ran, first, state, a, b, here, there };
}

describe("approvals three levels down, two at once", () => {
  test("are pending together, and each is resumed in another process when it is answered; nothing runs twice", async () => {
    const { ran, first, state, a, b, there } = await atWork();
    expect(first.interruptions).toHaveLength(2);
    expect(a.requests).toMatchObject([
      {
        type: "approval",
        permission: { target: "pay" },
        call: { id: "a/call_0/call_0/pay", arguments: { to: "ada" } },
      },
    ]);
    // Siblings run at once.
    expect(ran.toSorted()).toEqual(["note ada", "note begun", "note bob"]);
    const half = ended(
      await resumeAgent(state, { [b.id]: yes }, bossOptions(there)),
      "interrupted",
    );
    expect(half.interruptions).toEqual([a]);
    expect(ran.splice(3)).toEqual(["pay bob 5"]);
    ran.length = 0;
    const carried = JSON.parse(JSON.stringify(half.state)) as AgentState;
    const whole = ended(
      await resumeAgent(carried, { [a.id]: yes }, bossOptions(there)),
      "completed",
    );
    expect(ran).toEqual(["pay ada 5"]);
    expect(whole.text).toBe("All is paid.");
    expect(resultsIn(whole)).toEqual([
      "heard: heard: noted ada and paid ada 5",
      "heard: heard: noted bob and paid bob 5",
      "noted begun",
    ]);
    expect(whole.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    // Two of the boss, and six of each of two chains.
    expect(whole.usage).toMatchObject({ turns: 14, toolCalls: 11 });
    expect(whole.runId).toBe(first.runId);
  });

  test("are both answered at once, in the same process", async () => {
    const { ran, state, a, b, here } = await atWork();
    const whole = ended(
      await resumeAgent(state, { [a.id]: yes, [b.id]: yes }, bossOptions(here)),
      "completed",
    );
    expect(ran.filter((what) => what.startsWith("pay")).sort()).toEqual(["pay ada 5", "pay bob 5"]);
    expect(whole.usage.turns).toBe(14);
  });

  test("that are rejected are results that the sub-agent sees, and its siblings are kept", async () => {
    const { ran, state, a, b, there } = await atWork();
    const no: readonly Answer[] = [{ type: "reject", reason: "too much" }];
    const whole = ended(
      await resumeAgent(state, { [a.id]: no, [b.id]: yes }, bossOptions(there)),
      "completed",
    );
    expect(ran.filter((what) => what.startsWith("pay"))).toEqual(["pay bob 5"]);
    expect(resultsIn(whole)[0]).toMatch(/^heard: heard: noted ada and .*too much/);
    expect(resultsIn(whole)[1]).toBe("heard: heard: noted bob and paid bob 5");
  });

  test("may be answered with other arguments, with which the call runs", async () => {
    const { ran, state, a, there } = await atWork();
    const edited: readonly Answer[] = [{ type: "approve", arguments: { to: "ada", amount: 1 } }];
    ended(await resumeAgent(state, { [a.id]: edited }, bossOptions(there)), "interrupted");
    expect(ran.at(-1)).toBe("pay ada 1");
  });

  test("that have been answered already do not run again", async () => {
    const { ran, state, a, there } = await atWork();
    const answered = async (answers: readonly Answer[]) =>
      ended(await resumeAgent(state, { [a.id]: answers }, bossOptions(there)), "interrupted");
    const first = await answered(yes);
    // The same answer returns the first outcome.
    const again = await answered(yes);
    expect([again.refused, again.state.turn]).toEqual([undefined, first.state.turn]);
    const other = await answered([{ type: "approve", by: "another person" }]);
    expect(other.refused).toMatchObject({ [a.id]: { code: "approval_invalid" } });
    expect(other.state.turn).toEqual(state.turn);
    expect(ran.filter((what) => what === "pay ada 5")).toHaveLength(1);
  });

  test("that were given for another call stay pending, and can be given again", async () => {
    const { ran, state, a, there } = await atWork();
    const wrong: readonly Answer[] = [{ type: "input", value: "yes" }];
    const refused = await resumeAgent(state, { [a.id]: wrong }, bossOptions(there));
    expect(ended(refused, "interrupted").refused).toMatchObject({
      [a.id]: { code: "approval_invalid" },
    });
    await resumeAgent(ended(refused, "interrupted").state, { [a.id]: yes }, bossOptions(there));
    expect(ran.at(-1)).toBe("pay ada 5");
  });

  test("that arrive twice at once resume one agent, and not two", async () => {
    const { ran, state, a, b, here, there } = await atWork();
    const answers = { [a.id]: yes, [b.id]: yes };
    const results = await Promise.all(
      [here, there].map((executor) => resumeAgent(state, answers, bossOptions(executor))),
    );
    expect(ran.filter((what) => what.startsWith("pay")).sort()).toEqual(["pay ada 5", "pay bob 5"]);
    expect(results.filter(({ status }) => status === "completed").length).toBeLessThanOrEqual(1);
    expect(results.some(({ status }) => status === "interrupted")).toBe(true);
  });

  test.each([
    ["call", (it: Interruption) => ({ ...it, call: { ...it.call, arguments: { task: "eve" } } })],
    ["requests", (it: Interruption) => ({ ...it, requests: [] })],
    ["state", (it: Interruption) => ({ ...it, state: `${it.state.slice(0, -8)}AAAAAAAA` })],
    ["expiry", (it: Interruption) => ({ ...it, expiresAt: it.expiresAt + 1 })],
  ])("whose %s was tampered with run nothing", async (_, change) => {
    const { ran, state, a, there } = await atWork();
    const tampered = {
      ...state,
      turn: state.turn.map((part) =>
        part.type === "pending" && part.interruption.id === a.id
          ? { ...part, interruption: change(part.interruption) }
          : part,
      ),
    } as AgentState;
    const result = await resumeAgent(tampered, { [a.id]: yes }, bossOptions(there));
    ended(result, "interrupted");
    expect(ran.filter((what) => what.startsWith("pay"))).toEqual([]);
  });

  test("of another caller run nothing", async () => {
    const { ran, state, a, there } = await atWork();
    await resumeAgent(state, { [a.id]: yes }, { ...bossOptions(there), caller: { id: "mallory" } });
    expect(ran.filter((what) => what.startsWith("pay"))).toEqual([]);
  });

  test("that are too late run nothing, and the model reads that", async () => {
    const ran: string[] = [];
    let now = 0;
    const clock = {
      now: () => now,
      setTimeout,
      clearTimeout: (timer: unknown) => clearTimeout(timer as number),
    };
    const executor = office((what) => ran.push(what), { clock });
    const first = ended(
      await runAgent({ ...bossOptions(executor), prompt: "Pay." }),
      "interrupted",
    );
    now = 25 * 60 * 60 * 1000;
    const answers = Object.fromEntries(first.interruptions.map(({ id }) => [id, yes]));
    const whole = ended(
      await resumeAgent(first.state, answers, bossOptions(executor)),
      "completed",
    );
    expect(ran).not.toContain("pay");
    expect(resultsIn(whole)[0]).toContain("expired");
  });
});

test("an answer without a pending request, or with an invalid state, is refused before anything runs", async () => {
  const { ran, state, there } = await atWork();
  ran.length = 0;
  await expect(resumeAgent(state, { other: yes }, bossOptions(there))).rejects.toThrow(/"other"/);
  await expect(resumeAgent({} as AgentState, {}, bossOptions(there))).rejects.toThrow(/no state/);
  expect(ran).toEqual([]);
});

test("resuming without any answer leaves everything pending", async () => {
  const { ran, first, state, there } = await atWork();
  ran.length = 0;
  const again = ended(await resumeAgent(state, {}, bossOptions(there)), "interrupted");
  expect(again.state.turn).toEqual(first.state.turn);
  expect(ran).toEqual([]);
});

test("a call of the agent itself is pending beside those that have ended", async () => {
  const ran: string[] = [];
  const executor = executorFor([
    tool("ask", () => "asked", { needsApproval: true }),
    tool("note", () => (ran.push("note"), "noted")),
  ]);
  const model = scriptedModel(
    inTurn(
      {
        calls: [
          { id: "1", name: "note" },
          { id: "2", name: "ask" },
        ],
      },
      { text: "done" },
    ),
  );
  const first = ended(await runAgent({ model, executor, prompt: "go" }), "interrupted");
  const [{ id } = { id: "" }] = first.interruptions;
  const whole = ended(
    await resumeAgent(first.state, { [id]: yes }, { model, executor }),
    "completed",
  );
  expect(resultsIn(whole)).toEqual(["noted", "asked"]);
  expect(ran).toEqual(["note"]);
  expect(model.doStreamCalls).toHaveLength(2);
});

test("two children of one sub-agent may wait at once, though their models use the same call ids", async () => {
  const executor = executorFor([
    tool("ask", ({ n }) => `asked ${String(n)}`, { needsApproval: true }),
    ...["one", "two"].map((name) =>
      subAgentTool({
        name,
        description: "Asks.",
        system: name,
        model: scriptedModel(
          inTurn({ calls: [{ id: "same", name: "ask", input: { n: name } }] }, { text: name }),
        ),
        tools: ["ask"],
      }),
    ),
    subAgentTool({
      name: "top",
      description: "Delegates.",
      system: "top",
      model: scriptedModel(({ turn, results }) =>
        turn === 0
          ? { calls: ["one", "two"].map((name) => ({ id: name, name, input: { task: "x" } })) }
          : { text: results.join() },
      ),
      tools: ["one", "two"],
      maxDepth: 2,
    }),
  ]);
  const outcome = await executor.execute({ id: "t", name: "top", arguments: { task: "x" } });
  if (outcome.status !== "interrupted") throw new Error(outcome.status);
  const { interruption } = outcome;
  expect(interruption.requests.map(({ id }) => id)).toEqual(["t/one/same:1", "t/two/same:1"]);
  expect(
    await executor.resume(interruption, [
      { type: "approve", requestId: "t/one/same:1" },
      { type: "reject", requestId: "t/two/same:1" },
    ]),
  ).toMatchObject({ status: "completed", result: { content: [{ text: "one,two" }] } });
});

test("a tool that asks again keeps its sub-agent pending, with all of its state", async () => {
  const executor = executorFor([
    tool("form", (_, { resumed }) => {
      const said = resumed === undefined ? [] : [...(resumed.state as string[]), "an answer"];
      return said.length < 2
        ? suspend([{ id: `q${said.length}`, type: "input", message: "?" }], said)
        : said.join();
    }),
    subAgentTool({
      name: "top",
      description: "Asks.",
      system: "top",
      model: scriptedModel(({ turn, results }) =>
        turn === 0 ? { calls: [{ name: "form" }] } : { text: results.join() },
      ),
      tools: ["form"],
    }),
  ]);
  let outcome = await executor.execute({ id: "t", name: "top", arguments: { task: "x" } });
  for (let asked = 0; asked < 2; asked++) {
    if (outcome.status !== "interrupted") throw new Error(outcome.status);
    outcome = await executor.resume(outcome.interruption, [{ type: "input", value: "x" }]);
  }
  expect(outcome).toMatchObject({ result: { content: [{ text: "an answer,an answer" }] } });
});

test("a conversation that is too long to be stored is not interrupted, and the result says so", async () => {
  const executor = executorFor([
    tool("ask", () => "asked", { needsApproval: true }),
    subAgentTool({
      name: "top",
      description: "Asks.",
      system: "top",
      model: scriptedModel(() => ({ text: "x".repeat(4_200_000), calls: [{ name: "ask" }] })),
      tools: ["ask"],
    }),
  ]);
  expect(await executor.execute({ id: "t", name: "top", arguments: { task: "x" } })).toMatchObject({
    status: "completed",
    error: { code: "limit_exceeded", message: expect.stringContaining("too long to be kept") },
  });
});

test("ids that a model invents do not match the calls of a sub-agent further down", async () => {
  const ask = tool("ask", ({ n }) => `asked ${String(n)}`, { needsApproval: true });
  const child = (name: string, id: string, to: string, maxDepth: number) =>
    subAgentTool({
      name,
      description: "Asks.",
      system: name,
      model: scriptedModel(({ turn, results }) =>
        turn > 0
          ? { text: results.join(" and ") }
          : {
              calls:
                name === "top"
                  ? [
                      { id, name: to, input: { task: "x" } },
                      { id: `${id}/y`, name: "ask", input: { n: "forged" } },
                    ]
                  : [{ id, name: to, input: { n: "inner" } }],
            },
      ),
      tools: ["*"],
      maxDepth,
    });
  const executor = executorFor([ask, child("top", "x", "inner", 2), child("inner", "y", "ask", 1)]);
  const outcome = await executor.execute({ id: "t", name: "top", arguments: { task: "x" } });
  if (outcome.status !== "interrupted") throw new Error(JSON.stringify(outcome));
  expect(outcome.interruption.requests.map(({ id }) => id)).toEqual(["t/x/y:1", "t/x~1y:1"]);
  const resumed = await executor.resume(outcome.interruption, [
    { type: "approve", requestId: "t/x/y:1" },
    { type: "reject", requestId: "t/x~1y:1" },
  ]);
  expect(resumed).toMatchObject({
    result: { content: [{ text: expect.stringMatching(/^asked inner and .*ask/) }] },
  });
});
