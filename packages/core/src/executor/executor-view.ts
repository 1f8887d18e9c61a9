import type { PendingCallRecord } from "../approvals/pending-call-store.ts";
import type { CallName } from "./call/call-state.ts";
import type { PendingCallStore } from "../approvals/pending-call-store.ts";
import type { ArtifactAccess } from "../artifacts/artifacts.ts";
import type { GrantStore } from "../contract/grant.ts";
import type { PolicyEffect } from "../contract/policy-definition.ts";
import type { Toolset } from "../contract/tool.ts";
import { decideByTool, type PolicyLayer } from "../policy/decision.ts";
import type { SecretSet } from "../redaction/secret-set.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Clock } from "../time/clock.ts";
import type { CallServices } from "./call/call-state.ts";

/** The parts of an executor that a host displays: its policies, its stores, and its redaction. It runs no calls. */
export abstract class ExecutorView {
  abstract readonly registry: ToolRegistry;
  /** @internal */
  protected abstract readonly services: CallServices;

  /**
   * Secrets that are redacted from everything that leaves the executor. Code that obtains a credential adds it here, or
   * to the secrets of its source.
   */
  get secrets(): SecretSet {
    return this.services.secrets;
  }

  /**
   * Removes secrets from a value that the host displays or sends, as they are removed from events: those that the
   * executor and its sources know, text in the format of a credential, and the values of headers that hold one. Returns
   * the same object if it contains none, or if redaction is off.
   *
   * @param value JSON.
   */
  redact<Value>(value: Value): Value {
    return this.services.redactor?.redactReport(value) ?? value;
  }

  /**
   * Removes secrets from the parts of one text, also a secret that several parts contain together. Members that mark
   * secrets by their name are not looked for.
   *
   * @param parts as they follow one another.
   */
  redactParts(parts: readonly string[]): readonly string[] {
    return this.services.redactor?.texts(parts) ?? parts;
  }

  /**
   * Removes secrets from bytes, such as those of an artifact. In a text, and in bytes that can be read as one, masks take
   * their place; in other bytes they are overwritten. Returns the same bytes if they contain none.
   */
  redactBytes(bytes: Uint8Array, mediaType: string): Uint8Array {
    return this.services.redactor?.bytes(bytes, mediaType) ?? bytes;
  }

  /**
   * The policies in force, in order: the name of each, and its rules as data. A policy function has no rules. One that
   * decides about the tools of some sources alone has these as `sources`.
   */
  get policies(): readonly Pick<PolicyLayer, "name" | "sources" | "toJSON">[] {
    return this.services.policies;
  }

  /** The limits of one call: milliseconds of an attempt (0: none) and bytes of content for a model. */
  get callLimits(): { readonly timeoutMs: number; readonly maxOutputBytes: number } {
    const { timeoutMs, maxOutputBytes } = this.services;
    return { timeoutMs, maxOutputBytes };
  }

  /** Time for limits, deadlines and durations: the host's own clock, if it is set. */
  get clock(): Clock {
    return this.services.clock;
  }

  /** The calls that wait for a person. */
  get pendingCalls(): PendingCallStore {
    return this.services.pendingCalls;
  }

  /**
   * The last call of a name, whatever has become of it; `undefined`: the store has none.
   *
   * @internal
   */
  async findNamedCall(callName: CallName): Promise<PendingCallRecord | undefined> {
    const { findNamedCall } = await import("./resume/named-calls.ts");
    return findNamedCall(this.services, callName);
  }

  /** Approvals for more than one call: to display and to revoke them. */
  get grants(): GrantStore {
    return this.services.grants;
  }

  /** Stored outputs: to display them. `read_artifact` is what models read them with. */
  get artifacts(): ArtifactAccess {
    return this.services.artifacts;
  }

  /**
   * Decides about the calls of a tool that propose no permission of their own, for a list of many tools. The same as the
   * `effect` of `explain` for the tool, whether or not it is available, at less cost. `undefined`: there is no such tool
   * in the toolset, or the decision depends on the caller or on the arguments.
   *
   * @param toolset Default: the registry's. That of a run has built-in tools, too.
   */
  decideByTool(name: string, toolset: Toolset = this.registry.toolset()): PolicyEffect | undefined {
    const entry = toolset.entry(name);
    const effect =
      entry === undefined ? undefined : decideByTool(this.services.policies, entry)?.effect;
    return effect === "ask" && this.services.onAsk === "deny" ? "deny" : effect;
  }
}
