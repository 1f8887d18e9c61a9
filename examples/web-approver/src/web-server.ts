import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { ToolError, type Answer, type Interruption, type JsonObject } from "@toolweave/core";
import { canonicalJson } from "@toolweave/core/adapter";
import type { PendingCallRecord } from "@toolweave/core/stores";

import { Guard } from "./guard.ts";
import type { Host } from "./host.ts";
import type { Html } from "./html.ts";
import { listPage, messagePage, outcomePage, style } from "./pages.ts";

/** A running server. */
export interface WebServer {
  /** The address that the deciding person opens once. */
  readonly startUrl: string;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly body: Html | string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const maxBodyBytes = 64 * 1024;

const securityHeaders = {
  // No script at all, no external content, and no embedding in a frame.
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  // Not "no-referrer": with that a browser sends `Origin: null` for this server's own forms.
  "Referrer-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/**
 * Displays pending calls, and resumes the approved ones.
 *
 * @param by the name of the person at the browser, for the audit.
 */
export async function startWebServer(host: Host, port: number, by: string): Promise<WebServer> {
  const server = createServer();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const guard = new Guard((server.address() as AddressInfo).port);
  server.on("request", (request, response) => {
    void answer(request, host, guard, by).then((reply) => send(response, reply));
  });
  return {
    startUrl: guard.startUrl,
    close: async () => {
      server.close();
      server.closeIdleConnections();
      await once(server, "close");
    },
  };
}

async function answer(
  request: IncomingMessage,
  host: Host,
  guard: Guard,
  by: string,
): Promise<Reply> {
  try {
    if (!guard.knowsHost(request)) return refusal("This server has another name.");
    return request.method === "POST"
      ? await decide(request, host, guard, by)
      : await show(request, host, guard);
  } catch (error) {
    const text = ToolError.is(error) ? error.message : "Something went wrong.";
    return { status: 500, body: messagePage(text) };
  }
}

/** Every request other than POST changes nothing. */
async function show(request: IncomingMessage, host: Host, guard: Guard): Promise<Reply> {
  const [path = "", query] = (request.url ?? "").split("?");
  const token = new URLSearchParams(query).get("token");
  const cookie = token === null ? undefined : guard.signIn(token);
  if (cookie !== undefined) {
    // The token is removed from the address bar, and not sent on.
    return { status: 303, body: "", headers: { Location: "/", "Set-Cookie": cookie } };
  }
  if (!guard.isSignedIn(request)) return refusal("Open the address that the approver printed.");
  switch (path) {
    case "/":
      return { status: 200, body: listPage(await host.pendingCalls.list(), guard) };
    case "/approvals.json":
      return {
        status: 200,
        body: JSON.stringify((await host.pendingCalls.list()).map(withoutState)),
        type: "application/json",
      };
    case "/style.css":
      return { status: 200, body: style, type: "text/css" };
    case "/approve":
    case "/reject":
      return refusal("A link decides nothing: use the forms.");
    default:
      return { status: 404, body: messagePage("There is no such page.") };
  }
}

/** A submitted form: by the person, from a page of this server, and for this call. */
async function decide(
  request: IncomingMessage,
  { executor, pendingCalls }: Host,
  guard: Guard,
  by: string,
): Promise<Reply> {
  if (!guard.isSameOrigin(request)) return refusal("This was sent by another page.");
  if (!guard.isSignedIn(request)) return refusal("Open the address that the approver printed.");
  const form = await readForm(request);
  if (form === undefined) return { status: 413, body: messagePage("That is too much.") };
  const action = request.url ?? "";
  const id = form.get("id") ?? "";
  if (!guard.isFormToken(form.get("csrf") ?? "", action, id)) {
    return refusal("This form is not of this page: load it again.");
  }
  const record = await pendingCalls.get(id);
  if (record === undefined) return { status: 404, body: messagePage("There is no such call.") };
  const { interruption } = record;
  const decision = action === "/approve" ? approval(form, interruption, by) : rejection(form, by);
  if (decision === undefined) {
    return { status: 400, body: messagePage("The arguments are no JSON object.") };
  }
  // The executor, not this server, decides whether it may still run: it claims the call, once.
  const outcome = await executor.resume(interruption, [decision]);
  const refused = outcome.status === "failed" && outcome.error.code !== "approval_rejected";
  return { status: refused ? 409 : 200, body: outcomePage(interruption.call.name, outcome) };
}

function approval(form: URLSearchParams, { call }: Interruption, by: string): Answer | undefined {
  let submitted: unknown;
  try {
    submitted = JSON.parse(form.get("arguments") ?? "");
  } catch {
    return undefined;
  }
  if (typeof submitted !== "object" || submitted === null || Array.isArray(submitted))
    return undefined;
  const unchanged = canonicalJson(submitted) === canonicalJson(call.arguments);
  return { type: "approve", by, ...(unchanged ? {} : { arguments: submitted as JsonObject }) };
}

function rejection(form: URLSearchParams, by: string): Answer {
  return { type: "reject", by, reason: form.get("reason") ?? "" };
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // A body that is too large is still read to its end, so that the browser receives the answer.
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bytes > maxBodyBytes) return undefined;
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function withoutState({ interruption, status }: PendingCallRecord): object {
  const { id, call, requests, expiresAt } = interruption;
  return { id, status, call, requests, expiresAt };
}

function refusal(text: string): Reply {
  return { status: 403, body: messagePage(text) };
}

function send(
  response: ServerResponse,
  { status, body, type = "text/html", headers }: Reply,
): void {
  response.writeHead(status, {
    ...securityHeaders,
    "Content-Type": `${type}; charset=utf-8`,
    ...headers,
  });
  response.end(typeof body === "string" ? body : body.text);
}
