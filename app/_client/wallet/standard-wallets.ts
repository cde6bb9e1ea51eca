"use client";

import { isWalletAdapterCompatibleStandardWallet } from "@solana/wallet-adapter-base";
import { StandardWalletAdapter } from "@solana/wallet-standard-wallet-adapter-base";
import { getWallets } from "@wallet-standard/app";
import type { Wallet } from "@wallet-standard/base";
import { useEffect, useMemo, useRef, useState } from "react";
import { chooseName, createNamedWallet } from "./named-wallet";

interface NamedAdapter {
  wallet: Wallet;
  adapter: StandardWalletAdapter;
}

/**
 * Replaces @solana/wallet-standard-wallet-adapter-react (see next.config.mjs) in WalletProvider, which selects a wallet
 * by its name: the original would connect the first of two wallets with one name.
 */
export function useStandardWalletAdapters(): StandardWalletAdapter[] {
  const [namedAdapters, setNamedAdapters] = useState(() => addNewWallets([]));
  useEffect(() => {
    const { on } = getWallets();
    const addRegistered = () => setNamedAdapters(addNewWallets);
    const unsubscribers = [
      on("register", addRegistered),
      on("unregister", (...wallets) =>
        setNamedAdapters((current) => current.filter(({ wallet }) => !wallets.includes(wallet))),
      ),
    ];
    // A wallet may have registered between the first render and this effect.
    addRegistered();
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  }, []);
  return useLiveAdapters(namedAdapters);
}

/** Adds an adapter for each new wallet. Returns the same list if there is none. */
function addNewWallets(current: NamedAdapter[]): NamedAdapter[] {
  const names: string[] = current.map(({ adapter }) => adapter.name);
  const added: NamedAdapter[] = [];
  for (const wallet of getWallets().get()) {
    const isKnown = current.some((known) => known.wallet === wallet);
    if (isKnown || !isWalletAdapterCompatibleStandardWallet(wallet)) continue;
    const name = chooseName(wallet, names);
    names.push(name);
    added.push({ wallet, adapter: new StandardWalletAdapter({ wallet: createNamedWallet(wallet, name) }) });
  }
  return added.length === 0 ? current : [...current, ...added];
}

/** The list changes only with its content. Destroys dropped adapters. */
function useLiveAdapters(namedAdapters: NamedAdapter[]): StandardWalletAdapter[] {
  const adapters = useMemo(() => namedAdapters.map(({ adapter }) => adapter), [namedAdapters]);
  const liveAdaptersRef = useRef(adapters);
  useEffect(() => {
    for (const adapter of liveAdaptersRef.current) if (!adapters.includes(adapter)) adapter.destroy();
    liveAdaptersRef.current = adapters;
  }, [adapters]);
  useEffect(
    () => () => {
      for (const adapter of liveAdaptersRef.current) adapter.destroy();
    },
    [],
  );
  return adapters;
}
