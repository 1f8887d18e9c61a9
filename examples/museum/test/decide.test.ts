import { PassThrough } from "node:stream";

import { afterEach, describe, expect, it, vi } from "vitest";

import { decide } from "../src/decide.ts";
import { Person } from "../src/person.ts";

afterEach(() => void vi.restoreAllMocks());

function terminal(): { person: Person; input: PassThrough; output: PassThrough } {
  const isTTY = { isTTY: true };
  const input = Object.assign(new PassThrough(), isTTY);
  const output = Object.assign(new PassThrough(), isTTY);
  return { person: new Person({ input, output }), input, output };
}

const never = new AbortController().signal;

describe("the decision of a person", () => {
  it("is a rejection if either side is not a terminal, without a question", async () => {
    const isTTY = { isTTY: true };
    for (const [input, output] of [
      [new PassThrough(), Object.assign(new PassThrough(), isTTY)],
      [Object.assign(new PassThrough(), isTTY), new PassThrough()],
    ] as const) {
      input.end("y\n");
      const answer = await decide(new Person({ input, output }), "1", never);
      expect(answer).toMatchObject({ type: "reject", requestId: "1" });
      expect(output.read()).toBeNull();
    }
  });

  it.each([
    ["y", "approve"],
    [" YES ", "approve"],
    ["n", "reject"],
    ["No", "reject"],
  ])("is with %j: %s", async (line, type) => {
    const { person, input, output } = terminal();
    output.once("data", () => input.write(`${line}\n`));
    expect(await decide(person, "1", never)).toMatchObject({ type, requestId: "1" });
    person.close();
  });

  it("is requested again after any other input", async () => {
    const { person, input, output } = terminal();
    const lines = ["", "yesterday", "ok", "n"];
    let questions = 0;
    output.on("data", () => input.write(`${lines[questions++]}\n`));
    expect(await decide(person, "1", never)).toMatchObject({ type: "reject" });
    expect(questions).toBe(4);
    person.close();
  });

  it("is a rejection after five minutes without an answer", async () => {
    const limit = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(limit.signal);
    const { person, output } = terminal();
    output.once("data", () => limit.abort());
    expect(await decide(person, "1", never)).toMatchObject({ type: "reject" });
    expect(timeout).toHaveBeenCalledWith(300_000);
    person.close();
  });

  it("is undefined if the program is to end", async () => {
    const stop = new AbortController();
    const { person, output } = terminal();
    output.once("data", () => stop.abort(new Error("the end")));
    await expect(decide(person, "1", stop.signal)).rejects.toThrow("the end");
    person.close();
  });
});
