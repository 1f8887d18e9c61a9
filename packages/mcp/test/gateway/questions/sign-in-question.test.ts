import { defineTool, suspend, type Tool } from "@toolweave/core";
import { describe, expect, it } from "vitest";
import { openClient, eras, serving, readText } from "../../support/open-gateway.ts";

const page =
  "https://login.example/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A8976%2Fcallback";
const back = "http://127.0.0.1:8976/callback?code=7";

/** A tool that requires a sign-in: it answers with the answers that it was resumed with. */
function signing(url: string): Tool {
  return defineTool({
    name: "read_mail",
    description: "Reads mail.",
    input: { type: "object", properties: {} },
    execute: (_args, { resumed }) =>
      resumed === undefined
        ? suspend([{ id: "auth", type: "auth", credential: "oauth", message: "Go.", url }], null)
        : resumed.answers.map((answer) => ("value" in answer ? answer.value : answer.type)),
  });
}

describe.each(eras)("signing in, for the user of a %s client,", (era) => {
  it("is a page to visit, and then the address of its redirect", async () => {
    const { url } = await serving({ tools: [signing(page)] });
    const asked: unknown[] = [];
    const client = await openClient(url, era, {
      capabilities: { elicitation: { form: {}, url: {} } },
      says: ({ mode, url: where }) => {
        asked.push(mode === "url" ? where : "form");
        return { action: "accept", ...(mode === "url" ? {} : { content: { address: back } }) };
      },
    });
    const result = await client.callTool({ name: "read_mail", arguments: {} });
    expect(readText(result)).toBe(JSON.stringify([back]));
    expect(asked).toEqual([page, "form"]);
  });

  it("is one form for a client without URL mode", async () => {
    const { url } = await serving({ tools: [signing(page)] });
    const client = await openClient(url, era, {
      says: ({ message }) => ({
        action: "accept",
        content: { address: String(message).includes(page) ? back : "" },
      }),
    });
    const result = await client.callTool({ name: "read_mail", arguments: {} });
    expect(readText(result)).toBe(JSON.stringify([back]));
  });

  it("is one page if there is no redirect", async () => {
    const { url } = await serving({ tools: [signing("https://login.example/device")] });
    const client = await openClient(url, era, {
      capabilities: { elicitation: { url: {} } },
      says: () => ({ action: "accept" }),
    });
    const result = await client.callTool({ name: "read_mail", arguments: {} });
    expect(readText(result)).toBe('["approve"]');
  });

  it("is done elsewhere if the client cannot ask for it", async () => {
    const { url } = await serving({ tools: [signing(page)] });
    const client = await openClient(url, era);
    const result = await client.callTool({ name: "read_mail", arguments: {} });
    expect(result.isError).toBe(true);
    expect(readText(result)).toMatch(
      /has to resume the call [0-9a-f-]{36} \(executor\.resume\)\.$/,
    );
  });
});
