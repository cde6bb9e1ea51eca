import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type Server } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../../../support/client/cli-rig";
import { createKeyFile } from "../../../../support/client/cli-user";
import { AUTH_TEXT } from "../../../../support/fixtures/wallet-texts";
import { createFolderForTest } from "../../../../support/store/temp-folder";

/* Calls real servers that refuse, close, redirect or have a certificate that nobody trusts. */

/** Starts a server for the test. Returns its port. */
async function startServer(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

const answer: RequestListener = (_request, response) => response.end("ok");
const redirect: RequestListener = (_request, response) => response.writeHead(307, { location: "/new?key=1" }).end();

/** Starts a server with a certificate of its own. @throws Error when this machine has no openssl */
async function startTlsServer(): Promise<string> {
  const folder = createFolderForTest();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2"];
  if (spawnSync("openssl", [...request, "-subj", "/CN=localhost"]).status !== 0) throw new Error("openssl failed");
  const port = await startServer(createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, answer));
  return `https://localhost:${port}`;
}

async function findClosedPort(): Promise<number> {
  const server = createServer();
  const port = await startServer(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const TARGETS: [what: string, start: () => Promise<string>, sentence: string][] = [
  [
    "refuses",
    async () => `http://127.0.0.1:${await findClosedPort()}`,
    "refused the connection: no program listens there",
  ],
  ["has an unknown host name", async () => "http://nowhere.invalid", "has a host name that"],
  ["has a certificate that nobody trusts", startTlsServer, "has a TLS certificate that this machine does not trust"],
  [
    "is http where https is called",
    async () => `https://127.0.0.1:${await startServer(createServer(answer))}`,
    "does not speak TLS; perhaps it is http, not https",
  ],
  [
    "closes the connection",
    async () => `http://127.0.0.1:${await startServer(createTcpServer((socket) => socket.destroy()))}`,
    "closed the connection without an answer",
  ],
  ["is on a port of another protocol", async () => "http://127.0.0.1:6667", "is on a port that programs must not call"],
];

/** Runs `listen` until it reports trouble. Returns the text of that report. */
async function readTrouble(forwardTo: string, serviceUrl?: string): Promise<string> {
  const stopController = new AbortController();
  const texts: string[] = [];
  const event = { sequence: 1, type: "saving.confirmed", time: "2026-11-21T04:04:43.000Z", txSignature: "signature" };
  await runCommand(["listen", "--forward-to", forwardTo, "--json", ...(serviceUrl ? ["--url", serviceUrl] : [])], {
    env: { ROUNDUP_API_KEY: "ru_test_key" },
    home: createKeyFile().home,
    clock: { now: Date.now, sleep: async () => {} },
    stopSignal: stopController.signal,
    print(line) {
      const { event, text } = JSON.parse(line);
      if (event !== "trouble") return;
      texts.push(text);
      stopController.abort();
    },
    async fetch(url, init) {
      if (serviceUrl || url.startsWith(forwardTo)) return fetch(url, init);
      return Response.json({
        ok: true,
        data: url.endsWith("/api/auth") ? { message: AUTH_TEXT } : { events: [event], next: 1 },
      });
    },
  });
  return texts[0]!;
}

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test.each(TARGETS)("listen says that the program %s", async (_caseName, start, sentence) => {
  if (start === startTlsServer && !hasOpenssl) return;
  expect(await readTrouble(`${await start()}/events`)).toMatch(new RegExp(`^event 1 .*because \\S+ ${sentence}`));
});

test("listen names the address to which the program redirects, and posts nothing there", async () => {
  const target = `http://127.0.0.1:${await startServer(createServer(redirect))}`;
  const text = await readTrouble(`${target}/events`);
  expect(text).toContain(`${target}/events redirects to ${target}/new?key=1`);
  expect(text).toMatch(/ \(307\): name that address in --forward-to$/);
});

test.each([
  ...TARGETS.slice(0, 1),
  ["redirects", async () => `http://127.0.0.1:${await startServer(createServer(redirect))}`, "redirects to another"],
] as typeof TARGETS)("listen and other commands say that the service %s", async (_caseName, start, sentence) => {
  const url = await start();
  expect(await readTrouble("http://127.0.0.1:4000", url)).toContain(`The service ${sentence}`);
  const { home, keypairPath } = createKeyFile();
  const { errorLines } = await runCommand(["status", "--url", url, "--keypair", keypairPath], { home, fetch });
  expect(errorLines.join()).toContain(`The service ${sentence}`);
});
