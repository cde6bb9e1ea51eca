"use client";

import dynamic from "next/dynamic";
import { useEffect, useRef } from "react";
import type { SheetProps } from "./sheet-dialog";

const importDialog = () => import("./sheet-dialog").then((module) => module.SheetDialog);
const SheetDialog = dynamic(importDialog, { ssr: false });

/** A modal sheet. Many visits open none, so its code comes with the first touch of the page. */
export function Sheet(props: SheetProps) {
  const wanted = useRef(false);
  wanted.current ||= props.open;
  useEffect(() => {
    const load = () => void importDialog().catch(() => {});
    const signs = ["pointerdown", "keydown"];
    for (const sign of signs) window.addEventListener(sign, load, { once: true });
    return () => {
      for (const sign of signs) window.removeEventListener(sign, load);
    };
  }, []);
  return wanted.current ? <SheetDialog {...props} /> : null;
}
