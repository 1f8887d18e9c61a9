import type { Grant } from "@toolweave/core";
import { findById, shortIds } from "../../input/find-by-id.ts";
import type { CliIo } from "../../process/cli-io.ts";
import { exitCode } from "../../process/exit-code.ts";
import type { Output } from "../../process/output.ts";
import { describeGrant } from "../../render/describe-requests.ts";
import { formatDuration, safeJson, safeValue, formatTable } from "../../render/text.ts";
import { ApprovalStore } from "../../store/approval-store.ts";
import { printMissingStore, type StoreOptions } from "./list.ts";

/** `toolweave approvals grants`: lists the calls that need no approval any more. */
export async function listGrants(
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = new ApprovalStore(options.store, io.env);
  try {
    const grants = await store.grants.list();
    printMissingStore(store, output);
    if (options.json === true) {
      await output.write(`${safeJson(JSON.stringify({ grants }, null, 2))}\n`);
      return exitCode.completed;
    }
    const now = await store.pendingCalls.now();
    const short = shortIds(grants.map(({ id }) => id));
    const rows = grants.map((grant) => [
      safeValue(short.get(grant.id) ?? ""),
      safeValue(grant.tool),
      describeGrant(grant, grant.scope),
      grant.scope === "always" ? "" : "in one session",
      grant.by === undefined ? "" : `by ${safeValue(grant.by)}`,
      `${formatDuration(now - grant.grantedAt)} old`,
    ]);
    for (const line of formatTable(rows)) await output.write(`${line}\n`);
    await output.write(
      `${rows.length > 0 ? "\n" : ""}${rows.length === 1 ? "1 grant" : `${rows.length} grants`}\n`,
    );
    return exitCode.completed;
  } finally {
    await store.close();
  }
}

/** `toolweave approvals revoke`: from now on approval is required again. */
export async function revokeGrant(
  id: string,
  options: StoreOptions,
  io: CliIo,
  output: Output,
): Promise<number> {
  const store = new ApprovalStore(options.store, io.env);
  try {
    const grant: Grant = findById(id, await store.grants.list(), ({ id }) => id, "grant");
    const revoked = await store.grants.revoke(grant.id);
    if (options.json === true) {
      await output.write(`${safeJson(JSON.stringify({ revoked, grant }, null, 2))}\n`);
    } else {
      output.printMessage(
        revoked
          ? `toolweave: Revoked: calls of ${safeValue(grant.tool)} need approval again.`
          : "toolweave: The grant was already revoked.",
      );
    }
    return exitCode.completed;
  } finally {
    await store.close();
  }
}
