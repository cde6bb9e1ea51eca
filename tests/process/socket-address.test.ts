import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, makeFolder, removeFolder } from "../support/app/app";
import { NO_CHAIN, startAppForFile } from "../support/app/app-for-file";
import { createCallerAddress } from "../support/client/client";

/* Runs server.ts with CLIENT_IP unset. The client address is then the socket's, and headers are ignored. */

let dataDir: string;
let app: App;
beforeAll(async () => {
  dataDir = await makeFolder();
  app = await startAppForFile("socket-address", dataDir, { ...NO_CHAIN, CLIENT_IP: "" });
});
afterAll(async () => {
  await app?.stop();
  await removeFolder(dataDir);
});

interface LimitedAnswer {
  status: number;
  remaining: number;
}

/** Makes one call from an address of this machine. */
function callFrom(localAddress: string, headers: Record<string, string | string[]> = {}): Promise<LimitedAnswer> {
  const { port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path: "/api/plans", localAddress, headers, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (incoming) => {
      incoming.resume();
      const remaining = Number(incoming.headers["x-ratelimit-remaining"]);
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, remaining }));
    });
    outgoing.end();
  });
}

/** Every header that some host uses for the client address, including this service's own. */
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
  for (let i = 0; i < 60; i++) {
    const headers = i < 7 ? {} : createForgedHeaders()[i % 7];
    expect(await callFrom("127.0.0.1", headers)).toEqual({ status: 200, remaining: 59 - i });
  }
  for (const headers of [{}, ...createForgedHeaders()]) {
    expect(await callFrom("127.0.0.1", headers)).toEqual({ status: 429, remaining: 0 });
  }
});
