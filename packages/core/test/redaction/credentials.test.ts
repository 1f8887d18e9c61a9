import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { SecretFinder } from "../../src/redaction/secret-finder.ts";
import { SecretRedactor } from "../../src/redaction/secret-redactor.ts";

const redactor = new SecretRedactor([new SecretFinder(() => [], true)], []);

/**
 * Random-looking characters. Credentials are concatenated here, so that a scanner does not take
 * them for real ones.
 */
function chars(count: number, from = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z"): string {
  return Array.from({ length: count }, (_, index) => from[(index * 7 + count) % from.length]).join(
    "",
  );
}

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url({ sub: "1234567890", name: "Ada" })}.${chars(43)}`;
const jwe = `${base64url({ alg: "RSA-OAEP", enc: "A256GCM" })}.${chars(40)}.${chars(16)}.${chars(30)}.${chars(22)}`;
const lines = Array.from({ length: 6 }, () => chars(64)).join("\n");
const key = `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n${chars(20)}==\n-----END RSA PRIVATE KEY-----`;

const credentials: readonly [kind: string, credential: string][] = [
  ["an AWS key id", `AKIA${chars(16, "A2B3C4D5E6F7")}`],
  ["an AWS session's key id", `ASIA${chars(16, "A2B3C4D5E6F7")}`],
  ["a GitHub token", `ghp_${chars(36)}`],
  ["a GitHub app's token", `ghs_${chars(36)}`],
  ["a fine-grained GitHub token", `github_pat_${chars(22)}_${chars(59)}`],
  ["a GitLab token", `glpat-${chars(20)}`],
  ["a Slack bot's token", `xoxb-${chars(12, "123456789")}-${chars(12, "123456789")}-${chars(24)}`],
  ["a Stripe key", `sk_live_${chars(24)}`],
  ["a Stripe test key", `sk_test_${chars(24)}`],
  ["a restricted Stripe key", `rk_live_${chars(24)}`],
  ["an OpenAI key", `sk-proj-${chars(48)}T3BlbkFJ${chars(40)}`],
  ["an older OpenAI key", `sk-${chars(20)}T3BlbkFJ${chars(20)}`],
  ["an Anthropic key", `sk-ant-api03-${chars(95)}`],
  ["a Google key", `AIza${chars(35)}`],
  ["an npm token", `npm_${chars(36)}`],
  ["a SendGrid key", `SG.${chars(22)}.${chars(43)}`],
  ["a Twilio key", `SK${chars(32, "0123456789abcdef")}`],
  ["a JSON web token", jwt],
  ["an encrypted one", jwe],
];

describe.each(credentials)("SE06: %s", (_, credential) => {
  test.each<[string, string, string]>([
    ["alone", credential, "[redacted]"],
    ["in a sentence", `It is ${credential}, I think.`, "It is [redacted], I think."],
    ["in quotes", `{"a":"${credential}"}`, `{"a":"[redacted]"}`],
    ["after an escaped line break", `{"a":"x\\n${credential}\\n"}`, `{"a":"x\\n[redacted]\\n"}`],
    ["in a URL", `https://h/p?k=${credential}&x=1`, "https://h/p?k=[redacted]&x=1"],
    ["after an assignment", `TOKEN=${credential}`, "TOKEN=[redacted]"],
  ])("is redacted %s", (_, given, redacted) => {
    expect(redactor.text(given)).toBe(redacted);
  });
});

describe("SE06: a credential after its name", () => {
  test.each<[string, string]>([
    [`aws_secret_access_key = ${chars(40)}`, "aws_secret_access_key = [redacted]"],
    [`AWS_SECRET_ACCESS_KEY="${chars(40)}"`, 'AWS_SECRET_ACCESS_KEY="[redacted]"'],
    [`{"SecretAccessKey":"${chars(40)}"}`, '{"SecretAccessKey":"[redacted]"}'],
    [`Authorization: Bearer ${chars(32)}`, "Authorization: Bearer [redacted]"],
    [`authorization: Basic ${btoa("ada:love lace")}`, "authorization: Basic [redacted]"],
    ["postgres://ada:lovelace@db.example/x", "postgres://[redacted]@db.example/x"],
    ["redis://:lovelace@db.example", "redis://[redacted]@db.example"],
  ])("is redacted in %s", (given, redacted) => {
    expect(redactor.text(given)).toBe(redacted);
  });
});

describe("SE06: a private key", () => {
  test.each<[string, string]>([
    ["unchanged", key],
    ["with its line breaks escaped", JSON.stringify(key).slice(1, -1)],
    ["escaped twice", JSON.stringify(JSON.stringify(key)).slice(3, -3)],
    ["with Windows' line breaks", key.replaceAll("\n", "\r\n")],
    ["on one line", key.replaceAll("\n", " ")],
    ["with headers", key.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,1F\n\n")],
    ["of OpenSSH", key.replaceAll("RSA ", "OPENSSH ")],
    ["of PKCS 8", key.replaceAll("RSA ", "")],
  ])("is redacted %s", (_, given) => {
    const redacted = redactor.text(`a ${given} b`);
    expect(redacted).toMatch(/^a -----BEGIN [A-Z ]*PRIVATE KEY-----\[redacted\] b$/);
  });

  test.each([60, 200, 330])("without its end is redacted (%d characters)", (length) => {
    expect(redactor.text(`a ${key.slice(0, length)}`)).toBe(
      "a -----BEGIN RSA PRIVATE KEY-----[redacted]",
    );
  });

  test("does not redact the text after a truncated one", () => {
    const redacted = redactor.text(`${key.slice(0, 300)}\n\nThe end of the file was cut off.`);
    expect(redacted).toContain("The end of the file was cut off.");
    expect(redacted).not.toContain(key.slice(40, 60));
  });
});

describe("a text that only looks like a credential is unchanged", () => {
  test.each([
    "ghp_short and sk-learn and AKIA alone",
    "task-force risk-management disk-usage-statistics-of-the-last-month",
    `${chars(40, "0123456789abcdef")} 9b2f6d1e-3c4a-4d5b-8e6f-7a8b9c0d1e2f`,
    "Bearer authentication, Basic authentication, Bearer YOUR_ACCESS_TOKEN_HERE",
    "Basic instructions: Basic understanding",
    "https://user@example.com:8080/path https://example.com:443/@scope/package@1.0.0",
    "https://{user}:{password}@example.com https://<user>:<password>@example.com",
    "git@github.com:owner/repo.git mailto:a@b.c see https://h: it@home",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "eyJhIjoxfQ.eyJhIjoxfQ.c2lnbmF0dXJl",
    `data:image/png;base64,${chars(400)}`,
    "the secret_access_key is missing",
    "a".repeat(1000),
    "xoxo-xoxo-love-and-kisses SKU0123 SG.1 npm_config_registry npm_package_json",
  ])("%s", (given) => {
    expect(redactor.text(given)).toBe(given);
  });

  test("base64 of random bytes", () => {
    const bytes = new Uint8Array(300_000);
    let state = 1;
    for (let at = 0; at < bytes.length; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[at] = state >>> 24;
    }
    const given = Buffer.from(bytes).toString("base64");
    expect(redactor.text(given)).toBe(given);
  });

  test("our own sources", () => {
    const source = join(import.meta.dirname, "../../src");
    const files = (readdirSync(source, { recursive: true }) as string[]).filter((file) => {
      if (!file.endsWith(".ts")) return false;
      const given = readFileSync(join(source, file), "utf8");
      return redactor.text(given) !== given;
    });
    expect(files).toEqual([]);
  });
});

test.each<[string, string]>([
  ["prefixes of tokens", "eyJ-eyJ."],
  ["tokens without an end", `ghp_${"a".repeat(50)}`],
  ["web tokens without a signature", "eyJhbGciOiJIUzI1NiJ9.aaaa."],
  ["keys without an end", "-----BEGIN PRIVATE KEY-----\nAAAA\n"],
  ["addresses", "://a:://b:"],
  ["words of an authorization", "bearer bearer "],
  ["names without a value", "secret_access_key = "],
])("the time for many %s is proportional to their number", async (_, part) => {
  const spent = await cpuMilliseconds(() => redactor.text(part.repeat(500_000 / part.length)));
  expect(spent).toBeLessThan(linearWorkMs);
});
