import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  cleanName,
  compareNames,
  isToolName,
  nearNames,
  prefixName,
  shortenName,
  shortHash,
  snakeName,
  uniqueNames,
} from "@toolweave/core/adapter";
import { anyText } from "../support/any-text.ts";

const canonical = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const anyName = fc.oneof(
  anyText(100),
  fc.string({ unit: fc.constantFrom(..."abAB01_-./ {}é日"), maxLength: 100 }),
);
// Few letters, so that many of the cleaned names are equal.
const confusable = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom(..."ab_./- "), minLength: 1, maxLength: 4 }),
  { maxLength: 12 },
);

describe("a canonical name", () => {
  test.each(["a", "_", "read_file", "Read-File", "x".repeat(64)])("can be %s", (name) => {
    expect(isToolName(name)).toBe(true);
  });

  test.each(["", "1a", "-a", "a.b", "a b", "é", "x".repeat(65), "a\n"])("cannot be %j", (name) => {
    expect(isToolName(name)).toBe(false);
  });

  test("is a text, whatever plain JavaScript passes", () => {
    expect(isToolName(undefined as never)).toBe(false);
  });
});

describe("cleanName", () => {
  test("keeps what is canonical", () => {
    expect(cleanName("Read-File_2")).toBe("Read-File_2");
  });

  test.each([
    ["tools/read.file", "tools_read_file"],
    ["  spaced  out  ", "spaced_out"],
    ["café", "cafe"],
    ["2fast", "_2fast"],
  ])("%j becomes %j", (name, clean) => {
    expect(cleanName(name)).toBe(clean);
  });

  test("distinguishes two names that lose different letters", () => {
    expect(cleanName("read日")).toMatch(/^read_[0-9a-z]{7}$/);
    expect(cleanName("read日")).not.toBe(cleanName("read本"));
    expect(cleanName("日本")).toMatch(/^tool_[0-9a-z]{7}$/);
  });

  test("distinguishes two long names with the same beginning", () => {
    const [a, b] = [`${"x".repeat(80)}a`, `${"x".repeat(80)}b`];
    expect(cleanName(a)).toHaveLength(64);
    expect(cleanName(a)).not.toBe(cleanName(b));
  });

  test("returns a canonical name for any text, always the same", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(cleanName(name)).toMatch(canonical);
        expect(cleanName(name)).toBe(cleanName(name));
      }),
    );
  });

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(cleanName(cleanName(name))).toBe(cleanName(name));
      }),
    );
  });
});

describe("snakeName", () => {
  test.each([
    ["listEvents", "list_events"],
    ["getHTTPResponse", "get_http_response"],
    ["Delete-an event", "delete_an_event"],
    ["v2Users", "v2_users"],
    ["ListAPIs", "list_apis"],
    ["GetAllWellKnownURIs", "get_all_well_known_uris"],
    ["cloudPCsById", "cloud_pcs_by_id"],
    ["getUserIDs", "get_user_ids"],
    ["getAPIStatus", "get_api_status"],
    ["oAuth2PostToken", "oauth2_post_token"],
    ["revokeOAuthToken", "revoke_oauth_token"],
    ["noAuthRequired", "no_auth_required"],
    ["listIPv6Addresses", "list_ipv6_addresses"],
    ["iOSAppsList", "ios_apps_list"],
  ])("%j becomes %j", (name, snake) => {
    expect(snakeName(name)).toBe(snake);
  });

  test("does not return _ for a name without Latin letters", () => {
    expect(snakeName("日本")).toMatch(/^tool_[0-9a-z]{7}$/);
    expect(snakeName("日本")).not.toBe(snakeName("中国"));
  });

  test("returns a canonical lower-case name for any text", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        expect(snakeName(name)).toMatch(canonical);
        expect(snakeName(name)).toMatch(/^[^A-Z]*$/);
      }),
    );
  });
});

describe("prefixName", () => {
  test("puts two underscores between", () => {
    expect(prefixName("filesystem", "read_file")).toBe("filesystem__read_file");
  });

  test("keeps the beginning and the end of a name that has to be shortened", () => {
    const name = prefixName(
      "museum",
      "list_every_single_event_of_a_building_with_all_visitors_now",
    );
    expect(name).toMatch(/^museum__list_.*_visitors_now_[0-9a-z]{7}$/);
  });

  test("shortens long names, and distinguishes two with different ends", () => {
    const [a, b] = ["a", "b"].map((end) => prefixName("filesystem", "x".repeat(63) + end));
    expect(a).toMatch(canonical);
    expect(a).not.toBe(b);
  });
});

describe("shortenName", () => {
  const long = "get_the_first_of_all_events_that_visitors_of_the_museum_have_not_seen_yet";

  test("omits words in the middle, and appends a hash", () => {
    const name = shortenName(long);
    expect(name).toMatch(/^get_.*_have_not_seen_yet_[0-9a-z]{7}$/);
    expect(name.length).toBeLessThanOrEqual(64);
    expect(shortenName(name)).toBe(name);
  });

  test("keeps the preferred words before others", () => {
    expect(shortenName(long, { keep: [0, 1, 2, 3] })).toMatch(/^get_the_first_of_.*_[0-9a-z]{7}$/);
  });

  test("uses the hash of the original", () => {
    expect(shortenName(long, { original: "other" })).toMatch(new RegExp(`_${shortHash("other")}$`));
  });

  test("is canonical for any text", () => {
    const words = fc.array(fc.stringMatching(/^[a-z_-]{1,80}$/), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(words, fc.array(fc.integer({ min: -1, max: 30 })), (list, keep) => {
        expect(shortenName(`a${list.join("_")}`, { keep })).toMatch(canonical);
      }),
    );
  });
});

describe("uniqueNames", () => {
  test("keeps a name for the text that equals it", () => {
    const [exact, other] = uniqueNames(["a_b", "a.b"]);
    expect(exact).toBe("a_b");
    expect(other).toMatch(/^a_b_[0-9a-z]{7}$/);
  });

  test("accepts another naming function", () => {
    expect(uniqueNames(["listEvents", "list_events"], snakeName)).toEqual([
      `list_events_${shortHash("listEvents")}`,
      "list_events",
    ]);
  });

  test("is not misled by a name that equals the hash of another", () => {
    const names = uniqueNames(["a.b", "a/b", `a_b_${shortHash("a.b")}`]);
    expect(new Set(names).size).toBe(3);
    expect(names[2]).toBe(`a_b_${shortHash("a.b")}`);
  });

  test("gives every different text a unique canonical name", () => {
    fc.assert(
      fc.property(fc.oneof(confusable, fc.uniqueArray(anyName, { maxLength: 12 })), (originals) => {
        const names = uniqueNames(originals);
        expect(new Set(names).size).toBe(originals.length);
        for (const name of names) expect(name).toMatch(canonical);
      }),
    );
  });

  test("does not depend on the order", () => {
    fc.assert(
      fc.property(
        confusable.chain((originals) =>
          fc.tuple(
            fc.constant(originals),
            fc.shuffledSubarray(originals, { minLength: originals.length }),
          ),
        ),
        ([originals, shuffled]) => {
          const names = new Map(originals.map((name, at) => [name, uniqueNames(originals)[at]]));
          const again = uniqueNames(shuffled);
          shuffled.forEach((name, at) => expect(again[at]).toBe(names.get(name)));
        },
      ),
    );
  });

  test("keeps a name if others are added whose cleaned names differ", () => {
    fc.assert(
      fc.property(confusable, confusable, (originals, added) => {
        const before = uniqueNames(originals);
        const fresh = added.filter((name) => !originals.includes(name));
        const after = uniqueNames([...originals, ...fresh]);
        originals.forEach((original, at) => {
          if (fresh.some((name) => cleanName(name) === cleanName(original))) return;
          expect(after[at]).toBe(before[at]);
        });
      }),
    );
  });
});

describe("shortHash", () => {
  test("has seven characters of [0-9a-z] for any text", () => {
    fc.assert(
      fc.property(anyName, (text) => {
        expect(shortHash(text)).toMatch(/^[0-9a-z]{7}$/);
      }),
    );
  });
});

describe("nearNames", () => {
  const names = ["create_event", "delete_event", "filesystem__read_file", "list_events"];

  test.each([
    ["deleteEvent", "delete_event"],
    ["DELETE-EVENT", "delete_event"],
    ["read_file", "filesystem__read_file"],
    ["delet_event", "delete_event"],
    ["list_event", "list_events"],
  ])("%s is near %s first", (wrong, right) => {
    expect(nearNames(wrong, names)[0]).toBe(right);
  });

  test("returns nothing if nothing is near", () => {
    expect(nearNames("transfer_money", names)).toEqual([]);
  });

  test("returns no more than requested", () => {
    const many = Array.from({ length: 100 }, (_, index) => `tool_${index}`);
    expect(nearNames("tool_5", many)).toHaveLength(5);
    expect(nearNames("tool_5", many, 2)).toEqual(["tool_5", "tool_0"]);
  });

  test("uses only the beginning of a very long name", () => {
    expect(nearNames("x".repeat(10_000_000), names)).toEqual([]);
  });
});

describe("compareNames", () => {
  test("orders by code unit, independent of the locale", () => {
    expect(["b", "a", "B", "_", "a"].sort(compareNames)).toEqual(["B", "_", "a", "a", "b"]);
  });
});
