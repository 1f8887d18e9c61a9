import { conformance } from "@toolweave/conformance/vitest";
import { afterAll } from "vitest";
import { brokenByServers } from "./known-failing.ts";
import { serverManifests } from "./mcp-servers.ts";

const servers = serverManifests.map((make) => make());
for (const { manifest } of servers) {
  conformance({ ...manifest, knownFailing: brokenByServers[manifest.name] ?? {} }, { seed: 1 });
}
afterAll(() => {
  for (const { close } of servers) close();
});
