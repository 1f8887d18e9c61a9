import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunningServer } from "../server-program.ts";

/**
 * Signal K (Apache-2.0), the data server of a boat: an Express application with a handwritten
 * document for each of its APIs. There is no account yet.
 */
export function startSignalK(): Promise<RunningServer> {
  return RunningServer.start({
    name: "signal-k",
    script: "signalk-server/bin/signalk-server",
    prepare: (folder, installed) => {
      const settings = {
        interfaces: { appstore: false, tcp: false, "nmea-tcp": false },
        mdns: false,
        security: { strategy: "./tokensecurity" },
      };
      writeFileSync(join(folder, "settings.json"), JSON.stringify(settings));
      writeFileSync(join(folder, "package.json"), "{}");
      // Its plugins are searched beside its settings. This one stores created resources.
      const plugins = join(folder, "node_modules/@signalk");
      mkdirSync(plugins, { recursive: true });
      const plugin = "resources-provider";
      symlinkSync(join(installed, "@signalk", plugin), join(plugins, plugin));
      return {
        args: ["-c", folder],
        env: { SIGNALK_NODE_CONFIG_DIR: folder, SIGNALK_DISABLE_SERVER_UPDATES: "1" },
      };
    },
  });
}
