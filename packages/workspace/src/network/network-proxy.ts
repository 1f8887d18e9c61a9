import { performServerHandshake } from "node:http2";
import { duplexPair, type Duplex } from "node:stream";
import { AllowedHosts, type NetworkRules } from "@toolweave/http";
import { ForwardProxy } from "@toolweave/http/proxy";

/** The connections of one command. */
export interface ServedNetwork {
  /** The hosts that the command asked for and was refused, as `host:port`. */
  readonly refused: ReadonlySet<string>;
}

const maxRefused = 20;

/** The network of commands that have none of their own: a proxy to the hosts of a list. */
export class NetworkProxy {
  readonly #allowed: AllowedHosts;

  /** @throws ToolError `invalid_configuration` for an entry that is no host. */
  constructor(rules: NetworkRules) {
    this.#allowed = new AllowedHosts("workspace: network", rules);
  }

  /** Serves a command, whose connections come over a pipe as streams of HTTP/2. They end with the pipe. */
  serve(pipe: Duplex): ServedNetwork {
    const refused = new Set<string>();
    const proxy = new ForwardProxy({
      getReach: (target) => this.#allowed.getReach(target),
      onRefused: ({ hostname, port }) => {
        if (refused.size < maxRefused) refused.add(`${hostname}:${port}`);
      },
    });
    const session = performServerHandshake(pipe);
    session.on("error", () => pipe.destroy());
    session.on("stream", (stream) => {
      stream.respond({ ":status": 200 });
      // Between them, since texts that are written to a stream of HTTP/2 directly arrive damaged.
      const [inner, outer] = duplexPair();
      stream.on("error", () => outer.destroy());
      outer.on("error", () => stream.close());
      stream.pipe(outer).pipe(stream);
      proxy.serve(inner);
    });
    return { refused };
  }
}
