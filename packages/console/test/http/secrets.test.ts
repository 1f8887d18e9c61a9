import { toolsSource, ToolError, type ToolSource } from "@toolweave/core";
import { SecretSet } from "@toolweave/core/adapter";
import { expect, test } from "vitest";
import type { Approval, CallStarted, CallState } from "../../src/index.ts";
import { createParts } from "../../src/api-parts.ts";
import { pageFiles, secret, TestConsole } from "../support/test-console.ts";

/** A secret that a source holds. */
const held = "held-by-a-source-0a1b2c3d";

function leakySource(): ToolSource {
  return {
    ...toolsSource("leaky", []),
    secrets: new SecretSet([held]),
    problems: [{ subject: `GET /?key=${held}`, message: `${secret} and ${held} are wrong.` }],
  };
}

/** The secrets as they may be written. */
const forms = [secret, held].flatMap((value) => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replaceAll("=", ""),
  Buffer.from(value).toString("base64url"),
  Buffer.from(value).toString("hex"),
]);

test("no byte of any response contains a secret", async () => {
  const failing = Promise.reject<void>(new ToolError("unavailable", `No ${secret}, no ${held}.`));
  failing.catch(() => {});
  const console = new TestConsole([leakySource(), { ...toolsSource("down", []), ready: failing }], {
    eventPayloads: true,
    policy: {
      name: `policy of ${secret}`,
      preset: "supervised",
      rules: [{ id: `rule-${secret}`, tools: "leak", effect: "allow", reason: secret }],
    },
  });
  await new Promise((resolve) => setImmediate(resolve));
  const received: string[] = [];
  const read = async (...sent: Parameters<TestConsole["fetch"]>): Promise<string> => {
    const response = await console.fetch(...sent);
    const text = await response.text();
    received.push(`${sent[0]} ${JSON.stringify([...response.headers])} ${text}`);
    return text;
  };
  const approvals: string[] = [];
  for (const [name, args] of [
    ["leak", { to: `${secret} ${held}` }],
    ["leak", { unknown: secret }],
    ["leak", `{ "to": "${secret}`],
    ["pay", { to: `${secret}`, pin: held }],
    ["pay", { to: 1, pin: [secret] }],
    [`no_${secret}`, {}],
  ] as const) {
    const json = { name, arguments: args };
    await read(`/api/tools/${encodeURIComponent(name)}/check`, { json: { arguments: args } });
    const { callId } = JSON.parse(await read("/api/calls", { json })) as CallStarted;
    const { approvalId } = await console.ended<CallState>(callId);
    if (approvalId !== undefined) approvals.push(approvalId);
    await read(`/api/calls/${callId}`);
    await read(`/api/calls/${callId}/cancel`, { json: {} });
  }
  expect(approvals).toHaveLength(1);
  for (const id of approvals) {
    const { digest } = JSON.parse(await read(`/api/approvals/${id}`)) as Approval;
    const json = { digest, answers: [{ type: "approve", grant: "always" }] };
    await read(`/api/approvals/${id}/answers`, { json });
  }
  const { executor, pendingCalls, sessions } = console;
  const parts = createParts({ executor, stores: { pendingCalls }, sessions });
  for (const { method, path } of parts.flatMap(({ routes }) => routes)) {
    if (method !== "GET" || path === "/api/events") continue;
    for (const name of ["leak", secret]) {
      for (const provider of path.includes("{provider}")
        ? ["openai", "anthropic", "gemini", "bedrock", "mcp"]
        : [""]) {
        await read(path.replace(/\{(?:name|id)\}/, name).replace("{provider}", provider));
      }
    }
  }
  await read("/api/tools?limit=50000");
  await read(`/api/search?q=${encodeURIComponent(`returns the secret ${secret}`)}`);
  await read(`/api/tools?cursor=${secret}`);
  await read("/api/events?follow=false");
  await read("/api/openapi.json");
  for (const path of pageFiles.keys()) await read(path, { as: null });
  expect(received.length).toBeGreaterThan(50);
  for (const text of received) {
    // Without the path of the request.
    const body = text.replace(/^\S+/, "");
    for (const form of forms) expect(body).not.toContain(form);
  }
  // The tool has run, and has received them.
  expect(received.join()).toContain("[redacted]");
});

test("a secret that a source gets later is in no row that was created before", async () => {
  const secrets = new SecretSet();
  const console = new TestConsole([{ ...toolsSource("late", []), secrets }]);
  const before = await (await console.fetch("/api/tools")).text();
  expect(before).toContain("Adds two numbers.");
  secrets.add("Adds two numbers.");
  const after = await (await console.fetch("/api/tools")).text();
  expect(after).not.toContain("Adds two numbers.");
});
