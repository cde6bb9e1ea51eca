"use client";

import { useEffect, useState } from "react";
import useSWR from "swr";
import { calls } from "@/app/_client/queries/calls";
import { useReadySession } from "@/app/_client/wallet/session";
import { Card } from "@/app/_components/card";
import { SkeletonLines } from "@/app/_components/skeleton";
import { EmptyState, ReadView } from "@/app/_components/state-view";
import type { DataOf } from "@/lib/contracts/define";
import type { listKeysContract } from "@/lib/contracts/list-keys";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { type CreatedKey, KeyForm, NewKey } from "./key-form";
import { KeyList } from "./key-list";

export function Keys() {
  const { wallet, credentials } = useReadySession();
  // The service shows a key only once, so a second key must not replace the first on the page.
  const [newKeys, setNewKeys] = useState<CreatedKey[]>([]);
  const [copiedIds, setCopiedIds] = useState<string[]>([]);
  useLeaveWarning(newKeys.some(({ id }) => !copiedIds.includes(id)));
  const read = useSWR<DataOf<typeof listKeysContract>, ApiError>(
    ["/api/keys", wallet],
    () => calls.get("/api/keys", { credentials }),
    { revalidateOnFocus: false },
  );
  const showNewKey = (key: CreatedKey) => {
    setNewKeys((earlierKeys) => [key, ...earlierKeys]);
    void read.mutate();
  };
  const hideNewKey = (id: string) => setNewKeys((keys) => keys.filter((key) => key.id !== id));
  const removeRevokedKey = (id: string) => {
    hideNewKey(id);
    void read.mutate();
  };

  return (
    <div className="space-y-6">
      <header>
        <h1 className="text-2xl font-semibold sm:text-3xl">API keys</h1>
        <p className="mt-1 max-w-2xl text-soft">
          A key lets a script or an agent call the API as your wallet. It can build transactions, but only your wallet
          can sign them, so a key alone moves no money.
        </p>
      </header>
      {newKeys.map((key) => (
        <NewKey
          key={key.id}
          createdKey={key}
          onCopied={() => setCopiedIds((ids) => [...ids, key.id])}
          onDone={() => hideNewKey(key.id)}
        />
      ))}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card title="Your keys">
          <ReadView
            read={read}
            failureTitle="Your keys could not be read"
            loading={<SkeletonLines lines={4} label="Loading your keys" />}
          >
            {({ keys }) =>
              keys.length > 0 ? (
                <KeyList keys={keys} onRevoked={removeRevokedKey} />
              ) : (
                <EmptyState title="No keys yet">
                  Generate one for each script or agent, so that you can revoke them one by one.
                </EmptyState>
              )
            }
          </ReadView>
        </Card>
        <Card title="Generate a key">
          <KeyForm keyCount={read.data?.keys.length ?? 0} onCreated={showNewKey} />
        </Card>
      </div>
    </div>
  );
}

const LEAVE_TEXT = "Leave without copying your new key? It cannot be shown again.";

/** While `isActive`, asks before a link, a reload or a closed tab removes what the page shows. */
function useLeaveWarning(isActive: boolean): void {
  useEffect(() => {
    if (!isActive) return;
    const listeners = new AbortController();
    const warnOnLink = (event: MouseEvent) => {
      const link = event.target instanceof Element && event.target.closest("a[href]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute("target") === "_blank") return;
      if (window.confirm(LEAVE_TEXT)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("click", warnOnLink, { capture: true, signal: listeners.signal });
    window.addEventListener("beforeunload", (event) => event.preventDefault(), { signal: listeners.signal });
    return () => listeners.abort();
  }, [isActive]);
}
