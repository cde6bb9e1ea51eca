"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { VersionedTransaction } from "@solana/web3.js";
import { useCallback, useRef, useState } from "react";
import type { buildWrapContract } from "@/lib/contracts/build-wrap";
import type { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { fromBase64, toBase64 } from "@/lib/domain/bytes";
import type { PlanName } from "@/lib/domain/plans";
import { type AnswerOf, ApiError, postJson } from "./api";
import { lazily } from "./flow";
import { noteSaved } from "./guards";
import { refreshWallets } from "./reads";
import { type Landed, relay } from "./relay";
import { useReadySession, WrongAccountError } from "./session";
import { isSignedBy } from "./signing";

export type Wrap = AnswerOf<typeof buildWrapContract>;

export interface SaveRequest {
  /** USD; one purchase, or up to 500. */
  purchases: number[];
  plan?: PlanName;
  roundToUsd?: number;
  ceiling?: number;
}

export type SavePhase = "idle" | "building" | "review" | "signing" | "sending" | "confirming" | "done" | "failed";

interface SaveState {
  phase: SavePhase;
  wrap: Wrap | null;
  landed: Landed | null;
  /** ApiError, NotAsShown, or what the wallet threw. */
  error: unknown;
  /** What the person should know about the last turn of things. */
  note: string | null;
}

const IDLE: SaveState = { phase: "idle", wrap: null, landed: null, error: null, note: null };

/** What the chain did not take and what is safe to build anew. */
const STALE = new Set(["transaction_expired", "simulation_failed"]);
const BUILT_ANEW =
  "It was not taken in time, so nothing was sent and nothing was charged. It was built anew: look once more.";

/** One saving from build to confirmation: built by the service, checked here, signed by the wallet, relayed. */
export function useSave() {
  const { wallet, serviceWallet, credentials } = useReadySession();
  const { signTransaction } = useWallet();
  const [state, setState] = useState<SaveState>(IDLE);
  const request = useRef<SaveRequest | null>(null);
  /** Bytes whose outcome is not known: they are asked about again, never built anew. */
  const inFlight = useRef<string | null>(null);

  const build = useCallback(
    async (next: SaveRequest, note: string | null = null) => {
      request.current = next;
      inFlight.current = null;
      setState({ ...IDLE, phase: "building", note });
      try {
        const { purchases, ...terms } = next;
        const common = { ...terms, userPubkey: wallet, serviceWalletPubkey: serviceWallet };
        const wrap =
          purchases.length === 1
            ? await postJson<typeof buildWrapContract>(
                "/api/wrap",
                { ...common, txValueUsd: purchases[0]! },
                credentials,
              )
            : await postJson<typeof buildWrapBatchContract>(
                "/api/wrap/batch",
                { ...common, txValuesUsd: purchases },
                credentials,
              );
        setState({ ...IDLE, phase: "review", wrap, note });
      } catch (error) {
        setState({ ...IDLE, phase: "failed", error });
      }
    },
    [wallet, serviceWallet, credentials],
  );

  const follow = useCallback(
    async (wrap: Wrap, signed: string) => {
      inFlight.current = signed;
      setState((now) => ({ ...now, phase: "sending", error: null, note: null }));
      try {
        const landed = await relay(signed, credentials, (phase) => setState((now) => ({ ...now, phase })));
        inFlight.current = null;
        noteSaved(wallet, wrap.breakdown.roundUpUsd);
        refreshWallets(wallet, serviceWallet);
        setState({ ...IDLE, phase: "done", wrap, landed });
      } catch (error) {
        const refused = error instanceof ApiError && error.status >= 400 && error.status < 429;
        if (refused) inFlight.current = null;
        if (refused && STALE.has(error.code) && request.current) return build(request.current, BUILT_ANEW);
        setState((now) => ({ ...now, phase: "failed", error }));
      }
    },
    [wallet, serviceWallet, credentials, build],
  );

  const confirm = useCallback(async () => {
    const { wrap } = state;
    if (!wrap?.transaction || !signTransaction) return;
    setState((now) => ({ ...now, phase: "signing", error: null, note: null }));
    try {
      const { verifyWrap } = await lazily(() => import("./verify-wrap"));
      verifyWrap(wrap, wallet, serviceWallet);
      const unsigned = VersionedTransaction.deserialize(fromBase64(wrap.transaction.base64)!);
      const signed = (await signTransaction(unsigned)).serialize();
      if (!isSignedBy(signed, wallet)) throw new WrongAccountError();
      await follow(wrap, toBase64(signed));
    } catch (error) {
      setState((now) => ({ ...now, phase: "review", error }));
    }
  }, [state, signTransaction, wallet, serviceWallet, follow]);

  const retry = useCallback(() => {
    if (inFlight.current && state.wrap) return void follow(state.wrap, inFlight.current);
    if (request.current) void build(request.current);
  }, [build, follow, state.wrap]);

  const reset = useCallback(() => setState(IDLE), []);
  return {
    ...state,
    outcomeUnknown: state.phase === "failed" && inFlight.current !== null,
    build,
    confirm,
    retry,
    reset,
  };
}

export type Save = ReturnType<typeof useSave>;
