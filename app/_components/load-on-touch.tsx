"use client";

import dynamic from "next/dynamic";
import { type ComponentType, useEffect, useRef } from "react";
import { retryLoad } from "@/app/_components/retry-load";

/** Preloads a rarely used component on the first interaction. Renders the component once it is needed. */
export function loadOnTouch<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isWanted: (props: P) => boolean,
): ComponentType<P> {
  const Loaded = dynamic(retryLoad(load), { ssr: false });
  return function OnTouch(props: P) {
    const wanted = useRef(false);
    wanted.current ||= isWanted(props);
    useEffect(() => {
      // A failed load is retried when the component is needed.
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
