import { request } from "node:http";
import { expect, test } from "vitest";
import { NO_CHAIN_SETTINGS, startTemporaryAppForFile } from "../support/app/app-for-file";
import { createCallerAddress } from "../support/client/client";

/* Runs server.ts with CLIENT_IP unset. The server then uses the socket's address and ignores headers. */

const app = await startTemporaryAppForFile("socket-address", { ...NO_CHAIN_SETTINGS, CLIENT_IP: "" });

/** Makes one call from 127.0.0.1. @returns the status, and the calls that the address has left in this minute */
function callFromLoopback(headers: Record<string, string | string[]> = {}) {
  return new Promise<{ status: number; remaining: number }>((resolve, reject) => {
    const outgoing = request(`${app.url}/api/plans`, { localAddress: "127.0.0.1", headers, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      incoming.resume();
      const remaining = Number(incoming.headers["x-ratelimit-remaining"]);
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, remaining }));
    });
    outgoing.end();
  });
}

/** Creates each header that a host uses for the client address, including the header of this service. */
const createForgedHeaders = (): Record<string, string | string[]>[] => {
  const address = createCallerAddress();
  return [
    { "x-forwarded-for": address },
    { "x-forwarded-for": `${address}, ${createCallerAddress()}` },
    { "x-roundup-client-address": address },
    { "X-Roundup-Client-Address": address },
    { "x-roundup-client-address": [address, createCallerAddress()] },
    { "x-roundup-client-address": "" },
    { "x-real-ip": address, "x-vercel-forwarded-for": address, forwarded: `for=${address}` },
  ];
};

test("forged address headers do not raise a socket address's limit of 60 calls a minute", async () => {
  const formCount = createForgedHeaders().length;
  for (let i = 0; i < 60; i++) {
    // The first calls have no forged header, and the others have each of its forms in turn.
    const headers = i < formCount ? {} : createForgedHeaders()[i % formCount];
    expect(await callFromLoopback(headers)).toEqual({ status: 200, remaining: 59 - i });
  }
  for (const headers of [{}, ...createForgedHeaders()])
    expect(await callFromLoopback(headers)).toEqual({ status: 429, remaining: 0 });
});
