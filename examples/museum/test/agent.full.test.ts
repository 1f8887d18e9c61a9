import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inFullRun } from "@toolweave/test-support";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { chatServer, type Said } from "./support/chat-server.ts";
import { hasTerminals, runAtTerminal, runStart, type Ended } from "./support/running-start.ts";

vi.setConfig({ testTimeout: 30_000 });

let temporary: string;
beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), "museum-agent-"));
});
afterEach(() => rm(temporary, { recursive: true }));

/** The step with the agent. */
const step = ({ stdout }: Ended): string =>
  stdout.slice(stdout.indexOf("8. An agent"), stdout.indexOf("9. A coding agent"));

/**
 * The command lines of all processes. That of the MCP server has its folder, which is in
 * `temporary`.
 */
function commandLines(): string {
  if (process.platform !== "linux") {
    return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  }
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.map(commandLine).join("\n");
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, "utf8");
  } catch {
    return ""; // it has exited
  }
}

async function expectNothingLeft(): Promise<void> {
  expect(commandLines()).not.toContain(temporary);
  expect(await readdir(temporary)).toEqual([]);
}

describe("without a terminal", () => {
  it("the agent's changes are refused, and the output reports that", async () => {
    const { child, ended } = runStart([], { TMPDIR: temporary });
    // A pipe cannot approve.
    child.stdin.end("y\ny\n");
    const result = await ended;
    expect(result).toMatchObject({ code: 0, stderr: "" });
    const printed = step(result);
    expect(printed).toContain('agent    list_events {"kind":"tour"}: completed\n');
    expect(printed).toContain('agent    files__read_text_file {"path":"wishes.txt"}: completed\n');
    expect(printed.match(/answer +reject: There is no terminal/g)).toHaveLength(2);
    expect(printed).toMatch(/museum +received GET \/events\?kind=tour\n/);
    expect(printed).toContain("The tour is not on the programme, and the answer to the visitor is");
    expect(printed).toContain("the folder has wishes.txt\n");
    await expectNothingLeft();
  });
});

describe("during a model's turn", () => {
  /** The command with a model that answers on request. */
  async function thinking() {
    let answer: (said: Said) => void = () => {};
    const server = await chatServer(new Promise<Said>((resolve) => (answer = resolve)));
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.url, TMPDIR: temporary };
    const running = runStart([], env);
    await running.printed("8. An agent");
    expect(commandLines()).toContain(temporary);
    return { ...running, answer, server };
  }

  it.each(
    inFullRun<readonly (readonly [NodeJS.Signals, number])[]>(
      [
        ["SIGHUP", 129],
        ["SIGINT", 130],
        ["SIGTERM", 143],
      ],
      [["SIGTERM", 143]],
    ),
  )("%s ends all started processes, however often it is sent: %i", async (signal, code) => {
    const { child, ended, server } = await thinking();
    try {
      child.kill(signal);
      child.kill(signal);
      const result = await ended;
      expect(result).toMatchObject({ code, stderr: "" });
      expect(result.stdout).not.toContain("Every step");
      await expectNothingLeft();
    } finally {
      await server.close();
    }
  });

  it("a reader that closes the pipe ends all started processes", async () => {
    const { child, ended, answer, server } = await thinking();
    try {
      child.stdout.destroy();
      answer({ text: "Here I am." });
      expect(await ended).toMatchObject({ code: 141, stderr: "" });
      await expectNothingLeft();
    } finally {
      await server.close();
    }
  });
});

describe.runIf(hasTerminals)("at a terminal", () => {
  const env = (): NodeJS.ProcessEnv => ({ TMPDIR: temporary, NO_COLOR: "1" });
  const question = "allow?   y/n > ";
  const offer = "in your browser?   y/N > ";

  it("a person is asked about each change, and approved ones are made", async () => {
    const { child, ended, printed } = runAtTerminal(env());
    await printed(question);
    child.stdin.write("perhaps\n");
    await printed(question, 2);
    child.stdin.write("y\n");
    await printed(question, 3);
    child.stdin.write("y\n");
    await printed(offer);
    child.stdin.write("\n");
    const result = await ended;
    expect(result.code).toBe(0);
    expect(result.stdout).not.toContain("\u001b");
    const agentStep = step(result);
    expect(agentStep).toMatch(
      /to call +create_event \{\r\n +"title": "Lanterns After Dark, Again"/,
    );
    expect(agentStep).toMatch(/museum +received GET \/events\?kind=tour, POST \/events\r\n/);
    expect(agentStep).toContain("The tour is on the programme, and the answer to the visitor is w");
    expect(agentStep).toContain("the folder has answer.txt and wishes.txt\r\n");
    await expectNothingLeft();
  });

  it("a rejection is a result that the agent reads, and the museum receives no request", async () => {
    const { child, ended, printed } = runAtTerminal(env());
    await printed(question);
    child.stdin.write("n\n");
    await printed(question, 2);
    child.stdin.write("y\n");
    await printed(offer);
    child.stdin.write("n\n");
    const agentStep = step(await ended);
    expect(agentStep).toContain("answer   reject: A person at the terminal said no.");
    expect(agentStep).toContain('"content": "We are sorry: there is no other lantern tour');
    expect(agentStep).toMatch(/museum +received GET \/events\?kind=tour\r\n/);
    expect(agentStep).toContain("the folder has answer.txt and wishes.txt\r\n");
  });

  it("text that was typed before the question is not an answer to it", async () => {
    const { child, ended, printed } = runAtTerminal(env());
    child.stdin.write("y\n");
    await printed(question);
    child.stdin.write("n\n");
    await printed(question, 2);
    child.stdin.write("n\n");
    await printed(offer);
    child.stdin.write("n\n");
    expect(step(await ended).match(/answer +reject/g)).toHaveLength(2);
  });

  it("Ctrl-D rejects everything that is asked", async () => {
    const { child, ended, printed } = runAtTerminal(env());
    await printed(question);
    child.stdin.write("\u0004");
    const result = await ended;
    expect(result.code).toBe(0);
    expect(step(result).match(/answer +reject: There was no answer/g)).toHaveLength(2);
  });

  it("Studio with the tools and the calls of the tour is opened if the person wants it", async () => {
    const { child, ended, printed, stdout } = runAtTerminal(env());
    await printed(question);
    child.stdin.write("n\n");
    await printed(question, 2);
    child.stdin.write("n\n");
    await printed(offer);
    child.stdin.write("y\n");
    await printed("Enter ends Studio");
    const [, url = "", code] = /(http:\/\/127\.0\.0\.1:\d+)\/#code=(\S+)/.exec(stdout()) ?? [];
    expect(await (await fetch(`${url}/`)).text()).toContain("<title>");
    const headers = { "content-type": "application/json", origin: url };
    const body = JSON.stringify({ code });
    const session = await fetch(`${url}/session`, { method: "POST", headers, body });
    const { token } = (await session.json()) as { token: string };
    const ask = async (path: string): Promise<string> =>
      (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
    expect(await ask("/api/tools")).toContain('"create_event"');
    expect(await ask("/api/runs?recording=the%20tour")).toContain('"curator"');
    child.stdin.write("\n");
    expect((await ended).code).toBe(0);
    await expectNothingLeft();
  });

  it("Ctrl-C at the question ends all started processes", async () => {
    const { child, ended, printed } = runAtTerminal(env());
    await printed(question);
    child.stdin.write("\u0003");
    expect((await ended).code).toBe(130);
    await expectNothingLeft();
  });
});

describe("with a key in the environment", () => {
  const key = "sk-museum-4711";

  it("a real model is called, and its output cannot move the cursor", async () => {
    const server = await chatServer(
      { name: "files__write_file", input: { path: "answer.txt", content: "a\u202eb" } },
      { text: "I may not.\u001b[2J" },
      { text: "I change nothing." },
    );
    try {
      const { child, ended } = runStart([], {
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: server.url,
        OPENAI_MODEL: "museum-large",
      });
      child.stdin.end();
      const result = await ended;
      expect(result).toMatchObject({ code: 0, stderr: "" });
      const asked = { authorization: `Bearer ${key}`, model: "museum-large" };
      expect(server.asked).toEqual([asked, asked, asked]);
      const printed = step(result);
      expect(printed).toContain("museum-large, a real model behind OPENAI_API_KEY");
      expect(printed).toContain(String.raw`"content": "a\u{202E}b"`);
      expect(printed).toMatch(/answer +reject: There is no terminal/);
      expect(printed).toContain(String.raw`answers  I may not.\u{1B}[2J`);
      expect(result.stdout).toMatch(/program +is not repaired/);
      expect(result.stdout).not.toContain(key);
    } finally {
      await server.close();
    }
  });

  it("a model that does not answer is reported in one sentence with code 1, without the key", async () => {
    const server = await chatServer();
    try {
      const { child, ended } = runStart([], {
        OPENAI_API_KEY: key,
        OPENAI_BASE_URL: server.url,
        TMPDIR: temporary,
      });
      child.stdin.end();
      const { code, stdout, stderr } = await ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(/^This step did not come out as expected: .*HTTP 401.*\n$/);
      expect(stdout + stderr).not.toContain(key);
      await expectNothingLeft();
    } finally {
      await server.close();
    }
  });
});
