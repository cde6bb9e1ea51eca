import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Keypair } from "@solana/web3.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { followWallet, type SocketConstructor, type WalletChanges } from "../../../../lib/cli/watch/account-changes";
import { KNOWN_TOKENS } from "../../../../lib/domain/assets";
import { type LocalChain, openChain } from "../../../../lib/sandbox/chain/chain";
import { encodeMint } from "../../../../lib/sandbox/chain/token-accounts";
import { openServer, type SandboxServer } from "../../../../lib/sandbox/rpc/server";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../../lib/solana/programs";
import { buildTransferChecked, deriveAssociatedTokenAddress } from "../../../../lib/solana/token-instructions";
import {
  buildSigned,
  fundKeypair,
  ONE_SOL,
  putAccount,
  putTokens,
  toAddress,
  toWeb3,
  UNUSED_METHODS,
  waitUntil,
} from "../../../support/chain/sandbox-rig";
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
function listNextChange(changes: WalletChanges): [Promise<void>] | null {
  const next = changes.waitForChange();
  return next && [next];
}

test("the watch reports a change of the wallet, even after a reconnect", async () => {
  const { sockets, pauses, runtime } = createRuntime();
  const wallet = toAddress(fundKeypair(chain));
  const changes = followWallet(url, wallet, runtime);
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

test.each([
  ["USDC", TOKEN_PROGRAM],
  ["PYUSD", TOKEN_2022_PROGRAM],
] as const)("the watch reports a payment in %s whose fee another wallet pays", async (symbol, program) => {
  const { runtime } = createRuntime();
  const [facilitator, agent] = [fundKeypair(chain), Keypair.generate()];
  const [wallet, shop] = [toAddress(agent), toAddress(facilitator)];
  const { mint, decimals } = KNOWN_TOKENS[symbol];
  const [source, destination] = [wallet, shop].map((owner) => deriveAssociatedTokenAddress(owner, mint, program));
  putAccount(chain, mint, program, encodeMint(shop, decimals));
  putTokens(chain, wallet, mint, 1_000_000n, { address: source, program });
  putTokens(chain, shop, mint, 0n, { address: destination, program });
  const changes = followWallet(url, wallet, runtime);
  const [nextChange] = await waitUntil(() => listNextChange(changes));
  const ends = { source: source!, destination: destination!, authority: wallet };
  const instruction = toWeb3(buildTransferChecked({ ...ends, mint, decimals, amount: 20_000n }, program));
  chain.send(buildSigned(chain.getLatestBlockhash().blockhash, [facilitator, agent], [instruction]).serialize());
  await nextChange;
  // The wallet's own account does not even exist.
  expect(chain.getAccount(wallet)).toBeNull();
  changes.close();
});

test("the watch connects only once to a node that rejects one of its subscriptions", async () => {
  const { sockets, pauses, runtime } = createRuntime();
  const node = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => void node.close());
  let requestCount = 0;
  node.on("connection", (socket) =>
    socket.on("message", (data) => {
      const { id } = JSON.parse(String(data));
      requestCount += 1;
      const outcome = requestCount === 2 ? { error: { code: -32602, message: "too many" } } : { result: requestCount };
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
    }),
  );
  await once(node, "listening");
  const { port } = node.address() as AddressInfo;
  const changes = followWallet(`ws://127.0.0.1:${port}`, toAddress(Keypair.generate()), runtime);
  await waitUntil(() => sockets[0]?.readyState === WebSocket.CLOSED);
  expect([changes.waitForChange(), sockets.length, pauses.length]).toEqual([null, 1, 0]);
});

test.each([
  ["not an address", "is refused", createRuntime().runtime.WebSocket, 2, "Invalid URL"],
  ["", "is refused", createRuntime().runtime.WebSocket, 2, "Invalid URL"],
  ["?", "polls and says so in a runtime without WebSocket", null, 0, "polls every --interval-seconds"],
])("with the --ws address %j, the watch %s", async (address, _caseName, WebSocket, expectedExitCode, words) => {
  const { run } = createCliUser();
  const argv = ["watch", "--dry-run", "--ws", address];
  const { exitCode, errorLines } = await run(argv, { WebSocket, stopSignal: AbortSignal.abort() });
  expect([exitCode, errorLines]).toEqual([expectedExitCode, [expect.stringContaining(words)]]);
});
