"use client";

import dynamic from "next/dynamic";
import { type ComponentType, useEffect, useRef } from "react";

/** What many visits never open: its code comes with the first touch of the page, and it stands there once it was wanted. */
export function onTouch<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isWanted: (props: P) => boolean,
): ComponentType<P> {
  const Loaded = dynamic(load, { ssr: false });
  return function OnTouch(props: P) {
    const wanted = useRef(false);
    wanted.current ||= isWanted(props);
    useEffect(() => {
      // Cut off, it is asked for again when it is wanted.
      const begin = () => void load().catch(() => {});
      const signs = ["pointerdown", "keydown"];
      for (const sign of signs) window.addEventListener(sign, begin, { once: true });
      return () => {
        for (const sign of signs) window.removeEventListener(sign, begin);
      };
    }, []);
    return wanted.current ? <Loaded {...props} /> : null;
  };
}
