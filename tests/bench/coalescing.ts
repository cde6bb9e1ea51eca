import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Check } from "./report";
import { sandboxAt, startApp } from "./subject-process";
import { makeWallets } from "./wallets";

const READS = 500;
/** One round reads the accounts once, and the token accounts once per token program. */
const MAX_ROUNDS = 2;

export interface CoalescingFigures {
  reads: number;
  accountCalls: number;
  tokenCalls: number;
}

/** Counts the calls to the chain during concurrent reads of one wallet. */
export async function measureCoalescing(folder: string): Promise<CoalescingFigures> {
  const owner = await startApp(`${folder}/coalescing-sandbox`);
  const proxy = await startCountingProxy(owner.rpc);
  const app = await startApp(`${folder}/coalescing`, await sandboxAt(owner.rpc, proxy.url));
  try {
    const [wallet] = await makeWallets(app.url, 1);
    // Waits until the answer that the last step cached has expired.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    proxy.counts.clear();
    const reads = Array.from({ length: READS }, async (_, i) => {
      const headers = { "x-forwarded-for": `10.9.${i >> 8}.${i & 255}` };
      const response = await fetch(`${app.url}/api/portfolio/${wallet!.serviceWallet}`, { headers });
      const { ok } = (await response.json()) as { ok: boolean };
      if (!ok) throw new Error(`a concurrent portfolio read was answered ${response.status}`);
    });
    await Promise.all(reads);
    return {
      reads: READS,
      accountCalls: proxy.counts.get("getMultipleAccounts") ?? 0,
      tokenCalls: proxy.counts.get("getTokenAccountsByOwner") ?? 0,
    };
  } finally {
    await app.stop();
    proxy.stop();
    await owner.stop();
  }
}

/** Starts a proxy between an app and the sandbox that counts JSON-RPC calls by method. */
async function startCountingProxy(target: string) {
  const counts = new Map<string, number>();
  const server = createServer(async (incoming, outgoing) => {
    const body = await readAll(incoming);
    const method = /"method":"(\w+)"/.exec(body.toString())?.[1];
    if (method) counts.set(method, (counts.get(method) ?? 0) + 1);
    const onward = httpRequest(target + incoming.url, { method: incoming.method, headers: incoming.headers });
    onward.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function coalescingChecks({ reads, accountCalls, tokenCalls }: CoalescingFigures): Check[] {
  return [
    {
      name: `${reads} concurrent portfolio reads of one wallet`,
      target: `≤ ${MAX_ROUNDS} rounds of upstream calls`,
      found: `${accountCalls} account reads, ${tokenCalls} token reads`,
      ok: accountCalls > 0 && accountCalls <= MAX_ROUNDS && tokenCalls <= 2 * MAX_ROUNDS,
    },
  ];
}
