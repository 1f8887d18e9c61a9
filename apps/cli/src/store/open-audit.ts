import type { ConfiguredAudit } from "@toolweave/config";
import type { AuditSink } from "@toolweave/core/stores";
import { getUserName } from "../process/user-name.ts";
import type { CommandStore } from "./command-store.ts";

/** Bytes above which a file of the audit is moved aside: 64 MiB. */
export const maxAuditBytes = 67_108_864;

/**
 * The audit for the executor of a command: that of its store, and the file of the configuration. Calls without a caller are
 * those of the user of this process.
 *
 * @param from the command, as records name it.
 * @throws ToolError `store_unavailable` if the file cannot be opened.
 */
export async function openAudit(
  { audit }: Pick<CommandStore, "audit">,
  from: string,
  { file, maxBytes = maxAuditBytes, maxRotated, required = false }: ConfiguredAudit = {},
): Promise<AuditSink> {
  const sinks: AuditSink[] = [audit];
  if (file !== undefined) {
    const { auditFile } = await import("@toolweave/stores");
    const kept = maxRotated === undefined ? {} : { maxRotated };
    sinks.push(auditFile(file, { maxBytes, required, ...kept }));
  }
  return {
    required,
    async write(record) {
      const known = { caller: { id: getUserName() }, ...record, from };
      await Promise.all(sinks.map((sink) => sink.write(known)));
    },
  };
}
