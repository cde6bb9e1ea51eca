"use client";

import { useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
import { Button } from "@/app/_components/button";
import { useApproval } from "./approval";
import { useSession } from "./session";
import { SigningRequestView } from "./signing-request-view";
import { readTransactionEffects } from "./transaction-effects";

/** The demo wallet's approval dialog: native and modal, so it renders above any open sheet. */
export function ApprovalDialog() {
  const approval = useApproval();
  const { wallet, serviceWallet } = useSession();
  const dialogRef = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    if (!approval) return;
    dialogRef.current?.showModal();
    // Decline on the Back button: the page that made the request is about to change.
    const declineRequest = () => approval.answer(false);
    window.addEventListener("popstate", declineRequest);
    return () => window.removeEventListener("popstate", declineRequest);
  }, [approval]);
  if (!approval) return null;
  const { request, answer } = approval;
  // A transaction that cannot be shown must not be approved.
  const isReadable =
    "text" in request ||
    (wallet !== null && readTransactionEffects(request.transaction, wallet, serviceWallet) !== null);
  return createPortal(
    <dialog
      key={JSON.stringify(request)}
      ref={dialogRef}
      aria-labelledby={titleId}
      onCancel={() => answer(false)}
      // Without this, Escape would also close the sheet below.
      onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
      className="m-0 mt-auto max-h-[92dvh] w-full max-w-none overflow-y-auto rounded-t-3xl border border-line bg-card p-5 text-ink backdrop:bg-black/55 sm:m-auto sm:w-[28rem] sm:rounded-3xl sm:p-7"
    >
      <p className="text-sm text-soft">Demo wallet</p>
      <h2 id={titleId} className="mb-4 text-xl font-semibold">
        {"text" in request ? "Sign this text?" : "Sign this payment?"}
      </h2>
      <SigningRequestView request={request} />
      {"text" in request && <p className="mt-3 text-soft">This is a message. It moves no money.</p>}
      <div className="mt-5 flex flex-wrap gap-3">
        <Button disabled={!isReadable} onClick={() => answer(true)} className="grow sm:grow-0">
          Approve
        </Button>
        <Button variant="secondary" onClick={() => answer(false)} className="grow sm:grow-0">
          Decline
        </Button>
      </div>
    </dialog>,
    document.body,
  );
}
