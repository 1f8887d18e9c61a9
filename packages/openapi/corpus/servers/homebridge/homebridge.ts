import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RunningServer } from "../server-program.ts";

/**
 * Homebridge UI (MIT), the administration of a smart home bridge: a NestJS application whose
 * document is generated from its decorators. There is no account yet. `recording.bin` is a megabyte
 * of random bytes among its data.
 */
export function startHomebridge(): Promise<RunningServer> {
  return RunningServer.start({
    name: "homebridge",
    script: "homebridge-config-ui-x/dist/bin/standalone.js",
    prepare: (folder) => {
      const config = {
        bridge: {
          name: "Homebridge",
          username: "0E:02:9C:C9:E5:0A",
          port: 51826,
          pin: "031-45-154",
        },
        platforms: [{ platform: "config", name: "Config", host: "127.0.0.1", port: 8581 }],
      };
      writeFileSync(join(folder, "config.json"), JSON.stringify(config));
      writeFileSync(join(folder, "recording.bin"), randomBytes(1_000_000));
      return { args: ["--user-storage-path", folder] };
    },
  });
}
