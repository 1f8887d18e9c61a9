import { describe, expect, it } from "vitest";
import type { Tool } from "@toolweave/core";
import { ToolIndex } from "@toolweave/core/search";
import { findable, harbour, taking, createToolset } from "./tools.ts";

function indexOf(...tools: readonly Tool[]): ToolIndex {
  const index = new ToolIndex();
  index.update(createToolset(...tools));
  return index;
}

function found(index: ToolIndex, query: string, limit = 10): readonly string[] {
  return index.search(query, limit).map(({ name }) => name);
}

describe("a tool is found by", () => {
  const index = indexOf(...harbour);

  it.each([
    ["its name", "tide", "tide_table"],
    ["a part of a name in camel case", "pilot", "pilotOrder"],
    ["its description", "high water", "tide_table"],
    ["another form of a word", "computing", "fees_compute"],
    ["the name of a parameter", "draught", "pilotOrder"],
    ["a part of the name of a parameter", "channel", "pilotOrder"],
    ["its source", "seagate", "customs_report"],
    ["its name at its source", "declarations", "customs_report"],
    ["a word with the same meaning", "please make a booking for me", "berth_reserve"],
    ["its name among other words", "use crane_status to see what is up", "crane_status"],
  ])("%s", (_, query, name) => {
    expect(found(index, query)[0]).toBe(name);
  });

  it("the description and the allowed values of a parameter", () => {
    const state = { type: "string", enum: ["afloat", "sunk"], description: "Above the surface?" };
    const inputSchema = { type: "object", properties: { state } };
    const index = indexOf(...harbour, findable("vessel_update", "Edits it.", { inputSchema }));
    expect(found(index, "sunk")).toEqual(["vessel_update"]);
    expect(found(index, "surface")).toEqual(["vessel_update"]);
  });

  it.each(["who am I", "Who am I?", "whoami", "my account"])(
    "the user of the session: %s",
    (query) => {
      const index = indexOf(
        ...harbour,
        findable("list_users", "Lists the users."),
        findable("delete_current_user", "Deletes the authenticated user."),
        findable("get_me", "The authenticated user's account."),
      );
      expect(found(index, query)[0]).toBe("get_me");
    },
  );

  it("another form of an irregular word", () => {
    const index = indexOf(...harbour, findable("letters", "Every letter that was sent."));
    expect(found(index, "send")[0]).toBe("letters");
  });

  it("its title, or the one in its annotations", () => {
    const titled = indexOf(
      findable("a", "Does it.", { title: "Mooring lines" }),
      findable("b", "Does it.", { annotations: { title: "Anchor chains" } }),
      findable("c", "Does it."),
    );
    expect(found(titled, "mooring")).toEqual(["a"]);
    expect(found(titled, "anchor")).toEqual(["b"]);
  });

  it("a name of two words that the query writes as one", () => {
    const index = indexOf(findable("issues", "The issues of a GitHub project."));
    expect(found(index, "github")).toEqual(["issues"]);
    expect(found(index, "hub")).toEqual(["issues"]);
  });

  it.each([
    ["accents or none", "cafe", "Finds a café."],
    ["Greek", "καφέ", "Βρες έναν ΚΑΦΈ."],
    ["Japanese, by pairs of characters", "東京の天気", "天気予報"],
    ["Hindi", "मौसम", "आज का मौसम"],
    ["full-width letters", "ｗｅａｔｈｅｒ", "The weather."],
  ])("words of any script: %s", (_, query, description) => {
    expect(found(indexOf(findable("it", description), findable("no", "Else.")), query)).toEqual([
      "it",
    ]);
  });
});

describe("a tool is not found by", () => {
  it("an address or a tag in its description", () => {
    const index = indexOf(findable("rope", "<p>Rope</p> See https://chandler.example/anchor now."));
    expect(found(index, "chandler")).toEqual([]);
    expect(found(index, "p")).toEqual([]);
    expect(found(index, "see https://rope.example/")).toEqual(["rope"]);
  });

  it("the adapter that created it", () => {
    expect(found(indexOf(...harbour), "openapi adapter code")).toEqual(["customs_report"]);
  });
});

describe("the order of results", () => {
  it("puts a name before a description, and a description before a parameter", () => {
    const index = indexOf(
      findable("a", "Does a thing with paper.", taking("kite")),
      findable("b", "Does a thing with a kite."),
      findable("kite", "Does a thing with paper."),
    );
    expect(found(index, "kite")).toEqual(["kite", "b", "a"]);
  });

  it("puts the form of the query before another", () => {
    const index = indexOf(findable("a", "Gives a berth."), findable("b", "Gives berths."));
    expect(found(index, "berth")).toEqual(["a", "b"]);
    expect(found(index, "berths")).toEqual(["b", "a"]);
  });

  it("puts the word itself before one with the same meaning", () => {
    const index = indexOf(findable("a", "Fetch ropes."), findable("b", "Retrieve ropes."));
    expect(found(index, "retrieve a rope for the mast")).toEqual(["b", "a"]);
  });

  it("puts a rare word above common words of questions", () => {
    const index = indexOf(
      findable("desk", "Helps people who need something and want to know."),
      findable("chandler", "Has rope, among many other goods for ships and boats."),
    );
    expect(found(index, "I need help: who has rope?")).toEqual(["chandler", "desk"]);
  });

  it("puts a frequent word before a rare one with the same meaning", () => {
    const many = ["u", "v", "w", "x", "y", "z"].map((name) => findable(name, "Fetches sails."));
    const index = indexOf(findable("rare", "Retrieves sails."), ...many);
    expect(found(index, "fetch sails for schooners").at(-1)).toBe("rare");
  });

  it("keeps the score of a description if a parameter has the same word", () => {
    const index = indexOf(
      findable("one", "A kite."),
      findable("two", "A kite, yes, a kite.", taking("kite")),
    );
    expect(found(index, "kite")).toEqual(["two", "one"]);
  });

  it("counts a word once if a tool has related words as well", () => {
    const index = indexOf(
      findable("x", "Buys rope and masts."),
      findable("y", "Buys rope and purchases."),
    );
    const [first, second] = index.search("buys rope", 2);
    expect(first?.score).toBeCloseTo(second?.score as number, 10);
  });

  it.each([
    ["show the berth", "read_berth"],
    ["make a new berth", "create_berth"],
    ["change the berth", "update_berth"],
    ["remove the berth", "delete_berth"],
  ])("puts a tool of the same kind of action first: %s", (query, name) => {
    const actions = ["read", "create", "update", "delete"];
    const index = indexOf(...actions.map((action) => findable(`${action}_berth`, "Of a harbour.")));
    expect(found(index, query)[0]).toBe(name);
  });

  it("puts a tool that deletes last if the query names no action", () => {
    const index = indexOf(
      findable("berth_clear", "A berth of the harbour."),
      findable("berth_paint", "A berth of the harbour."),
    );
    expect(found(index, "berth")).toEqual(["berth_paint", "berth_clear"]);
    expect(found(index, "clear berth")).toEqual(["berth_clear", "berth_paint"]);
  });

  it("puts a tool first whose title the query names completely", () => {
    const index = indexOf(
      findable("a", "Of boats.", { title: "Rope lockers of the harbour" }),
      findable("b", "Of many boats and of many other ships in it.", { title: "Rope" }),
    );
    expect(found(index, "rope")).toEqual(["b", "a"]);
  });

  it("does not weigh a word more because a query repeats it", () => {
    const index = indexOf(findable("a", "Splices rope."), findable("b", "Patches sails. Slowly."));
    const query = "rope for this, rope for that, rope for all; and sails, sails to sail slowly";
    expect(found(index, query)[0]).toBe("b");
  });

  it("puts the tool that the query names first, whatever the others contain", () => {
    const index = indexOf(
      findable("get_all", "Nothing to speak of."),
      findable("other", "get_all get_all get_all"),
      findable("about", "Says who made this."),
    );
    expect(found(index, " get_all ")[0]).toBe("get_all");
    expect(found(index, "about")).toEqual(["about"]);
  });

  it("is by name for equal scores, and the same each time", () => {
    const same = ["east", "bow", "Stern", "aft"].map((name) => findable(name, "Splices rope."));
    const index = indexOf(...same);
    expect(found(index, "splice")).toEqual(["Stern", "aft", "bow", "east"]);
    expect(index.search("splice rope", 3)).toEqual(indexOf(...same).search("splice rope", 3));
  });
});

describe("the number of results", () => {
  const index = indexOf(...harbour);

  it.each(["harbour vessel berth cargo", "the tide table of a working crane"])(
    "is at most the limit, and the best of them: %s",
    (query) => {
      const all = index.search(query, 100);
      expect(all.length).toBeGreaterThan(1);
      for (const limit of [1, 2, 3, 4]) {
        expect(index.search(query, limit)).toEqual(all.slice(0, limit));
        expect(index.search(query, limit + 0.5)).toEqual(all.slice(0, limit));
      }
    },
  );

  it.each([0, -1, Number.NaN, 0.5])("is zero for a limit of %s", (limit) => {
    expect(index.search("berth", limit)).toEqual([]);
  });

  it.each(["", "   ", "?!…", "the of and", "qwertzuiop"])("is zero for %j", (query) => {
    expect(index.search(query, 10)).toEqual([]);
  });

  it("is zero without tools", () => {
    expect(new ToolIndex().search("berth", 10)).toEqual([]);
    expect(indexOf().search("berth", 10)).toEqual([]);
  });

  it("includes only tools that the filter keeps, up to the limit", () => {
    const kept = index.search("berth", 1, (name) => name !== "berth_list");
    expect(kept.map(({ name }) => name)).toEqual(["berth_reserve"]);
  });

  it("has descending scores above 0", () => {
    const scores = index
      .search("a berth in the harbour for my vessel", 10)
      .map(({ score }) => score);
    expect(scores.every((score) => score > 0)).toBe(true);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });
});
