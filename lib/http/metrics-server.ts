import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Runtime } from "../deps";

/**
 * Serves Prometheus' text format at /metrics on loopback only, because the metrics show the operator's figures.
 * @param port with 0 the system chooses a free port
 * @returns the URL of the metrics
 */
export async function serveMetrics(metrics: NonNullable<Runtime["metrics"]>, port: number): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") return void response.writeHead(404).end();
    const { contentType, text } = await metrics.read();
    response.writeHead(200, { "content-type": contentType }).end(text);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}
