import { connect, createServer } from "node:net";
import { pipeline } from "node:stream";

/*
 * Spreads connections over the ports in TARGETS in turn, as a load balancer does. The program passes bytes on unread,
 * so that it takes little CPU time from the servers behind it.
 */

const ports = process.env.TARGETS!.split(",").map(Number);
let connectionCount = 0;

createServer({ noDelay: true }, (client) => {
  const server = connect({ port: ports[connectionCount++ % ports.length]!, host: "127.0.0.1", noDelay: true });
  pipeline(client, server, client, () => {});
}).listen(Number(process.env.PORT), "127.0.0.1");
