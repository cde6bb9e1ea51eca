import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type AccountChanges, followAccount, type SocketConstructor } from "../../../../lib/cli/watch/account-changes";
import { type LocalChain, openChain } from "../../../../lib/sandbox/chain/chain";
import { openServer, type SandboxServer } from "../../../../lib/sandbox/rpc/server";
import { fundKeypair, ONE_SOL, toAddress, UNUSED_METHODS, waitUntil } from "../../../support/chain/sandbox-rig";
import { createCliUser } from "../../../support/client/cli-user";

let chain: LocalChain;
let server: SandboxServer;
let url: string;
beforeAll(async () => {
  chain = openChain();
  const context = { chain, ...UNUSED_METHODS };
  server = await openServer({ context, market: null, port: 0, reportError: () => {} });
  url = server.url.replace("http", "ws").replace(/\d+$/, (port) => String(Number(port) + 1));
});
afterAll(() => server.close());

/** Creates a runtime whose WebSocket records its sockets and whose pauses end when the test resolves them. */
function createRuntime() {
  const sockets: WebSocket[] = [];
  const pauses: (() => void)[] = [];
  const runtime = {
    WebSocket: class extends WebSocket {
      constructor(address: string) {
        super(address);
        sockets.push(this);
      }
    } as unknown as SocketConstructor,
    pause: () => new Promise<void>((resolve) => pauses.push(resolve)),
  };
  return { sockets, pauses, runtime };
}

/** Wraps the promise in a list, because `waitUntil` would await the promise itself. */
function listNextChange(changes: AccountChanges): [Promise<void>] | null {
  const next = changes.waitForChange();
  return next && [next];
}

test("the watch reports a change of the wallet, even after a reconnect", async () => {
  const { sockets, pauses, runtime } = createRuntime();
  const wallet = toAddress(fundKeypair(chain));
  const changes = followAccount(url, wallet, runtime);
  expect(changes.waitForChange()).toBeNull();
  const [firstChange] = await waitUntil(() => listNextChange(changes));
  chain.airdrop(wallet, ONE_SOL);
  await firstChange;

  const secondChange = changes.waitForChange()!;
  sockets[0]!.terminate();
  // A lost connection wakes the waiter at once, because changes may have been missed.
  await secondChange;
  expect(changes.waitForChange()).toBeNull();
  (await waitUntil(() => pauses.shift()))();
  const [thirdChange] = await waitUntil(() => listNextChange(changes));
  chain.airdrop(wallet, ONE_SOL);
  await thirdChange;
  changes.close();
  await waitUntil(() => sockets.every(({ readyState }) => readyState === WebSocket.CLOSED));
  expect([sockets.length, pauses.length]).toEqual([2, 0]);
});

test("the watch connects only once to a node that rejects its subscription", async () => {
  const { sockets, pauses, runtime } = createRuntime();
  const changes = followAccount(url, "not an address", runtime);
  await waitUntil(() => sockets[0]?.readyState === WebSocket.CLOSED);
  expect([changes.waitForChange(), sockets.length, pauses.length]).toEqual([null, 1, 0]);
});

test.each([
  ["is refused", createRuntime().runtime.WebSocket, 2, "Invalid URL"],
  ["polls and says so in a runtime without WebSocket", null, 0, "polls every --interval-seconds"],
])("with an invalid --ws address, the watch %s", async (_caseName, WebSocket, expectedExitCode, words) => {
  const { run } = createCliUser();
  const argv = ["watch", "--dry-run", "--ws", "not an address"];
  const { exitCode, errorLines } = await run(argv, { WebSocket, stopSignal: AbortSignal.abort() });
  expect([exitCode, errorLines]).toEqual([expectedExitCode, [expect.stringContaining(words)]]);
});
