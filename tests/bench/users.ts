import pMap from "p-map";
import nacl from "tweetnacl";
import { signWithKey } from "../../lib/sdk/sign/transactions";
import * as service from "../e2e/support/service";

/** A signed-in user with money, and with a service wallet that has invested once. */
export interface BenchUser {
  address: string;
  headers: service.Saver["credentials"];
  serviceWallet: string;
  /** The secret key of the user's key pair, 64 bytes. */
  secretKey: Uint8Array;
}

const MAX_CONCURRENT_SETUPS = 5;

/** Creates users through the API alone, with the same calls as an app makes. */
export const createUsers = (baseUrl: string, count: number): Promise<BenchUser[]> =>
  pMap(Array.from({ length: count }), () => createUser(baseUrl), { concurrency: MAX_CONCURRENT_SETUPS });

async function createUser(baseUrl: string): Promise<BenchUser> {
  const saver = service.createSaver();
  const { wallet: address, credentials: headers, serviceWallet, keys } = saver;
  await service.registerServiceWallet(saver, baseUrl);
  await service.fund(address, 5, baseUrl);
  await service.fund(serviceWallet.address, 1, baseUrl);
  await service.investSavings(saver, "BTC", baseUrl);
  return { address, headers, serviceWallet: serviceWallet.address, secretKey: keys.secretKey };
}

/** Signs a transaction that has one signer. @param transaction base64 @returns base64 */
export const signTransaction = (transaction: string, secretKey: Uint8Array): string =>
  signWithKey(transaction, nacl.sign.keyPair.fromSecretKey(secretKey));

/** Calls the API from a client address that no other call uses. @throws Error with the answer when the call fails */
export const callApi = <Data>(
  baseUrl: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Data> => service.callApi(path, { body, headers, base: baseUrl });
