import { expect } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import type { Deps } from "../../../lib/ports/deps";
import {
  buildApproveChecked,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../../lib/solana/token-instructions";
import { createEmbeddedSandbox } from "../chain/embedded-sandbox";
import { ONE_SOL } from "../chain/sandbox-rig";
import { toTestWallet } from "../fixtures/test-wallets";
import { stranger, user } from "./relay-rig";

/* The sandbox's real Token program, on which a card is the delegate of the user's USDC account. */

const { USDC } = ASSETS;
export const card = toTestWallet("card");
export const shop = stranger;
export const [userUsdc, shopUsdc] = [user, shop].map(({ address }) =>
  deriveAssociatedTokenAddress(address, USDC.mint),
) as [string, string];
export const toUnits = (usd: number) => BigInt(Math.round(usd * 10 ** USDC.decimals));

/** Builds the card's transfer out of the user's account. It does not name the user. */
export const buildPull = (usd: number, destination = shopUsdc) =>
  buildTransferChecked({ source: userUsdc, destination, authority: card.address, ...USDC, amount: toUnits(usd) });

/** Counts the calls to the node's port while `work` runs, by method. */
export async function countCalls(deps: Deps, work: () => Promise<unknown>): Promise<Record<string, number>> {
  const { rpc } = deps;
  const counts: Record<string, number> = {};
  deps.rpc = new Proxy(rpc, {
    get(target, method: string) {
      if (method !== "getSlotTime" && method !== "invalidate") counts[method] = (counts[method] ?? 0) + 1;
      return Reflect.get(target, method);
    },
  });
  await work();
  deps.rpc = rpc;
  return counts;
}

/** Creates the sandbox with a funded user and card. Unless told otherwise, the user has approved 100 USD for the card. */
export async function stagePulls({ isApproved = true } = {}) {
  const sandbox = createEmbeddedSandbox();
  const { chain, deps } = sandbox;
  for (const { address } of [user, card]) sandbox.setLamports(address, 100n * ONE_SOL);

  /** Sends a transaction, which its first signer pays. Returns its signature. */
  const sendNow = (...transaction: Parameters<typeof sandbox.sign>): string => {
    const signature = chain.send(sandbox.sign(...transaction));
    expect(chain.findTransaction(signature)).toMatchObject({ err: null });
    return signature;
  };
  const waitFor = async (signature: string) => {
    await deps.clock.advance(5_000);
    return signature;
  };
  /** Sends a transaction and waits until its slot is full. */
  const send = (...transaction: Parameters<typeof sendNow>) => waitFor(sendNow(...transaction));
  const world = {
    ...sandbox,
    sendNow,
    send,
    pull: (usd: number, destination?: string) => send([buildPull(usd, destination)], card),
    pay: (usd: number) => waitFor(sandbox.sendPayment(usd)),
    approve: (usd: number) => {
      const allowance = { account: userUsdc, delegate: card.address, owner: user.address };
      return send([buildApproveChecked({ ...allowance, ...USDC, amount: toUnits(usd) })], user);
    },
    countCalls: (work: () => Promise<unknown>) => countCalls(deps, work),
  };
  if (isApproved) await world.approve(100);
  return world;
}
