import { describe, expect, it } from "vitest";
import { CookieJar } from "../../../src/transport/http/cookie-jar.ts";
import { connected, readText } from "../../support/open-connection.ts";
import { executorOver, opened } from "../../support/open-source.ts";
import { greets, rawHttp, said, type RawExchange } from "../../support/raw-http.ts";

const at = "https://api.example.com/v1/mcp";
/** The header of a request to `to` after a response of `from` with these cookies. */
function sent(cookies: readonly string[], to = at, from = at, given?: string): string | undefined {
  const jar = new CookieJar(new URL(at));
  jar.store(from, cookies);
  return jar.header(new URL(to), given);
}

describe("the cookies of a connection (RFC 6265)", () => {
  it.each<[string, readonly string[], string | undefined]>([
    ["are sent back", ["stick=a"], "stick=a"],
    ["have any value", ['a="b c"=; HttpOnly'], 'a="b c"='],
    ["may be empty", ["a="], "a="],
    ["need a name", ["=a", "a", ""], undefined],
    ["of the host's domain are sent", ["a=1; Domain=.Example.com"], "a=1"],
    [
      "of another domain are dropped",
      ["a=1; domain=example.org", "b=1; domain=pi.example.com"],
      undefined,
    ],
    [
      "are sent to their path",
      ["a=1; Path=/v1", "b=1; path=/v1/mcp", "c=1; path=x"],
      "b=1; a=1; c=1",
    ],
    ["are not sent to another path", ["a=1; Path=/v", "b=1; path=/v1/mcp/"], undefined],
    ["are replaced by name and path", ["a=1; path=/", "b=2; path=/", "a=3; path=/"], "a=3; b=2"],
    ["end with their age", ["a=1; Max-Age=0; expires=Fri, 01 Jan 2100 00:00:00 GMT"], undefined],
    ["end with their date", ["a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], undefined],
    ["end with a date of Netscape", ["a=1; Expires=Thursday, 01-Jan-70 00:00:00 GMT"], undefined],
    ["end with a date in another order", ["a=1; expires=1970 00:00:00 jan 1"], undefined],
    ["outlast a day that does not exist", ["a=1; Expires=Mon, 30 Feb 2015 00:00:00 GMT"], "a=1"],
    ["outlast a time that does not exist", ["a=1; Expires=Fri, 2 Jan 2015 24:00:00 GMT"], "a=1"],
    ["outlast a year before 1601", ["a=1; Expires=Fri, 2 Jan 1600 00:00:00 GMT"], "a=1"],
    ["outlast an invalid date", ["a=1; Expires=soon", "b=1; max-age=x"], "a=1; b=1"],
    ["are removed", ["a=1", "a=; Max-Age=-1"], undefined],
    ["with control characters are dropped", ["a=\u0001", "b=\r\nx: y", "c=ł"], undefined],
    ["that are too long are dropped", [`a=${"1".repeat(5_000)}`], undefined],
    [
      "are fifty at most",
      Array.from({ length: 51 }, (_, index) => `a${index}=`),
      Array.from({ length: 50 }, (_, index) => `a${index + 1}=`).join("; "),
    ],
  ])("%s", (_, cookies, expected) => expect(sent(cookies)).toBe(expected));

  it("are neither sent to another origin nor accepted from one", () => {
    expect(sent(["a=1"], "https://api.example.com:8443/v1/mcp")).toBeUndefined();
    expect(sent(["a=1; domain=example.com"], "https://www.example.com/v1/mcp")).toBeUndefined();
    expect(sent(["a=1"], at, "https://login.example.com/v1/mcp")).toBeUndefined();
  });

  it("that are secure are not sent without TLS", () => {
    const url = "http://127.0.0.1:1/mcp";
    const jar = new CookieJar(new URL(url));
    jar.store(url, ["a=1; Secure", "b=1"]);
    expect(jar.header(new URL(url))).toBe("b=1");
  });

  it("follow those of the host, which has precedence", () => {
    expect(sent(["a=1", "b=2"], at, at, "b=host; c=3")).toBe("b=host; c=3; a=1");
    expect(sent([], at, at, "c=3")).toBe("c=3");
  });
});

/** Two back ends behind a balancer that finds the one of a session by a cookie. */
async function balanced(answer: (exchange: RawExchange) => unknown) {
  let requests = 0;
  const cookies: unknown[] = [];
  const url = await rawHttp((exchange) => {
    const { request, response } = exchange;
    cookies.push(request.headers.cookie);
    const back = /stick=(\w)/.exec(request.headers.cookie ?? "")?.[1] ?? "ab"[(requests += 1) % 2];
    response.setHeader("set-cookie", [`stick=${back}; Path=/; HttpOnly`]);
    if (
      request.headers["mcp-session-id"] !== undefined &&
      request.headers["mcp-session-id"] !== back
    )
      return response.writeHead(404).end();
    if (greets(exchange, back)) return undefined;
    return answer(exchange);
  });
  return { url, cookies };
}

describe("a server behind a balancer", () => {
  const answer = ({ message, json }: RawExchange): void =>
    message.method === "tools/list"
      ? json({ result: { tools: [{ name: "a", inputSchema: { type: "object" } }] } })
      : json({ result: said("done") });

  it("gets its cookie with each request", async () => {
    const { url, cookies } = await balanced(answer);
    const source = opened({ name: "s", url, prefix: false, headers: { Cookie: "mine=1" } });
    await source.ready;
    const outcome = await executorOver(source).execute({ id: "1", name: "a", arguments: {} });
    expect(outcome).toMatchObject({ result: said("done") });
    expect(cookies[0]).toBe("mine=1");
    expect(new Set(cookies.slice(1))).toEqual(new Set([cookies.at(-1)]));
    expect(cookies.at(-1)).toMatch(/^mine=1; stick=\w$/);
  });

  it("gets none of another connection", async () => {
    const { url, cookies } = await balanced(answer);
    const server = { name: "s", url };
    expect(await readText(await connected(server), "a")).toBe("done");
    const before = cookies.length;
    expect(await readText(await connected(server), "a")).toBe("done");
    expect(cookies[before]).toBeUndefined();
  });

  it("gets its cookie over the older transport, too", async () => {
    const cookies: unknown[] = [];
    let stream: RawExchange | undefined;
    const url = await rawHttp((exchange) => {
      const { request, response, message } = exchange;
      if (request.method === "GET") {
        response.setHeader("set-cookie", "stick=a");
        exchange.stream();
        stream = exchange;
        return void response.write("event: endpoint\ndata: /messages\n\n");
      }
      if (request.url !== "/messages") return void response.writeHead(405).end();
      cookies.push(request.headers.cookie);
      response.writeHead(202).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2024-11-05",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        },
        "tools/call": said("done"),
      };
      const result = results[message.method ?? ""];
      if (result !== undefined)
        stream?.response.write(`event: message\n${stream.event({ id: message.id, result })}`);
    });
    expect(await readText(await connected({ name: "s", url }), "a")).toBe("done");
    expect(cookies).toEqual(["stick=a", "stick=a", "stick=a"]);
  });
});
