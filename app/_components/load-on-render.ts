"use client";

import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";
import { retryLoad } from "./retry-load";

/** Loads the component's code when it first renders, never on the server. */
export const loadOnRender = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  renderPlaceholder?: () => ReactNode,
): ComponentType<P> => dynamic(retryLoad(load), { ssr: false, loading: renderPlaceholder });
