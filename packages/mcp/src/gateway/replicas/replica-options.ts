import { ToolError } from "@toolweave/core";
import { checkOptions } from "@toolweave/core/adapter";

/** A gateway that is one of several processes behind a load balancer. */
export interface ReplicaOptions {
  /**
   * Internal URL of this process, with the path of its endpoint: `http://10.0.0.5:8137/mcp`. The other processes
   * forward requests to it that only this one can answer. It should be reachable by them alone.
   */
  readonly url: string | URL;
}

/**
 * Checks the options of a replica.
 *
 * @throws ToolError `invalid_configuration`.
 */
export function checkReplica(replica: ReplicaOptions, hasKey: boolean): void {
  checkOptions("serveMcp: replica", replica, ["url"] satisfies readonly (keyof ReplicaOptions)[]);
  const url = URL.parse(String(replica.url));
  const isHttp = url !== null && /^https?:$/.test(url.protocol);
  if (!isHttp || `${url.username}${url.password}${url.search}${url.hash}` !== "") {
    throw new ToolError(
      "invalid_configuration",
      "serveMcp: replica.url is not a plain http or https URL; use the internal URL of this process, such as http://10.0.0.5:8137/mcp.",
    );
  }
  if (!hasKey) {
    throw new ToolError(
      "invalid_configuration",
      "serveMcp: replica needs a key, the same in every process: replicas recognize each other by it.",
    );
  }
}
