import { z } from "zod";
import { ASSET_SYMBOLS } from "../../domain/assets";
import { listSandboxShops } from "../../domain/spending/shops";
import { DAY_MS } from "../../domain/time";
import { AppError, createFieldError } from "../../errors";
import type { Faucet } from "../../ports/faucet";
import type { PriceHistory } from "../../ports/prices";
import { createPriceHistory } from "../prices/price-history";
import { createJsonRpc, type JsonRpcOptions, type RpcError, toRpcError } from "../solana/json-rpc";

export function createFaucet(options: Omit<JsonRpcOptions, "upstream">): Faucet {
  const rpc = createJsonRpc({ ...options, upstream: "faucet" });
  return {
    async airdrop(address, lamports) {
      const params = [address, Number(lamports)];
      const options = { toAppError: toAirdropError };
      return { txSignature: await rpc.call("requestAirdrop", params, z.string().max(100), options) };
    },
    async airdropUsdc(address, amount) {
      return { txSignature: await rpc.call("sandbox_airdropUsdc", [address, Number(amount)], z.string().max(100)) };
    },
    addPastPayments(address) {
      const params = [address, listSandboxShops().map((shop) => shop.address)];
      return rpc.call("sandbox_addPastPayments", params, z.int().nonnegative(), { toAppError: toPastPaymentsError });
    },
  };
}

/** Maps a failed airdrop. With a checked address, only the amount can make the preflight (-32002) fail. */
function toAirdropError(error: RpcError): AppError {
  if (error.code !== -32002) return toRpcError(error);
  return createFieldError(
    "sol",
    "must leave the wallet with at least the rent-exempt minimum, or Solana does not open its account",
  );
}

/** Maps a failed request for past payments. Only an address that is not a wallet makes the parameters (-32602) invalid. */
function toPastPaymentsError(error: RpcError): AppError {
  if (error.code !== -32602) return toRpcError(error);
  return new AppError("invalid_address", {
    message: "address: that is the address of a token account, a mint or a program, which pays nobody.",
  });
}

const MAX_PRICES_BYTES = 262_144;

const DailyPrices = z.record(z.enum(ASSET_SYMBOLS), z.array(z.number().positive()));

export function createSandboxPrices(options: Omit<JsonRpcOptions, "upstream">): PriceHistory {
  const rpc = createJsonRpc({ ...options, upstream: "sandbox" });
  return createPriceHistory({
    clock: options.clock,
    async loadDays(firstDay, lastDay) {
      const pricesByAsset = await rpc.call("sandbox_dailyPrices", [firstDay, lastDay - firstDay + 1], DailyPrices, {
        maxBytes: MAX_PRICES_BYTES,
      });
      return pricesByAsset.SOL.map((_, i) => ({
        time: (firstDay + i) * DAY_MS,
        usd: Object.fromEntries(ASSET_SYMBOLS.map((asset) => [asset, pricesByAsset[asset][i]!])),
        source: "sandbox",
      }));
    },
  });
}
