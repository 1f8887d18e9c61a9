import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import type { Answer, Interruption, InterruptionRequest } from "@toolweave/core";
import { askForAnswers } from "../src/prompt/ask-for-approval.ts";
import { runCli } from "../src/program.ts";
import { Interrupt } from "../src/process/cli-io.ts";
import { captureIo } from "./support/captured-io.ts";
import { requests, run, shop, store, usePetShop } from "./support/pet-shop-with-store.ts";
import { idIn, type RunCommand } from "./support/run-cli.ts";
import { tempFile } from "./support/temp-file.ts";

usePetShop();

const sent = (): string[] =>
  requests().map(({ method, url, body }) => `${method} ${url} ${body}`.trim());
const waiting = async (): Promise<string> =>
  idIn(await run(["call", "add_pet", "name=Rex", "--openapi", shop.documentUrl]));

describe("resume --answer", () => {
  test.each<[string, () => string[]]>([
    ["one for all", () => ['{"type": "approve"}']],
    ["by the request's id", () => ['{"type": "approve", "requestId": "call:1"}']],
    ["a list", () => ['[{"type": "approve"}]']],
    ["a file", () => [`@${tempFile("answers.json", '[{"type": "approve"}]')}`]],
  ])("accepts %s", async (_, answers) => {
    const options = answers().flatMap((answer) => ["--answer", answer]);
    const { code, stdout } = await run(["approvals", "resume", await waiting(), ...options]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { name: "Rex" }]);
    expect(sent()).toEqual(['POST /pets {"name":"Rex"}']);
  });

  test("accepts other arguments and a rejection, and reports invalid answers", async () => {
    const id = await waiting();
    const resume = (answer: string): ReturnType<RunCommand> =>
      run(["approvals", "resume", id, "--answer", answer]);
    for (const [answer, code, message] of [
      ["{", 2, "--answer is not valid JSON"],
      ["7", 3, "The answers are no list of answers"],
      ['{"type": "yes"}', 3, 'An answer of type "yes" does not answer the approval request'],
      ['{"type": "approve", "requestId": "other"}', 3, 'The request "call:1" has no answer'],
    ] as const) {
      const ended = await resume(answer);
      expect([answer, ended.code, ended.stderr.includes(message)]).toEqual([answer, code, true]);
    }
    expect((await resume('{"type": "approve", "arguments": {"name": "Max"}}')).code).toBe(0);
    expect(sent()).toEqual(['POST /pets {"name":"Max"}']);
    const rejected = await run([
      "approvals",
      "resume",
      await waiting(),
      "--answer",
      '{"type": "reject"}',
    ]);
    expect(rejected.code).toBe(3);
    expect(sent()).toHaveLength(1);
  });

  test("is required without a terminal", async () => {
    const { code, stderr } = await run(["approvals", "resume", await waiting()]);
    expect([code, stderr.includes("give the answers with --answer")]).toEqual([2, true]);
  });
});

const by = userInfo().username;

describe("resume on a terminal", () => {
  test("asks the same as `call`", async () => {
    const id = await waiting();
    const { io, stdin, stderr, said } = captureIo({
      terminal: true,
      env: { TOOLWEAVE_STORE: store },
    });
    const ended = runCli(["approvals", "resume", id], io);
    await said("[y/N/always] ");
    expect(stderr()).toContain(`add_pet waits for you:\n  POST ${shop.url}/pets\n`);
    stdin.write("y\n");
    expect(await ended).toBe(0);
    expect(sent()).toEqual(['POST /pets {"name":"Rex"}']);
  });

  const approval: InterruptionRequest = {
    id: "a",
    type: "approval",
    permission: { kind: "spend", target: "EUR 5", summary: "Buy it" },
    reason: "it costs",
    call: { id: "n", name: "buy", arguments: { what: "hat" } },
  };
  const auth: InterruptionRequest = {
    id: "b",
    type: "auth",
    credential: "shop",
    message: "Sign in",
    url: "https://shop.example/login",
    userCode: "WDJB-MJHT",
  };
  const input: InterruptionRequest = {
    id: "c",
    type: "input",
    message: "How many?",
    schema: { type: "integer" },
  };
  const text: InterruptionRequest = { id: "d", type: "input", message: "Which?" };
  const result: InterruptionRequest = { id: "e", type: "result", arguments: { x: 1 } };

  const promptsByType = {
    approval: "Run it? [y/N] ",
    auth: "Have you signed in? [y/N] ",
    input: "Your answer: ",
    result: "Your answer: ",
  };

  async function asked(
    requests: readonly InterruptionRequest[],
    lines: readonly string[],
  ): Promise<{ answers: Promise<readonly Answer[]>; stderr: () => string }> {
    const { io, stdin, stderr, said } = captureIo({ terminal: true });
    const call = { id: "1", name: "shopping", arguments: {} };
    const interruption = { id: "i", call, requests } as unknown as Interruption;
    const answers = askForAnswers(interruption, io);
    answers.catch(() => {});
    const prompts = requests.map(({ type }) => promptsByType[type]);
    for (const [index, line] of lines.entries()) {
      const prompt = prompts[index] as string;
      await said(prompt, prompts.slice(0, index + 1).filter((other) => other === prompt).length);
      stdin.write(line);
    }
    if (lines.at(-1) === "") stdin.end();
    return { answers, stderr };
  }

  test("asks for each request in its own way, and reads answers by their schemas", async () => {
    const { answers, stderr } = await asked(
      [approval, auth, input, text, result],
      ["y\n", "y\n", "3\n", "the red one\n", '{"ok": true}\n'],
    );
    expect(await answers).toEqual([
      { type: "approve", requestId: "a", by },
      { type: "approve", requestId: "b", by },
      { type: "input", requestId: "c", value: 3 },
      { type: "input", requestId: "d", value: "the red one" },
      { type: "result", requestId: "e", value: { ok: true } },
    ]);
    expect(stderr()).toContain("Buy it (spend: EUR 5)\n  it costs\n  for its call of buy with");
    expect(stderr()).toContain(
      "sign in (shop): Sign in\n  at https://shop.example/login\n  with the code WDJB-MJHT\n",
    );
    expect(stderr()).toContain('input: How many?\n  as {"type":"integer"}\n');
  });

  test("a rejection of one request rejects the call", async () => {
    const { answers } = await asked([auth, input], ["n\n"]);
    expect(await answers).toEqual([{ type: "reject", requestId: "b", by }]);
  });

  test("the end of input gives no answer", async () => {
    const { answers } = await asked([input], [""]);
    await expect(answers).rejects.toThrow(Interrupt);
  });
});

test("approving a call again prints its result with a note, and runs nothing", async () => {
  const id = await waiting();
  const first = await run(["approvals", "approve", id]);
  const again = await run(["approvals", "approve", id]);
  expect([first.code, again.code, again.stdout]).toEqual([0, 0, first.stdout]);
  expect(again.stderr).toContain(
    "toolweave: This call was approved before. What follows is its result of that time; nothing was run again.",
  );
  expect(sent()).toHaveLength(1);
});
