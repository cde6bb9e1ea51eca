import { join } from "node:path";
import { toNetwork } from "../../domain/signed-texts";
import { createRoundup, type Roundup, type RoundupOptions } from "../../sdk/index";
import type { Clock, Lock, Storage } from "../../sdk/platform";
import { toDeployment } from "../../sdk/sign/texts";
import { findWalletAddressFault } from "../../solana/ed25519";
import type { Io } from "../io";
import { createPriceSource, type PriceOptions } from "../price-check";
import { UsageError, withUsageErrors } from "../usage-error";
import { createFileLock, createFileStorage, findBaseFolder } from "./file-storage";
import { readWalletFile } from "./key-file";

export interface GlobalOptions extends PriceOptions {
  url?: string;
  origin?: string;
  keypair?: string;
  /** Address of the user's own wallet, if the key file is only its service wallet's. */
  wallet?: string;
  json?: boolean;
  yes?: boolean;
}

export interface Session {
  roundup: Roundup;
  wallet: string;
  storage: Storage;
  lock: Lock;
  clock: Clock;
}

/** The rate limit counts the last 60 s, so a longer wait never helps. */
const MAX_WAIT_MS = 60_000;

export const DEFAULT_URL = "http://localhost:3000";

/** @throws {UsageError} on an invalid option, or when the state folder cannot be created */
export function openService(globals: GlobalOptions, io: Io) {
  const baseUrl = globals.url ?? DEFAULT_URL;
  if (!/^https?:$/.test(URL.canParse(baseUrl) ? new URL(baseUrl).protocol : ""))
    throw new UsageError("--url is one like https://roundup.example.");
  // A service on this machine must be a sandbox, or the SDK refuses to sign its texts.
  const origin = globals.origin ?? (isLocal(baseUrl) ? "sandbox" : new URL(baseUrl).origin);
  const deployment = withUsageErrors(() => toDeployment(origin));
  if (isExposed(baseUrl) && toNetwork(deployment) !== "sandbox")
    throw new UsageError(
      "Over plain http anybody on the way could take your sign-in: --url must be https. A sandbox elsewhere needs --origin sandbox.",
    );
  // Each deployment has its own folder: an action that is unfinished in one must not affect another.
  const { folder: stateHome, advice } = findBaseFolder(io, "XDG_STATE_HOME");
  const folder = join(stateHome, "roundup", encodeURIComponent(deployment));
  const lock = withUsageErrors(() => createFileLock(folder, { advice }));
  return { baseUrl, origin, storage: createFileStorage(folder, advice), lock };
}

/** @throws {UsageError} on an invalid option or key file */
export function openSession(
  globals: GlobalOptions,
  io: Io,
  options: Pick<RoundupOptions, "retries" | "acceptPrices" | "onLimit" | "maxWaitMs"> = {},
): Session {
  const service = openService(globals, io);
  const wallet = readWallet(globals, io);
  const { wallet: owner } = globals;
  const ownerFault = owner === undefined ? null : findWalletAddressFault(owner);
  if (ownerFault !== null) throw new UsageError(`--wallet ${ownerFault}.`);
  if (owner === wallet.address)
    throw new UsageError(
      "--keypair is the key of --wallet itself. Leave out --wallet, or name its savings wallet's key file.",
    );
  const { fetch, clock } = io;
  const priceSource = createPriceSource(globals, io);
  const onLimit = (ms: number) => io.say(`Rate limit reached. It ends in ${Math.ceil(ms / 1000)} s.`);
  const defaults = { onLimit, maxWaitMs: MAX_WAIT_MS };
  const roundup = createRoundup({ ...defaults, ...options, ...service, wallet, owner, fetch, clock, priceSource });
  return { roundup, wallet: owner ?? wallet.address, storage: service.storage, lock: service.lock, clock };
}

/** @throws {UsageError} */
export const readWallet = ({ keypair }: Pick<GlobalOptions, "keypair">, { home }: Pick<Io, "home">) =>
  readWalletFile(keypair ?? join(home, ".config/solana/id.json"));

const isLocal = (baseUrl: string) => ["localhost", "127.0.0.1", "[::1]"].includes(new URL(baseUrl).hostname);

/** Returns whether others on the network could read the sign-in signature of each call, which does not expire. */
const isExposed = (baseUrl: string) => new URL(baseUrl).protocol === "http:" && !isLocal(baseUrl);
