import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { newWebhookSecret, verifyWebhook } from "@toolweave/console";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { mcpSource } from "@toolweave/mcp";
import { expect, onTestFinished, test } from "vitest";
import { notes } from "./support/notes.ts";
import { awaitEnd, runBin, startBin } from "./support/run-bin.ts";
import { runCommand } from "./support/run-cli.ts";
import { tempStore } from "./support/temp-file.ts";

const adaToken = "ada-0123456789abcdef0123456789abcdef";
const bobToken = "bob-0123456789abcdef0123456789abcdef";
const boardToken = "board-0123456789abcdef0123456789ab";
const secret = newWebhookSecret();
const variables = {
  TOOLWEAVE_SECRET_ADA: adaToken,
  TOOLWEAVE_SECRET_BOB: bobToken,
  TOOLWEAVE_SECRET_BOARD: boardToken,
  TOOLWEAVE_SECRET_HOOK: secret,
};

const api = {
  listen: "127.0.0.1:0",
  approvers: { ada: "TOOLWEAVE_SECRET_ADA", bob: "TOOLWEAVE_SECRET_BOB" },
  readers: { board: "TOOLWEAVE_SECRET_BOARD" },
};

/** A running gateway. */
interface Gateway {
  readonly child: ChildProcessWithoutNullStreams;
  readonly store: string;
  /** The address of the API of approvals. */
  readonly approvals: string;
  readonly mcp: string;
}

async function startGateway(config: string, args: readonly string[] = []): Promise<Gateway> {
  const store = tempStore();
  const child = startBin(
    ["serve", "--config", config, "--http", "127.0.0.1:0", "--approvals", "out-of-band", ...args],
    { env: { ...variables, TOOLWEAVE_STORE: store } },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stderr.setEncoding("utf8");
  while (!/ at \S+\/mcp/.test(printed)) printed += String((await once(child.stderr, "data"))[0]);
  const [, approvals = ""] = /API of approvals at (\S+)\/api\/openapi.json/.exec(printed) ?? [];
  const [, mcp = ""] = / at (\S+\/mcp)/.exec(printed) ?? [];
  expect(printed).not.toContain(adaToken);
  return { child, store, approvals, mcp };
}

/** Makes a call through the gateway that waits for approval. */
async function callThrough({ mcp }: Gateway): Promise<void> {
  const source = mcpSource({ name: "gateway", url: mcp, prefix: false });
  onTestFinished(() => source.close());
  const executor = new ToolExecutor({
    registry: new ToolRegistry([source]),
    policy: "autonomous",
  });
  await source.ready;
  const outcome = await executor.execute({
    id: "call_1",
    name: "notes__write_note",
    arguments: { text: "Tea." },
  });
  expect(JSON.stringify(outcome.result?.content)).toContain("toolweave approvals approve");
}

interface Listed {
  readonly approvals: readonly { readonly id: string; readonly digest: string }[];
}

async function send(
  { approvals }: Gateway,
  path: string,
  token: string,
  json?: object,
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await fetch(`${approvals}${path}`, {
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { method: "POST", body: JSON.stringify(json) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function listed(gateway: Gateway, token = adaToken): Promise<Listed["approvals"]> {
  const { body } = await send(gateway, "/api/approvals", token);
  return (body as unknown as Listed).approvals;
}

test("a call of a gateway is approved over HTTP by a person, and never by a reader", async () => {
  const { config, written } = notes({ serve: { approvals: { api } } });
  const gateway = await startGateway(config);
  await callThrough(gateway);
  const [approval] = await listed(gateway, boardToken);
  const path = `/api/approvals/${approval?.id}/answers`;
  const answer = { digest: approval?.digest, answers: [{ type: "approve" }] };
  expect(await send(gateway, path, boardToken, answer)).toMatchObject({
    status: 403,
    body: { code: "insufficient_scope" },
  });
  expect(written()).toBe("");
  expect(await send(gateway, path, adaToken, answer)).toMatchObject({
    status: 200,
    body: { status: "completed", answeredBy: "ada" },
  });
  expect(written()).toBe("Tea.\n");
  const ended = awaitEnd(gateway.child);
  gateway.child.kill("SIGTERM");
  expect((await ended).code).toBe(0);
});

test("two people over HTTP and a command approve a call together: it runs once", async () => {
  const { config, written } = notes({ serve: { approvals: { api } } });
  const gateway = await startGateway(config);
  await callThrough(gateway);
  const [approval] = await listed(gateway);
  const id = approval?.id ?? "";
  const answer = { digest: approval?.digest, answers: [{ type: "approve" }] };
  const path = `/api/approvals/${id}/answers`;
  const [ada, bob, command] = await Promise.all([
    send(gateway, path, adaToken, answer),
    send(gateway, path, bobToken, answer),
    runBin(["approvals", "approve", id, "--by", "eve"], {
      env: { ...variables, TOOLWEAVE_STORE: gateway.store },
    }),
  ]);
  const accepted = [ada.status === 200, bob.status === 200, command.code === 0];
  expect(accepted.filter(Boolean)).toHaveLength(1);
  expect(written()).toBe("Tea.\n");
  expect(await listed(gateway)).toEqual([]);
});

test("the webhook of a configuration announces the call and its answer", async () => {
  const messages: unknown[] = [];
  let onMessage = (): void => {};
  const receiver = createServer(async (incoming, response) => {
    const body = await new Response(incoming as never).text();
    const request = new Request("http://127.0.0.1/", {
      method: "POST",
      headers: incoming.headers as Record<string, string>,
      body,
    });
    const { message } = await verifyWebhook(request, [secret]);
    messages.push(message);
    response.writeHead(204).end();
    onMessage();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  onTestFinished(() => void receiver.close());
  const received = async (count: number): Promise<void> => {
    while (messages.length < count) await new Promise<void>((resolve) => (onMessage = resolve));
  };
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const webhook = {
    url: `${origin}/hooks`,
    secrets: ["TOOLWEAVE_SECRET_HOOK"],
    approvalUrl: "https://agents.example.com/approvals/{id}",
    allowOrigins: [origin],
  };
  const { config } = notes({ serve: { approvals: { api, webhook } } });
  const gateway = await startGateway(config);
  await callThrough(gateway);
  await received(1);
  const [approval] = await listed(gateway);
  expect(messages[0]).toMatchObject({
    type: "approval.requested",
    data: {
      id: approval?.id,
      tool: "notes__write_note",
      arguments: '{"text":"Tea."}',
      url: `https://agents.example.com/approvals/${approval?.id}`,
    },
  });
  await send(gateway, `/api/approvals/${approval?.id}/answers`, adaToken, {
    digest: approval?.digest,
    answers: [{ type: "reject" }],
  });
  await received(2);
  expect(messages[1]).toMatchObject({ type: "approval.answered", data: { by: "ada" } });
});

test.each<readonly [what: string, approvals: object, message: string]>([
  [
    "a variable that is not set",
    { api: { ...api, approvers: { ada: "TOOLWEAVE_SECRET_NONE" } } },
    "serve.approvals.api names the environment variable TOOLWEAVE_SECRET_NONE, which is not set.",
  ],
  [
    "a token that can be guessed",
    { api: { ...api, approvers: { ada: "TOOLWEAVE_SECRET_SHORT" } } },
    "The token in TOOLWEAVE_SECRET_SHORT can be guessed",
  ],
  [
    "one token for a person and a program",
    { api: { ...api, readers: { board: "TOOLWEAVE_SECRET_ADA" } } },
    "TOOLWEAVE_SECRET_ADA and TOOLWEAVE_SECRET_ADA have the same token",
  ],
  [
    "the token of the gateway's clients",
    { api: { ...api, approvers: { ada: "TOOLWEAVE_SECRET_GATEWAY" } } },
    "is also that of the gateway's clients, which could approve their own calls",
  ],
  ...["PWD", "GITHUB_SHA", "TOOLWEAVE_STORE", "TOOLWEAVE_SECRET_"].map(
    (name) =>
      [
        `the variable ${name}, whose value others know`,
        { api: { ...api, approvers: { mallory: name } } },
        `"${name}" is a variable that other programs than you may set: give the secret a variable whose name begins with TOOLWEAVE_SECRET_`,
      ] as const,
  ),
  [
    "an address that is none",
    { api: { ...api, listen: "here" } },
    "serve.approvals.api.listen must",
  ],
  [
    "a secret that is none",
    { webhook: { url: "https://hooks.example.com", secrets: ["TOOLWEAVE_SECRET_SHORT"] } },
    "approvalWebhook: secrets has a value that is not a secret",
  ],
])("%s is refused before anything is served", async (_, approvals, message) => {
  const { config } = notes({ serve: { approvals } });
  const { code, stderr } = await runCommand(
    ["serve", "--config", config, "--http", "127.0.0.1:0", "--token-env", "GATEWAY_TOKEN"],
    {
      env: {
        ...variables,
        TOOLWEAVE_STORE: tempStore(),
        TOOLWEAVE_SECRET_SHORT: "short-token",
        TOOLWEAVE_SECRET_GATEWAY: "gateway-0123456789abcdef0123456789abcdef",
        GATEWAY_TOKEN: "gateway-0123456789abcdef0123456789abcdef",
      },
    },
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("Serving");
  expect(stderr).not.toContain("short-token");
});
