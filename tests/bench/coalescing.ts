import { setTimeout } from "node:timers/promises";
import { startCountingProxy } from "./counting-proxy";
import { readSandboxSettings, startApp } from "./measured-server";
import type { Check } from "./report";
import { createUsers } from "./users";

/** Number of concurrent reads of one wallet. */
const READ_COUNT = 500;
/** Maximum rounds of upstream calls. A round reads the accounts once, and the token accounts once per token program. */
const MAX_ROUNDS = 2;

export interface CoalescingFigures {
  /** Number of calls to the chain that the concurrent reads caused. */
  accountCalls: number;
  tokenCalls: number;
}

/** Counts the calls to the chain during concurrent reads of one wallet. */
export async function measureCoalescing(folder: string): Promise<CoalescingFigures> {
  const sandboxApp = await startApp(`${folder}/coalescing-sandbox`);
  const proxy = await startCountingProxy(sandboxApp.rpcUrl);
  const app = await startApp(`${folder}/coalescing`, await readSandboxSettings(sandboxApp.rpcUrl, proxy.url));
  try {
    const [user] = await createUsers(app.url, 1);
    // Wait until the cached answer of the last step has expired.
    await setTimeout(1_000);
    proxy.clear();
    const reads = Array.from({ length: READ_COUNT }, async (_, i) => {
      const headers = { "x-forwarded-for": `10.9.${i >> 8}.${i & 255}` };
      const response = await fetch(`${app.url}/api/portfolio/${user!.serviceWallet}`, { headers });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`a concurrent portfolio read was answered ${response.status}`);
    });
    await Promise.all(reads);
    return {
      accountCalls: proxy.callCounts.get("getMultipleAccounts") ?? 0,
      tokenCalls: proxy.callCounts.get("getTokenAccountsByOwner") ?? 0,
    };
  } finally {
    await app.stop();
    proxy.stop();
    await sandboxApp.stop();
  }
}

export function checkCoalescing({ accountCalls, tokenCalls }: CoalescingFigures): Check[] {
  return [
    {
      name: `${READ_COUNT} concurrent portfolio reads of one wallet`,
      target: `≤ ${MAX_ROUNDS} rounds of upstream calls`,
      measured: `${accountCalls} account reads, ${tokenCalls} token reads`,
      isMet: accountCalls > 0 && accountCalls <= MAX_ROUNDS && tokenCalls <= 2 * MAX_ROUNDS,
    },
  ];
}
