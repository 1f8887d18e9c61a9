import { expect, test } from "vitest";
import { LeakFinder } from "../../src/faults/leak-finder.ts";

const secret = 'pa55/w0rd+"42"~Zq';
const leaks = new LeakFinder(["another-secret", secret]);

const percent = encodeURIComponent(secret);

test.each<[form: string, text: string]>([
  ["in plain text", `the key is ${secret}.`],
  ["in plain text", JSON.stringify({ key: secret })],
  ["percent-encoded", `https://example.com/?key=${percent}&page=1`],
  ["percent-encoded", percent.replaceAll(/%../g, (code) => code.toLowerCase())],
  ["in hexadecimal", Buffer.from(`key=${secret}`).toString("hex")],
  ["in hexadecimal", Buffer.from(secret).toString("hex").toUpperCase()],
  ["in base64", `Basic ${btoa(`u:${secret}`)}`],
  ["in base64", btoa(`us:${secret}`)],
  ["in base64", btoa(`use:${secret}, and more`)],
  ["in base64", Buffer.from(`~~?${secret}`).toString("base64url")],
])("a secret is found %s: %s", (form, text) => {
  expect(leaks.find(text)).toMatchObject({ form });
});

test("a secret is found in the values and names of data", () => {
  expect(leaks.find({ a: [{ b: `key ${secret}` }] })).toMatchObject({ form: "in plain text" });
  expect(leaks.find({ [secret]: 1 })).toMatchObject({ form: "in plain text" });
});

test("the excerpt does not contain the secret, however often it occurs", () => {
  const seen = leaks.find(`one ${secret}, two ${secret}`)?.seen;
  expect(seen).toBe("one [the secret], two [the secret]");
});

test.each<[what: string, value: unknown]>([
  ["another text", "the key is pa55/w0rd"],
  ["the beginning of a secret in base64", btoa(secret.slice(0, 9))],
  [
    "data that cannot be serialized",
    {
      get a() {
        throw new Error("no");
      },
    },
  ],
  ["nothing", undefined],
])("%s contains no secret", (_, value) => {
  expect(leaks.find(value)).toBeUndefined();
});

test("a short secret is not searched for in encoded texts, and a very short one not at all", () => {
  const short = new LeakFinder(["abcde", "xyz"]);
  expect(short.find("abcde")).toMatchObject({ form: "in plain text" });
  expect(short.find(btoa("abcde"))).toBeUndefined();
  expect(short.find("xyz")).toBeUndefined();
});
