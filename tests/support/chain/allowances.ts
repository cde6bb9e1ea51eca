import { ASSETS } from "../../../lib/domain/assets";
import { post, postSigned, readData, signTransaction } from "../client/client";
import { createSaver, type Saver } from "./chain";
import { buyFromMarket } from "./tokens";

/* Allowances of wallets on the sandbox chain, through the service. */

/** Creates a saver whose wallet holds USDC of half a SOL. */
export async function createUsdcSaver(): Promise<Saver> {
  const saver = await createSaver();
  await buyFromMarket(saver.user, ASSETS.USDC.mint, 500_000_000);
  return saver;
}

export const requestAllowance = ({ user, serviceWallet }: Saver, amountUsd: number) => {
  const body = { userPubkey: user.address, serviceWalletPubkey: serviceWallet.address, amountUsd };
  return post("/api/allowance/build", body, { headers: user.headers });
};

/** Lets the service wallet take USDC of the user. @returns the costs */
export async function allow(saver: Saver, amountUsd: number) {
  const { user } = saver;
  const { transaction, breakdown } = await readData(requestAllowance(saver, amountUsd));
  await readData(postSigned(signTransaction(transaction!.base64, user.keys), user.headers));
  return breakdown;
}
