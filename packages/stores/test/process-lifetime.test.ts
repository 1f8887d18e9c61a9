import { runProgram } from "@toolweave/test-support/run-program";
import { tempFolder } from "@toolweave/test-support/temp-folder";
import { expect, test } from "vitest";

test("a process that waits for a change of a task stays alive, and then ends by itself", async () => {
  const file = JSON.stringify(`${tempFolder()}/store.sqlite`);
  const end = await runProgram(
    `
      import { testTask } from "@toolweave/conformance/test-records";
      import { sqliteStore } from "@toolweave/stores";
      const store = sqliteStore(${file});
      await store.tasks.add(testTask("a"));
      await store.tasks.watch("a", AbortSignal.timeout(300));
      console.log("watched");
    `,
    import.meta.dirname,
  );
  expect(end).toEqual({ code: 0, errors: "", output: "watched\n" });
});
