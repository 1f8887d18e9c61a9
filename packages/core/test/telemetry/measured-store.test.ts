import { ToolError } from "@toolweave/core";
import { memoryTasks } from "@toolweave/core/stores";
import { measuredStore } from "@toolweave/core/telemetry";
import { expect, it } from "vitest";
import { Collected } from "./collected.ts";

const points = async (collected: Collected): Promise<readonly (readonly [object, number])[]> =>
  (await collected.points<{ readonly count: number }>("toolweave.store.operation.duration")).map(
    ({ attributes, value }) => [attributes, value.count],
  );

it("the operations of a measured store are measured by name, also those that fail", async () => {
  const collected = new Collected();
  const store = {
    calls: 0,
    get() {
      this.calls += 1;
      return "now";
    },
    add: () => Promise.resolve("later"),
    remove: () => Promise.reject(new ToolError("store_unavailable", "The store is down.")),
    change() {
      throw new TypeError("wrong");
    },
    watch: () => Promise.resolve(),
  };
  const measured = measuredStore(store, {
    name: "things",
    meter: collected.meters.getMeter("test"),
  });
  expect(measured.get()).toBe("now");
  expect(store.calls).toBe(1);
  expect(await measured.add()).toBe("later");
  await expect(measured.remove()).rejects.toThrow("The store is down.");
  expect(() => measured.change()).toThrow("wrong");
  await measured.watch();
  const operation = (name: string): object => ({
    "toolweave.store.name": "things",
    "toolweave.store.operation": name,
  });
  expect(await points(collected)).toEqual([
    [operation("get"), 1],
    [operation("add"), 1],
    [{ ...operation("remove"), "error.type": "store_unavailable" }, 1],
    [{ ...operation("change"), "error.type": "TypeError" }, 1],
  ]);
});

it("a measured store has the methods of the store, inherited ones too, and no others", async () => {
  const tasks = memoryTasks();
  const measured = measuredStore(tasks, { name: "tasks" });
  expect(await measured.list("another owner")).toEqual([]);
  expect(typeof measured.watch).toBe(typeof tasks.watch);
  expect("prune" in measured).toBe(false);
});

it("a measured store needs a name", () => {
  expect(() => measuredStore({}, { name: "" })).toThrow(/name must be a text/);
});
