import { ToolError } from "@toolweave/core";
import type { HttpClient } from "@toolweave/http";

/** The part of `fetch` that the SDK's sign-in needs; responses are buffered. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

// Statuses of responses without a body; `Response` rejects one.
const bodiless = new Set([204, 205, 304]);

/**
 * Wraps a guarded HTTP client as `fetch`. Requests that the client blocks fail, and so do responses from another
 * origin. Bodies are strings or form parameters.
 */
export function guardedFetch(client: HttpClient): GuardedFetch {
  return async (url, init = {}) => {
    const { method = "GET", headers, body, signal } = init;
    const sent = Object.fromEntries(new Headers(headers));
    if (body instanceof URLSearchParams) {
      sent["content-type"] ??= "application/x-www-form-urlencoded;charset=UTF-8";
    } else if (typeof body !== "string" && body !== undefined && body !== null) {
      throw new ToolError("internal", "guardedFetch sends strings and form parameters only.");
    }
    const answer = await client.request({
      method,
      url,
      headers: sent,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(signal === undefined || signal === null ? {} : { signal }),
    });
    if (new URL(answer.url).origin !== new URL(url).origin) {
      throw new ToolError(
        "upstream",
        `${new URL(url).origin} redirected a request of a sign-in to another origin, which is not allowed.`,
        { audience: "host" },
      );
    }
    const received = new Headers();
    for (const [name, value = []] of Object.entries(answer.headers)) {
      // The body is decoded already.
      if (name === "content-encoding" || name === "content-length") continue;
      for (const one of Array.isArray(value) ? value : [value]) received.append(name, one);
    }
    return new Response(bodiless.has(answer.status) ? null : Uint8Array.from(answer.body), {
      status: answer.status,
      statusText: answer.statusText,
      headers: received,
    });
  };
}
