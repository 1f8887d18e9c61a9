import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import auth from "http-auth";
import { describe, expect, it, onTestFinished } from "vitest";
import { cpuMilliseconds, linearWorkMs } from "@toolweave/test-support";
import { digestAuthorization, httpClient } from "../../src/index.ts";
import { bestChallenge, digestAnswer } from "../../src/auth/digest.ts";
import { parseChallenges } from "../../src/message/header-fields.ts";

type Fields = Readonly<Record<string, string>>;

/** The content of an `authorization` header, parsed by other code than the writer's. */
function readFields(header: string | undefined): Fields {
  const [, fields = ""] = /^Digest (.*)$/.exec(header ?? "") ?? [];
  const found = fields.matchAll(/([\w*]+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]*))/g);
  return Object.fromEntries([...found].map(([, name, quoted, bare]) => [name, quoted ?? bare]));
}

const mufasa = {
  method: "GET",
  path: "/dir/index.html",
  username: "Mufasa",
  password: "Circle of Life",
};

function answerWith(challenges: string, request: typeof mufasa, cnonce: string): Fields {
  const challenge = bestChallenge(parseChallenges(challenges));
  if (challenge === undefined) throw new Error("there is no challenge that can be answered");
  return readFields(digestAnswer(challenge, request, cnonce));
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

describe("a digest", () => {
  const realm = "http-auth@example.org";
  const nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
  const opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS";
  const cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
  const offered = (algorithm: string): string =>
    `Digest realm="${realm}", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}", opaque="${opaque}"`;

  it.each([
    ["MD5", "8ca523f5e9506fed4657c9700eebdbec"],
    ["SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"],
  ])("is that of RFC 7616 section 3.9.1 with %s", (algorithm, response) => {
    expect(answerWith(offered(algorithm), mufasa, cnonce)).toEqual({
      username: "Mufasa",
      realm,
      uri: "/dir/index.html",
      algorithm,
      nonce,
      nc: "00000001",
      cnonce,
      qop: "auth",
      response,
      opaque,
    });
  });

  it("is that of RFC 2617 section 3.5", () => {
    const challenge =
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
    const request = { ...mufasa, password: "Circle Of Life" };
    expect(answerWith(challenge, request, "0a4f113b")).toMatchObject({
      response: "6629fae49393a05397450978507c4ef1",
    });
  });

  it("hides the user as RFC 7616 section 3.9.2 does, with SHA-512-256", () => {
    const challenge =
      'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true';
    const request = {
      method: "GET",
      path: "/doe.json",
      username: "J\u00e4s\u00f8n Doe",
      password: "Secret, or not?",
    };
    const answer = answerWith(challenge, request, "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v");
    expect(answer).toMatchObject({
      // As corrected by erratum 4897.
      username: "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b",
      response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
      userhash: "true",
    });
  });

  it("protects the body if the server requires that", () => {
    const challenge = `Digest realm="r", qop="auth-int", nonce="n"`;
    const request = { ...mufasa, method: "POST", body: "grüße" };
    const answer = answerWith(challenge, request, "c");
    const action = md5(`POST:/dir/index.html:${md5("grüße")}`);
    expect(answer["qop"]).toBe("auth-int");
    expect(answer["response"]).toBe(
      md5(`${md5("Mufasa:r:Circle of Life")}:n:00000001:c:auth-int:${action}`),
    );
  });

  it("is that of RFC 2069 for a server that offers no protection", () => {
    const answer = answerWith('Digest realm="r", nonce="n"', mufasa, "c");
    expect(answer).toEqual({
      username: "Mufasa",
      realm: "r",
      uri: "/dir/index.html",
      nonce: "n",
      response: md5(`${md5("Mufasa:r:Circle of Life")}:n:${md5("GET:/dir/index.html")}`),
    });
  });

  it("counts the uses of the nonce, in a session with one client nonce", () => {
    const challenge = 'Digest realm="r", qop="auth", algorithm=MD5-sess, nonce="n"';
    const answers = [1, 2, 255].map((nonceCount) =>
      readFields(digestAuthorization(challenge, { ...mufasa, nonceCount })),
    );
    expect(answers.map(({ nc }) => nc)).toEqual(["00000001", "00000002", "000000ff"]);
    const [{ cnonce: first = "" } = {}] = answers;
    const key = md5(`${md5("Mufasa:r:Circle of Life")}:n:${first}`);
    for (const { nc, cnonce: own, response } of answers) {
      expect(own).toBe(first);
      expect(response).toBe(md5(`${key}:n:${nc}:${first}:auth:${md5("GET:/dir/index.html")}`));
    }
    const other = digestAuthorization(challenge.replace('"n"', '"m"'), mufasa);
    expect(readFields(other)["cnonce"]).not.toBe(first);
  });

  it("answers the strongest of several challenges", () => {
    const best = (...values: string[]) =>
      readFields(digestAuthorization(values, mufasa))["algorithm"];
    expect(best(`Basic realm="r", ${offered("MD5")}, ${offered("SHA-256")}`)).toBe("SHA-256");
    expect(best(offered("SHA-512-256"), offered("MD5"), "Negotiate")).toBe("SHA-512-256");
    expect(best("Negotiate YWJj==", offered("NEW-1"), offered("MD5"))).toBe("MD5");
  });

  it.each([
    "",
    'Basic realm="r"',
    "Digest",
    'Digest realm="r"',
    'Digest nonce="n"',
    'Digest realm="r", nonce="n", algorithm=SHA-1',
    'Digest realm="r", nonce="n", qop="auth-conf"',
    'Digest realm="r", nonce="n", algorithm=MD5-sess',
    'Digest realm="r, nonce="n"',
    '"',
    "=,=,=",
    "Digest realm=",
  ])("is not sent for %s", (challenge) => {
    expect(digestAuthorization(challenge, mufasa)).toBeUndefined();
  });

  it("reads quotes, escapes, commas and unusual spaces correctly", () => {
    const challenge = 'DIGEST  Realm = "a \\"b\\", c\\\\" ,, NONCE=n ,qop=auth';
    const answer = digestAuthorization(challenge, { ...mufasa, username: 'a"b\\' });
    expect(answer).toContain('realm="a \\"b\\", c\\\\"');
    expect(answer).toContain('username="a\\"b\\\\"');
    expect(answer).toContain('nonce="n"');
  });

  it("sends a name beyond ASCII as an extended value, in one normal form", () => {
    const challenge = 'Digest realm="r", qop="auth", nonce="n", charset=UTF-8';
    for (const username of ["J\u00e4s\u00f8n (Doe)", "Ja\u0308s\u00f8n (Doe)"]) {
      const answer = answerWith(challenge, { ...mufasa, username }, "c");
      expect(answer["username*"]).toBe("UTF-8''J%C3%A4s%C3%B8n%20%28Doe%29");
      const key = md5("J\u00e4s\u00f8n (Doe):r:Circle of Life");
      expect(answer["response"]).toBe(
        md5(`${key}:n:00000001:c:auth:${md5("GET:/dir/index.html")}`),
      );
    }
  });

  it("uses the realm's own bytes", () => {
    // The header's bytes, each read as one character.
    const realm = Buffer.from("Müse\u00fcm").toString("latin1");
    const answer = answerWith(`Digest realm="${realm}", nonce="n"`, mufasa, "c");
    const key = md5("Mufasa:Müse\u00fcm:Circle of Life");
    expect(answer["response"]).toBe(md5(`${key}:n:${md5("GET:/dir/index.html")}`));
    expect(answer["realm"]).toBe(realm);
  });

  it("reads challenges of any kind, side by side", () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,8}$/);
    const value = fc.string({
      unit: fc
        .integer({ min: 32, max: 255 })
        .map((code) => String.fromCharCode(code))
        .filter((character) => character !== "\u007f"),
    });
    const challenge = fc.record({
      scheme: name,
      parameters: fc.uniqueArray(fc.tuple(name, value), {
        selector: ([key]) => key.toLowerCase(),
        minLength: 1,
        maxLength: 5,
      }),
    });
    const gap = fc.constantFrom(",", ", ", " , ,\t");
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 5 }), gap, (challenges, between) => {
        const quoted = (text: string): string => `"${text.replace(/["\\]/g, "\\$&")}"`;
        const header = challenges
          .map(({ scheme, parameters }) => {
            const fields = parameters.map(([key, text]) => `${key}=${quoted(text)}`);
            return `${scheme} ${fields.join(between)}`;
          })
          .join(between);
        expect(parseChallenges(header)).toEqual(
          challenges.map(({ scheme, parameters }) => ({
            scheme: scheme.toLowerCase(),
            parameters: new Map(parameters.map(([key, text]) => [key.toLowerCase(), text])),
          })),
        );
      }),
    );
  });

  it.each(["Digest ", "a=", '"', "\\", 'a="\\', ",", "a b ", "a=b,"])(
    "reads a hostile header of many %j in time that grows with its length",
    async (part) => {
      const header = part.repeat(200_000);
      const spent = await cpuMilliseconds(() => digestAuthorization(header, mufasa));
      expect(spent).toBeLessThan(linearWorkMs);
    },
  );
});

describe("a server with digest authentication", () => {
  it.each([
    ["MD5", "auth"],
    ["MD5-sess", "auth"],
    ["MD5", "none"],
  ] as const)("accepts the answers, with %s and %s, repeatedly", async (algorithm, qop) => {
    const digest = auth.digest(
      { realm: "Museum, east", algorithm, qop } as never,
      (username, give) => {
        (give as (hash: string) => void)(md5(`${username}:Museum, east:open, sesame`));
      },
    );
    const server = createServer(
      digest.check((request, response) =>
        response.end(`Hello ${(request as { user?: string }).user}`),
      ),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const http = httpClient({ givenOrigins: [origin] });
    const request = { method: "POST", url: `${origin}/items?a=1%202` };
    const refused = await http.request(request);
    expect(refused.status).toBe(401);
    const challenges = refused.headers["www-authenticate"] ?? "";
    for (const nonceCount of [1, 2, 3]) {
      const authorization = digestAuthorization(challenges, {
        method: "POST",
        path: "/items?a=1%202",
        username: "ada",
        password: "open, sesame",
        nonceCount,
      });
      const answer = await http.request({
        ...request,
        headers: { authorization: `${authorization}` },
      });
      expect(answer.text()).toBe("Hello ada");
    }
    const wrong = digestAuthorization(challenges, {
      method: "POST",
      path: "/items?a=1%202",
      username: "ada",
      password: "open",
      nonceCount: 4,
    });
    const answer = await http.request({ ...request, headers: { authorization: `${wrong}` } });
    expect(answer.status).toBe(401);
  });
});
