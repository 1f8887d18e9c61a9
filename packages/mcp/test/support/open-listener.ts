import { request, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import type { GatewayFetch, HttpOptions } from "../../src/gateway/http/http-options.ts";
import { listenHttp, type HttpListener } from "../../src/gateway/http/http-listener.ts";

/** The response. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A gateway that returns the caller and the request. */
export const echo: GatewayFetch = {
  fetch: async (asked, from) =>
    Response.json({ caller: from?.caller ?? null, body: await asked.text(), url: asked.url }),
};

/** Listens until the test is done. */
export async function listening(
  gateway: GatewayFetch = echo,
  options: HttpOptions = {},
): Promise<HttpListener> {
  const listener = await listenHttp(gateway, options);
  onTestFinished(() => listener.close(0));
  return listener;
}

/** A request with headers that `fetch` does not allow, such as `host`. */
export function ask(
  url: string,
  {
    method = "POST",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
      response.on("error", reject);
    });
    sent.on("error", reject).end(method === "POST" ? body : undefined);
  });
}
