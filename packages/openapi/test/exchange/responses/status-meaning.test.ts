import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { getStatusMeaning } from "../../../src/exchange/responses/error-output.ts";

test("HT37: the page describes every status as the code does", async () => {
  const page = await readFile(
    new URL("../../../../../docs/reference/openapi-answers.md", import.meta.url),
    "utf8",
  );
  const rows = new Map(
    [...page.matchAll(/^\| (\d{3}|other, from 500) +\| (yes|no) +\| (.*?) +\|$/gm)].map(
      ([, status = "", passes = "", advice = ""]) => [status, `${passes} ${advice}`],
    ),
  );
  const other = rows.get("other, from 500");
  const describeStatus = (status: number): string | undefined =>
    rows.get(`${status}`) ?? (status >= 500 ? other : undefined);
  for (let status = 400; status < 600; status++) {
    const { retryable, advice } = getStatusMeaning(status);
    const expected = advice === undefined ? undefined : `${retryable ? "yes" : "no"} ${advice}`;
    expect(describeStatus(status), `status ${status}`).toBe(expected);
  }
});
