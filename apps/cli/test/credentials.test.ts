import { describe, expect, test } from "vitest";
import { parseAuth } from "../src/input/auth-option.ts";
import { toSourceOptions } from "../src/input/api-options.ts";

const env = { TOKEN: "from-env", LOGIN: "ada:s3cret:x", PASSWORD: "pa:ss", EMPTY: "" };
const one = { openapi: ["a.yaml"] };

describe("--auth", () => {
  test.each([
    ["bearer:abc", { bearer: "abc" }],
    ["bearer:$TOKEN", { bearer: "from-env" }],
    ["bearer:${TOKEN}", { bearer: "from-env" }],
    ["bearer:a$TOKEN", { bearer: "a$TOKEN" }],
    ["basic:ada:a:b", { basic: { username: "ada", password: "a:b" } }],
    ["basic:ada:$PASSWORD", { basic: { username: "ada", password: "pa:ss" } }],
    ["basic:$LOGIN", { basic: { username: "ada", password: "s3cret:x" } }],
    ["apiKey:abc", { apiKey: "abc" }],
    ["apiKey:YWJj==", { apiKey: "YWJj==" }],
    ["apiKey:$TOKEN", { apiKey: "from-env" }],
    ["apiKey:shop_key=abc", { schemes: { shop_key: "abc" } }],
    ["apiKey:shop=YWJj==", { schemes: { shop: "YWJj==" } }],
    ["apiKey:shop=$TOKEN", { schemes: { shop: "from-env" } }],
  ])("%s", (option, expected) => {
    expect(parseAuth([option], env).auth).toEqual(expected);
  });

  test("several kinds can be combined", () => {
    const { auth } = parseAuth(["bearer:x", "apiKey:a=1", "apiKey:b=2"], env);
    expect(auth).toEqual({ bearer: "x", schemes: { a: "1", b: "2" } });
  });

  test.each([
    ["Bearer SECRETVALUE", "--auth must be bearer:TOKEN"],
    ["token:SECRETVALUE", "--auth must be bearer:TOKEN"],
    ["basic:SECRETVALUE", "--auth basic must be basic:USER:PASSWORD."],
    ["bearer:", "--auth bearer has no value."],
    ["bearer:$EMPTY", "EMPTY, which is not set"],
    ["bearer:$UNSET", "UNSET, which is not set"],
    ["bearer:SECRETVALUE\nx: y", "control characters"],
  ])("%j is refused without repeating it", (option, message) => {
    const parse = (): unknown => parseAuth([option], env);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow("SECRETVALUE");
  });

  test.each([["bearer:a"], ["apiKey:a"], ["apiKey:shop=a"], ["basic:a:b"]])(
    "%s twice is refused",
    (option) => {
      expect(() => parseAuth([option, option], env)).toThrow("is given twice");
    },
  );
});

describe("the other options of an API", () => {
  test("become the options of a source", () => {
    const { options, secrets } = toSourceOptions(
      {
        ...one,
        baseUrl: "http://127.0.0.1:4010/v1",
        header: ["X-Trace: 1", "X-Key:$TOKEN"],
        allowOrigin: ["http://127.0.0.1:4011"],
        allowReference: ["../shared"],
        timeout: 5,
      },
      env,
    );
    expect(options).toEqual({
      baseUrl: "http://127.0.0.1:4010/v1",
      headers: { "X-Trace": "1", "X-Key": "from-env" },
      allowOrigins: ["http://127.0.0.1:4011"],
      credentialOrigins: ["http://127.0.0.1:4011"],
      allowReferences: ["../shared"],
      timeoutMs: 5,
    });
    expect(secrets).toContain("from-env");
  });

  test.each([
    ["a header without a name", { header: [": x"] }, '--header must be "Name: value".'],
    ["a header without a colon", { header: ["X-Key"] }, '--header must be "Name: value".'],
    ["an invalid base URL", { baseUrl: "api.example.com" }, "--base-url must be"],
    ["a base URL with a login", { baseUrl: "https://a:b@api.example.com" }, "--base-url must be"],
    ["a base URL of a file", { baseUrl: "file:///etc" }, "--base-url must be"],
    ["an origin with a path", { allowOrigin: ["https://a.example/x"] }, "--allow-origin must be"],
  ])("%s is refused", (_, options, message) => {
    expect(() => toSourceOptions({ ...one, ...options }, env)).toThrow(message);
  });

  test.each([[{ auth: ["bearer:x"] }], [{ header: ["X: y"] }], [{ baseUrl: "https://a.example" }]])(
    "%j cannot be sent to several APIs",
    (options) => {
      expect(() => toSourceOptions({ openapi: ["a", "b"], ...options }, env)).toThrow(
        "use a single --openapi",
      );
    },
  );
});
