// Preloaded into a gateway (NODE_OPTIONS=--import) that asks a name server of ours, as
// /etc/resolv.conf would tell it to: a case answers then where the names of endpoints lead.
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";

const server = process.env.FAULTS_NAME_SERVER;
if (server !== undefined) {
  dns.Resolver = class extends dns.Resolver {
    constructor(options) {
      super(options);
      this.setServers([server]);
    }
  };
  syncBuiltinESMExports();
}
