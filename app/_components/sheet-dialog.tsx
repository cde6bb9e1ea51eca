"use client";

import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { CloseSheetContext, useCloseOnBack } from "./close-on-back";
import { CrashBoundary } from "./crash-boundary";

export interface SheetProps {
  open: boolean;
  onClose: () => void;
  title: string;
  description?: ReactNode;
  /** Prevents closing while an irrevocable action is running. */
  isLocked?: boolean;
  /** Receives the focus on closing if the opener is disabled or gone. */
  finalFocus?: RefObject<HTMLElement | null>;
  /** True if the opener is about to disappear. */
  isOpenerGoing?: boolean;
  children: ReactNode;
}

/** A second click on the backdrop must not close the sheet, ms. Not every browser counts taps as it counts clicks. */
const DOUBLE_TAP_MS = 500;

/** A modal sheet. Escape, the backdrop and Back close it unless it is locked. */
export function SheetDialog({ open, onClose, title, description, isLocked = false, children, ...focus }: SheetProps) {
  useCloseOnBack(open, isLocked, onClose);
  useHeadingFocus(open);
  const findFinalFocus = useFinalFocus(open, focus);
  const openedAtRef = useRef(0);
  useEffect(() => {
    if (open) openedAtRef.current = performance.now();
  }, [open]);
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(willBeOpen, { reason, event }) => {
        const isDoubleClick =
          reason === "outside-press" &&
          // Use the time of the press: a busy page may handle the event much later.
          (event.detail > 1 || event.timeStamp - openedAtRef.current < DOUBLE_TAP_MS);
        if (!willBeOpen && !isLocked && !isDoubleClick) onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/55" />
        <Dialog.Popup
          finalFocus={findFinalFocus}
          className="fixed inset-x-0 bottom-0 z-50 flex max-h-[92dvh] flex-col overflow-hidden rounded-t-3xl border border-line bg-card sm:inset-0 sm:m-auto sm:h-fit sm:w-[32rem] sm:rounded-3xl"
        >
          <div className="sheet-scroll min-h-0 overflow-y-auto p-5 sm:p-7">
            <div className="mb-4 flex items-start justify-between gap-4">
              <div>
                <Dialog.Title className="text-xl font-semibold">{title}</Dialog.Title>
                {description && <Dialog.Description className="mt-1 text-soft">{description}</Dialog.Description>}
              </div>
              {!isLocked && (
                <Dialog.Close
                  aria-label="Close"
                  className="-mr-2 -mt-2 grid size-11 shrink-0 place-items-center rounded-full text-xl text-soft hover:bg-raised"
                >
                  <span aria-hidden="true">×</span>
                </Dialog.Close>
              )}
            </div>
            <CloseSheetContext value={onClose}>
              {/* The title names the step of a payment. The next step may show what this one could not. */}
              <CrashBoundary attempt={title}>{children}</CrashBoundary>
            </CloseSheetContext>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Chooses the element to focus when the sheet closes; true means the dialog's own choice. */
function useFinalFocus(
  open: boolean,
  { finalFocus, isOpenerGoing = false }: Pick<SheetProps, "finalFocus" | "isOpenerGoing">,
) {
  const openerRef = useRef<Element | null>(null);
  const isOpenerGoingRef = useRef(false);
  useLayoutEffect(() => {
    if (open) openerRef.current = document.activeElement;
  }, [open]);
  // Remember the value: the page resets it when the sheet closes.
  useLayoutEffect(() => {
    if (open) isOpenerGoingRef.current = isOpenerGoing;
  }, [open, isOpenerGoing]);
  return () => {
    const element = openerRef.current;
    const canFocus =
      element instanceof HTMLElement && element.isConnected && element.matches(":enabled, a, [tabindex]");
    return canFocus && !isOpenerGoingRef.current ? element : (finalFocus?.current ?? true);
  };
}

/** Focuses the heading of the page that a link in the sheet opened. */
function useHeadingFocus(open: boolean): void {
  const wasOpenRef = useRef(open);
  useEffect(() => {
    wasOpenRef.current = open;
  }, [open]);
  useEffect(
    () => () => {
      if (!wasOpenRef.current) return;
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>("main h1")?.focus();
      });
    },
    [],
  );
}
