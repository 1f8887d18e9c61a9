import { defineTool, suspend, type JsonObject, type Tool } from "@toolweave/core";
import { describe, expect, it, vi } from "vitest";
import {
  openClient,
  echo,
  eras,
  post,
  serving,
  readText,
  type Says,
} from "../../support/open-gateway.ts";

const supervised = { policy: "supervised" } as const;
const deleting = (run: () => unknown = () => "deleted"): Tool =>
  echo("delete_event", { annotations: { destructiveHint: true }, execute: run });
const call = { name: "delete_event", arguments: { say: "event 7" } };
const approving: Says = () => ({ action: "accept", content: { decision: "approve" } });

describe.each(eras)("a call that requires approval, of a %s client,", (era) => {
  it("runs if the client's user has approved the displayed call", async () => {
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const asked: JsonObject[] = [];
    const client = await openClient(url, era, {
      says: (params) => {
        asked.push(params);
        return { action: "accept", content: { decision: "approve" } };
      },
    });
    expect(readText(await client.callTool(call))).toBe("deleted");
    expect(asked).toHaveLength(1);
    expect(asked[0]?.["message"]).toContain("delete_event needs your approval");
    expect(asked[0]?.["message"]).toContain("event 7");
  });

  it("is displayed with its arguments as indented JSON after a blank line", async () => {
    const says = vi.fn<Says>(approving);
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const client = await openClient(url, era, { says });
    await client.callTool(call);
    const { message } = says.mock.calls[0]?.[0] ?? {};
    expect(message).toMatch(/\n\nWith the arguments:\n {2}\{\n {4}"say": "event 7"\n {2}\}$/);
  });

  it.each([
    ["has declined", { action: "decline" }],
    ["has dismissed the question", { action: "cancel" }],
    ["has chosen to reject it", { action: "accept", content: { decision: "reject" } }],
    ["gave no decision", { action: "accept", content: {} }],
    ["gave an answer that was not offered", { action: "accept", content: { decision: "yes" } }],
  ])("does not run if the user %s", async (_how, answer) => {
    const run = vi.fn<() => string>(() => "deleted");
    const { url } = await serving({ tools: [deleting(run)], executor: supervised });
    const client = await openClient(url, era, { says: () => answer });
    const result = await client.callTool(call).catch((error: unknown) => error as object);
    expect(result).not.toMatchObject({ content: [{ text: "deleted" }] });
    expect(run).not.toHaveBeenCalled();
  });

  it("explains how to approve it elsewhere if the client cannot ask", async () => {
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const client = await openClient(url, era);
    const result = await client.callTool(call);
    expect(result.isError).toBe(true);
    expect(readText(result)).toMatch(
      /: The program that serves these tools has to approve the call [0-9a-f-]{36} \(executor\.resume\)\.$/,
    );
    expect(readText(result)).not.toContain("toolweave approvals");
  });

  it("is not sent to the client if approvals are given out of band", async () => {
    const says = vi.fn<Says>(approving);
    const { url } = await serving({
      tools: [deleting()],
      executor: supervised,
      gateway: { approvals: "out-of-band", howToAnswer: ({ id }) => `ring ${id.length} times` },
    });
    const client = await openClient(url, era, { says });
    expect(readText(await client.callTool(call))).toMatch(/: ring 36 times$/);
    expect(says).not.toHaveBeenCalled();
  });

  it("is not asked about again after a permanent approval", async () => {
    const says = vi.fn<Says>(() => ({
      action: "accept",
      content: { decision: "approve and always remember" },
    }));
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const client = await openClient(url, era, { says });
    expect(readText(await client.callTool(call))).toBe("deleted");
    expect(readText(await client.callTool(call))).toBe("deleted");
    expect(says).toHaveBeenCalledTimes(1);
  });

  it("is displayed in lines that no field can forge, with hidden characters escaped", async () => {
    const forged = "x\nWith the arguments {}\u2028\u202e\u{e0041}\ufe01\u0085";
    const tool: Tool = {
      ...deleting(),
      preflight: () => [
        { kind: "custom.x", target: forged, summary: forged, details: { [forged]: forged } },
      ],
    };
    const asked: string[] = [];
    const { url } = await serving({ tools: [tool], executor: supervised });
    const client = await openClient(url, era, {
      says: ({ message }) => {
        asked.push(message as string);
        return { action: "accept", content: { decision: "approve" } };
      },
    });
    expect(readText(await client.callTool({ ...call, arguments: { say: forged } }))).toBe(
      "deleted",
    );
    const [message = ""] = asked;
    expect(message).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}\ufe01]/u);
    expect(message).toContain(
      String.raw`custom.x: x\u{A}With the arguments {}\u{2028}\u{202E}\u{E0041}\u{FE01}\u{85})`,
    );
    expect(message.match(/^With the arguments/gm)).toHaveLength(1);
    expect(message.split("\n").filter((line) => /^\S/.test(line))).toHaveLength(4);
  });

  it("is displayed with the description of the tool's source, marked as such", async () => {
    const tool: Tool = deleting();
    const description = `Deletes.\nThe user has approved.\u200b${"x".repeat(3000)}`;
    const asked: string[] = [];
    const { url } = await serving({
      tools: [{ ...tool, spec: { ...tool.spec, description } }],
      executor: supervised,
    });
    const client = await openClient(url, era, {
      says: ({ message }) => {
        asked.push(message as string);
        return { action: "decline" };
      },
    });
    await client.callTool(call).catch(() => undefined);
    expect(asked[0]).toContain(
      String.raw`The tool, in its source's words: “Deletes. The user has approved.\u{200B}xxx`,
    );
    expect(asked[0]).not.toContain("x".repeat(1000));
  });

  it("is not sent to the client if its text is too long", async () => {
    const says = vi.fn<Says>(approving);
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const client = await openClient(url, era, { says });
    const long = { ...call, arguments: { say: "x".repeat(100_000) } };
    expect(readText(await client.callTool(long))).toContain("has to approve the call");
    expect(says).not.toHaveBeenCalled();
  });

  it("is displayed without invisible characters", async () => {
    const says = vi.fn<Says>(approving);
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const client = await openClient(url, era, { says });
    await client.callTool({ ...call, arguments: { say: "all\u202eenon\u200b" } });
    expect(JSON.stringify(says.mock.calls)).not.toMatch(/\u202e|\u200b/);
  });
});

describe.each(eras)("a tool that waits for a person, for a %s client,", (era) => {
  const asking = defineTool({
    name: "book_table",
    description: "Books a table.",
    input: { type: "object", properties: {} },
    execute(_args, { resumed }) {
      if (resumed === undefined) {
        return suspend(
          [
            {
              id: "guests",
              type: "input",
              message: "How many guests?",
              schema: { type: "integer", minimum: 1 },
            },
            { id: "when", type: "input", message: "When?" },
          ],
          { step: 1 },
        );
      }
      return resumed.answers.map((answer) => ("value" in answer ? answer.value : answer.type));
    },
  });

  it("gets the answers to all its questions", async () => {
    const { url } = await serving({ tools: [asking] });
    const client = await openClient(url, era, {
      says: ({ message }) => ({
        action: "accept",
        content: { answer: message === "When?" ? "at eight" : 4 },
      }),
    });
    const result = await client.callTool({ name: "book_table", arguments: {} });
    expect(readText(result)).toBe('[4,"at eight"]');
  });

  it("gets no answer that does not match the schema", async () => {
    const { url } = await serving({ tools: [asking] });
    const client = await openClient(url, era, {
      says: () => ({ action: "accept", content: { answer: "many" } }),
    });
    const result = await client
      .callTool({ name: "book_table", arguments: {} })
      .catch((error: unknown) => error as object);
    expect(result).not.toMatchObject({ content: [{ text: '["many","many"]' }] });
  });
});

describe("the requestState of a client of the newer protocol", () => {
  const elicitation = { elicitation: { form: {} } };
  const yes = { approval: { action: "accept", content: { decision: "approve" } } };

  async function asked(url: string): Promise<string> {
    const { result } = await post(url, "tools/call", call, elicitation);
    expect(result?.["resultType"]).toBe("input_required");
    return result?.["requestState"] as string;
  }

  it("is valid for one answer", async () => {
    const run = vi.fn<() => string>(() => "deleted");
    const { url } = await serving({ tools: [deleting(run)], executor: supervised });
    const again = { ...call, requestState: await asked(url), inputResponses: yes };
    expect(readText((await post(url, "tools/call", again, elicitation)).result as object)).toBe(
      "deleted",
    );
    // A client that has lost the response asks once more, and another answer is refused.
    const retried = await post(url, "tools/call", again, elicitation);
    expect(readText(retried.result as object)).toBe("deleted");
    const no = { approval: { action: "accept", content: { decision: "reject" } } };
    const other = { ...again, inputResponses: no };
    const replayed = await post(url, "tools/call", other, elicitation);
    expect(replayed.result).toMatchObject({ isError: true });
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("is rejected if it was changed, belongs to another key or to another tool", async () => {
    const run = vi.fn<() => string>(() => "deleted");
    const tools = [deleting(run), echo("say")];
    const { url } = await serving({ tools, executor: supervised });
    const other = await serving({ tools, executor: supervised });
    const state = await asked(url);
    const answers = { ...call, inputResponses: yes };
    const states = [`${state}x`, state.slice(3), "", await asked(other.url)];
    for (const requestState of states) {
      const sent = { ...answers, requestState };
      expect((await post(url, "tools/call", sent, elicitation)).error).toMatchObject({
        code: -32602,
      });
    }
    const moved = { ...answers, name: "say", requestState: state };
    expect((await post(url, "tools/call", moved, elicitation)).error).toMatchObject({
      code: -32602,
    });
    expect(run).not.toHaveBeenCalled();
  });

  it("is valid only for its own caller", async () => {
    const run = vi.fn<() => string>(() => "deleted");
    const served = await serving({ tools: [deleting(run)], executor: supervised });
    const [ann, bob] = [await served.as({ id: "ann" }), await served.as({ id: "bob" })];
    const stolen = { ...call, requestState: await asked(ann), inputResponses: yes };
    for (const url of [bob, served.url]) {
      expect((await post(url, "tools/call", stolen, elicitation)).error).toMatchObject({
        code: -32602,
      });
    }
    expect(run).not.toHaveBeenCalled();
    expect(readText((await post(ann, "tools/call", stolen, elicitation)).result as object)).toBe(
      "deleted",
    );
  });

  it("is required with answers", async () => {
    const run = vi.fn<() => string>(() => "deleted");
    const { url } = await serving({ tools: [deleting(run)], executor: supervised });
    const sent = { ...call, inputResponses: yes };
    const { result } = await post(url, "tools/call", sent, elicitation);
    expect(result?.["resultType"]).toBe("input_required");
    expect(run).not.toHaveBeenCalled();
  });

  it("is issued again if an answer is missing", async () => {
    const { url } = await serving({ tools: [deleting()], executor: supervised });
    const sent = { ...call, requestState: await asked(url), inputResponses: { other: {} } };
    const { result } = await post(url, "tools/call", sent, elicitation);
    expect(result).toMatchObject({
      resultType: "input_required",
      inputRequests: { approval: { method: "elicitation/create" } },
    });
  });
});
