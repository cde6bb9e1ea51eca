"use client";

import { useWallet } from "@solana/wallet-adapter-react";
import { VersionedTransaction } from "@solana/web3.js";
import { useCallback, useRef, useState } from "react";
import { usdExactText } from "@/app/_components/money";
import type { buildWrapContract } from "@/lib/contracts/build-wrap";
import type { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import type { PlanName } from "@/lib/domain/plans";
import { type AnswerOf, ApiError, type Credentials, postJson } from "@/lib/sdk/calls/calls";
import { lazily } from "@/lib/sdk/flow/engine";
import { type Landed, relay } from "@/lib/sdk/flow/relay";
import type { Unfinished } from "@/lib/sdk/flow/unfinished";
import { isSignedBy } from "@/lib/sdk/sign/transactions";
import { fromBase64, toBase64 } from "@/lib/solana/bytes";
import { alone } from "./kept/alone";
import { noteSaved } from "./kept/guards";
import { keepUnfinished, useUnfinished } from "./kept/unfinished";
import { refreshWallets } from "./reads/reads";
import { useReadySession, WrongAccountError } from "./wallet/session";

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

type Sent = Unfinished<SaveRequest, Wrap>;

/**
 * One saving from build to confirmation: built by the service, checked here, signed by the wallet, relayed. What is sent
 * is remembered until its outcome is known: it is asked about again, over reloads too, and nothing is built meanwhile.
 */
export function useSave() {
  const { wallet, serviceWallet, credentials } = useReadySession();
  const { signTransaction } = useWallet();
  const [state, setState] = useState<SaveState>(IDLE);
  const unfinished = useUnfinished<SaveRequest, Wrap>("save", wallet);
  const request = useRef<SaveRequest | null>(null);
  /** Raised by everything that makes answers to earlier questions unwanted. */
  const turn = useRef(0);

  const build = useCallback(
    async (next: SaveRequest, note: string | null = null) => {
      turn.current += 1;
      const own = turn.current;
      request.current = next;
      setState({ ...IDLE, phase: "building", note });
      try {
        const wrap = await buildWrap(next, { userPubkey: wallet, serviceWalletPubkey: serviceWallet }, credentials);
        if (own === turn.current) setState({ ...IDLE, phase: "review", wrap, note });
      } catch (error) {
        if (own === turn.current) setState({ ...IDLE, phase: "failed", error });
      }
    },
    [wallet, serviceWallet, credentials],
  );

  const follow = useCallback(
    async (sent: Sent) => {
      const { about: wrap, signed } = sent.inFlight!;
      setState({ ...IDLE, phase: "sending", wrap });
      try {
        keepUnfinished("save", wallet, sent);
        const landed = await relay(signed, credentials, (phase) => setState((now) => ({ ...now, phase })));
        keepUnfinished("save", wallet, null);
        noteSaved(wallet, wrap.breakdown.roundUpUsd);
        refreshWallets(wallet, serviceWallet);
        setState({ ...IDLE, phase: "done", wrap, landed });
      } catch (error) {
        const refused = error instanceof ApiError && error.status >= 400 && error.status < 429;
        if (refused) keepUnfinished("save", wallet, null);
        if (refused && STALE.has(error.code)) return build(sent.request, BUILT_ANEW);
        setState((now) => ({ ...now, phase: "failed", error }));
      }
    },
    [wallet, serviceWallet, credentials, build],
  );

  /** @throws when another tab is at it */
  const followAlone = useCallback(
    async (sent: Sent) => {
      if (await alone(`roundup-save:${wallet}`, () => follow(sent))) return;
      throw new ApiError(
        "offline",
        "Another tab of this page is saving right now. Try again when it is done.",
        0,
        null,
      );
    },
    [wallet, follow],
  );

  const confirm = useCallback(async () => {
    const { wrap } = state;
    if (!wrap?.transaction || !signTransaction) return;
    const own = turn.current;
    setState((now) => ({ ...now, phase: "signing", error: null, note: null }));
    try {
      const { verifyWrap } = await lazily(() => import("@/lib/sdk/verify/wrap"));
      verifyWrap(wrap, wallet, serviceWallet);
      const unsigned = VersionedTransaction.deserialize(fromBase64(wrap.transaction.base64)!);
      const signed = (await signTransaction(unsigned)).serialize();
      // Cancelled here while the wallet still asked: what it signed goes nowhere.
      if (own !== turn.current) return;
      if (!isSignedBy(signed, wallet)) throw new WrongAccountError();
      const inFlight = {
        label: `Round-up of ${usdExactText(wrap.breakdown.roundUpUsd)}`,
        about: wrap,
        signed: toBase64(signed),
      };
      await followAlone({ request: request.current!, done: [], inFlight });
    } catch (error) {
      if (own === turn.current) setState((now) => ({ ...now, phase: "review", error }));
    }
  }, [state, signTransaction, wallet, serviceWallet, followAlone]);

  /** Asks what became of what was sent, else builds once more. */
  const retry = useCallback(async () => {
    if (!unfinished?.inFlight) return request.current ? build(request.current) : undefined;
    const wrap = unfinished.inFlight.about;
    await followAlone(unfinished).catch((error) => setState({ ...IDLE, phase: "failed", wrap, error }));
  }, [build, followAlone, unfinished]);

  const reset = useCallback(() => {
    turn.current += 1;
    setState(IDLE);
  }, []);
  const discard = useCallback(() => keepUnfinished("save", wallet, null), [wallet]);
  return {
    ...state,
    /** Sent by this browser, outcome not known yet. */
    unfinished,
    build,
    confirm,
    retry,
    reset,
    discard,
  };
}

export type Save = ReturnType<typeof useSave>;

function buildWrap(
  { purchases, ...terms }: SaveRequest,
  wallets: { userPubkey: string; serviceWalletPubkey: string },
  credentials: Credentials,
): Promise<Wrap> {
  const common = { ...terms, ...wallets };
  const [first] = purchases;
  return purchases.length === 1
    ? postJson<typeof buildWrapContract>("/api/wrap", { ...common, txValueUsd: first! }, credentials)
    : postJson<typeof buildWrapBatchContract>("/api/wrap/batch", { ...common, txValuesUsd: purchases }, credentials);
}
