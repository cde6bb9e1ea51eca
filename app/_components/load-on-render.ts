"use client";

import dynamic from "next/dynamic";
import type { ComponentType, ReactNode } from "react";
import { retryLoad } from "./retry-load";

/**
 * Returns a component whose code the browser loads when the component first renders. The server renders only
 * `renderPlaceholder`, which also shows while the code loads.
 */
export const loadOnRender = <P extends object>(
  load: () => Promise<ComponentType<P>>,
  renderPlaceholder?: () => ReactNode,
): ComponentType<P> => dynamic(retryLoad(load), { ssr: false, loading: renderPlaceholder });
