import { appendFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { newAddress } from "../client/client";
import { closeServer, listenOnFreePort } from "./listen";

/**
 * Starts a proxy to the app under test, for programs that do not use the test client. All its requests carry one
 * caller's address, and every response is recorded for the canary. The proxy stops when the test ends.
 * @returns its URL
 */
export async function startCallerProxy(address = newAddress()): Promise<string> {
  const serverKind = inject("serverKind");
  const target = inject("apps")[serverKind];
  const stamp = serverKind === "server" ? { "x-forwarded-for": address } : { "x-test-address": address };
  const server = createServer((incoming, outgoing) => {
    const options = { method: incoming.method, headers: { ...incoming.headers, ...stamp } };
    const onward = httpRequest(target + incoming.url, options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("data", (chunk: Buffer) => appendFileSync(join(inject("apps").recordings, "responses.txt"), chunk));
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  onTestFinished(() => closeServer(server));
  return listenOnFreePort(server);
}
