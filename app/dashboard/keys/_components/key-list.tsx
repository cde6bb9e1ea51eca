"use client";

import { Fragment, useState } from "react";
import { calls } from "@/app/_client/queries/calls";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, SecondaryButton } from "@/app/_components/button";
import { Sheet } from "@/app/_components/sheet";
import { Failure } from "@/app/_components/state-view";
import { useTask } from "@/app/_components/use-task";
import type { DataOf } from "@/lib/contracts/define";
import type { listKeysContract } from "@/lib/contracts/list-keys";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { formatDay, formatTime } from "../../_components/activity-words";

type ApiKey = DataOf<typeof listKeysContract>["keys"][number];

export const getKeyName = ({ name, id }: Pick<ApiKey, "name" | "id">) => name ?? `Key ${id.slice(0, 6)}`;

const listLifetimeParts = ({ createdAt, expiresAt, lastUsedAt }: ApiKey) => [
  `Created ${formatDay(createdAt)}`,
  `expires ${formatDay(expiresAt)}`,
  lastUsedAt ? `last used ${formatTime(lastUsedAt)}` : "not used yet",
];

export function KeyList({ keys, onRevoked }: { keys: ApiKey[]; onRevoked: (id: string) => void }) {
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKey | null>(null);
  return (
    <>
      <ul className="divide-y divide-line">
        {keys.map((key) => (
          <li key={key.id} className="flex items-center justify-between gap-4 py-4 first:pt-0 last:pb-0">
            <div className="min-w-0">
              <p className="break-words font-medium">{getKeyName(key)}</p>
              <p className="text-sm text-soft">
                {listLifetimeParts(key).map((part, i) => (
                  <Fragment key={part}>
                    {i > 0 && ", "}
                    <span className="whitespace-nowrap">{part}</span>
                  </Fragment>
                ))}
              </p>
            </div>
            <Button
              variant="danger"
              className="shrink-0"
              onClick={() => setKeyToRevoke(key)}
              aria-label={`Revoke ${getKeyName(key)}`}
            >
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {keyToRevoke && <RevokeSheet apiKey={keyToRevoke} onClose={() => setKeyToRevoke(null)} onRevoked={onRevoked} />}
    </>
  );
}

interface RevokeSheetProps {
  apiKey: ApiKey;
  onClose: () => void;
  onRevoked: (id: string) => void;
}

function RevokeSheet({ apiKey, onClose, onRevoked }: RevokeSheetProps) {
  const { credentials } = useReadySession();
  const { run, isBusy, error } = useTask(async () => {
    try {
      await calls.delete(`/api/keys/${apiKey.id}`, { credentials });
    } catch (failure) {
      // A key that is already gone, revoked in another tab or expired, needs no error.
      if (!(failure instanceof ApiError) || failure.code !== "not_found") throw failure;
    }
    onClose();
    onRevoked(apiKey.id);
  });
  return (
    <Sheet
      open
      onClose={onClose}
      isLocked={isBusy}
      title={`Revoke the key “${getKeyName(apiKey)}”?`}
      description="Anything that uses this key stops working. You cannot undo this."
    >
      {error instanceof ApiError && <Failure error={error} retry={run} title="The key was not revoked" />}
      <div className="mt-5 flex flex-wrap gap-3">
        <Button variant="danger" isBusy={isBusy} onClick={run}>
          Revoke key
        </Button>
        <SecondaryButton onClick={onClose} disabled={isBusy}>
          Keep key
        </SecondaryButton>
      </div>
    </Sheet>
  );
}
